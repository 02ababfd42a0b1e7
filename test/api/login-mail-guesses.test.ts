import { expect, vi } from 'vitest'
import { digitsOf } from '../../server/domain/login/mail.js'
import { startApp } from '../support/app.js'
import { elsewhere, outcome } from '../support/codes.js'
import { it, newVerifier } from '../support/login-mail.js'
import { setDatabase } from '../support/operator-changes.js'

const email = 'ada@example.com'
const hour = 3_600_000

/** Returns digits that are not those of a mail. */
const wrong = (digits: string) => String((Number(digits) + 1) % 1_000_000).padStart(6, '0')

it('the digits of a mail can be tried three times, on all servers together', async ({ app, mail, usher }) => {
  const { login, digits, verifier, code } = await mail.start(email)
  const second = await startApp(usher.store, { LOG_LEVEL: 'silent' })
  const guess = (server: typeof second | typeof usher, digits: string) =>
    server.send({
      method: 'POST',
      url: `${app.users}/login/finish`,
      payload: { login, digits, verifier },
      remoteAddress: elsewhere(),
    })
  const guesses = await Promise.all(
    [usher, second, usher, second, usher, second].map((server) => guess(server, wrong(digits))),
  )
  expect(guesses.map(outcome)).toEqual(Array(6).fill([400, 'code_invalid']))
  expect(await mail.attempts()).toMatchObject([{ tries: 3 }])
  for (const server of [usher, second])
    expect(outcome(await guess(server, digits))).toEqual([400, 'code_invalid'])
  await second.close()
  expect((await mail.finish({ code, verifier })).statusCode).toBe(200)
})

it('guesses over many mails count as failures of the account and of the network', async ({ app, mail }) => {
  const from = '198.18.0.7'
  const answers: unknown[] = []
  for (let time = 0; time < 3; time++) {
    const { login, digits, verifier } = await mail.start(email)
    for (let guess = 0; guess < 3; guess++)
      answers.push(outcome(await mail.finish({ login, digits: wrong(digits), verifier }, from)))
    app.clock.now += 61_000
  }
  expect(answers.slice(0, 5)).toEqual(Array(5).fill([400, 'code_invalid']))
  expect(answers).toContainEqual([429, 'too_many_attempts'])
  await app.signedUp({ email })
  // The failures of the address delay the logins with a password from there, too.
  const login = await app.login({ email, password: 'wrong password' })
  expect(login.statusCode).toBe(401)
})

it('an address gets at most five mails an hour, so at most 15 guesses', async ({ app, mail }) => {
  let mails = 0
  for (let time = 0; time < 12; time++) {
    const { login } = (await mail.request(email)).json()
    mails += (await mail.attempts()).filter(({ id }) => id === login).length
    app.clock.now += 61_000
  }
  expect(mails).toBe(5)
  app.clock.now += hour
  expect((await mail.request(email)).statusCode).toBe(202)
})

it('a request for an unknown, a disabled or a closed address runs the same statements', async ({
  app,
  mail,
  usher,
}) => {
  await app.signedUp({ email })
  await app.signedUp({ email: 'disabled@example.com' })
  await usher.store.prisma.user.updateMany({
    where: { databaseId: app.id, email: 'disabled@example.com' },
    data: { disabledAt: new Date(app.clock.now) },
  })
  // A delivery would run statements of its own.
  vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
  const { store } = usher.context
  const { transaction } = store
  const seen: unknown[] = []
  for (const signUp of [true, false]) {
    await setDatabase(usher.store, app, { signUp })
    usher.clock.cacheAhead += 6_000
    app.clock.now += hour
    for (const address of [email, 'disabled@example.com', 'unknown@example.com']) {
      const texts: string[] = []
      const watched = vi.spyOn(store, 'transaction').mockImplementationOnce((databaseId, work) =>
        transaction(databaseId, (query) =>
          work((text, values) => {
            texts.push(text)
            return query(text, values)
          }),
        ),
      )
      const { statusCode, headers, body } = await mail.request(address)
      watched.mockRestore()
      seen.push([texts, statusCode, Object.keys(headers), body.length])
    }
  }
  expect(seen).toEqual(Array(6).fill(seen[0]))
  const messages = await usher.store.prisma.message.findMany({ where: { databaseId: app.id, kind: 'mail' } })
  const rows = messages.map(({ userId, payload, recipient }) => ({ userId, payload, recipient }))
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1)
})

it('the digits are six, evenly spread, and not those of another mail', () => {
  const macs = Array.from({ length: 2_000 }, () => newVerifier().challenge)
  const all = macs.map(digitsOf)
  expect(all.every((digits) => /^\d{6}$/.test(digits))).toBe(true)
  const first = new Set(all.map((digits) => digits[0]))
  expect([first.size, new Set(all).size > 1_950]).toEqual([10, true])
})
