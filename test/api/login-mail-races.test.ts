import { expect } from 'vitest'
import { password } from '../support/app.js'
import { it } from '../support/login-mail.js'

// On the embedded store, transactions run one after the other, and these tests show only that each order is right. On
// Postgres they run at the same time.

const statusOf = ({ statusCode }: { statusCode: number }) => statusCode

it('two finishes at once log in once, and open one session', async ({ app, mail, usher }) => {
  const { code, login, digits, verifier } = await mail.start('ada@example.com')
  const both = await Promise.all([
    mail.finish({ code, verifier }),
    mail.finish({ login, digits, verifier, newTenant: 'Engines' }),
  ])
  expect(both.map(statusOf)).toEqual([200, 200])
  const [one, other] = both.map((response) => response.json())
  expect([one.id, one.isNewUser]).toEqual([other.id, other.isNewUser])
  const sessions = await Promise.all([one, other].map(({ token }) => app.openSession(token.jwt)))
  expect(sessions.map(statusOf).sort()).toEqual([201, 409])
  expect(await usher.store.prisma.user.count({ where: { databaseId: app.id } })).toBe(1)
})

it('two mails to an unknown address sign it up once', async ({ app, mail, usher }) => {
  for (const round of [1, 2, 3]) {
    const email = `ada-${round}@example.com`
    const one = await mail.start(email)
    app.clock.now += 61_000
    const other = await mail.start(email)
    const both = await Promise.all(
      [one, other].map(({ code, verifier }) => mail.finish({ code, verifier, newTenant: 'Engines' })),
    )
    expect(both.map(statusOf)).toEqual([200, 200])
    const [first, second] = both.map((response) => response.json())
    expect([first.id, first.isNewUser !== second.isNewUser]).toEqual([second.id, true])
    for (const { token } of [first, second]) expect((await app.me(token.jwt)).statusCode).toBe(200)
    expect(await usher.store.prisma.user.count({ where: { databaseId: app.id, email } })).toBe(1)
  }
})

it('a sign-up with a password at the same time keeps nothing', async ({ app, mail }) => {
  for (const round of [1, 2, 3]) {
    const email = `ada-${round}@example.com`
    const { code, verifier } = await mail.start(email)
    const [finished, signedUp] = await Promise.all([
      mail.finish({ code, verifier }),
      app.createUser({ email, password }),
    ])
    expect(finished.statusCode).toBe(200)
    expect([201, 409]).toContain(signedUp.statusCode)
    if (signedUp.statusCode === 201) expect((await app.me(signedUp.json().token.jwt)).statusCode).toBe(401)
    expect((await app.login({ email, password })).statusCode).toBe(401)
    expect((await app.me(finished.json().token.jwt)).json().emailVerified).toBe(true)
  }
})

it('a reset, a log-out everywhere, a changed address and a deletion end a started login, in every order', async ({
  app,
  mail,
}) => {
  type End = () => Promise<{ statusCode: number }>
  const ends: Record<string, (user: { email: string; jwt: string }) => Promise<End>> = {
    async reset({ email }) {
      await app.delivered()
      const code = await app.resetCode(email)
      return () => app.reset(code)
    },
    logout:
      async ({ jwt }) =>
      () =>
        app.as(jwt, 'DELETE', 'me/sessions'),
    async change({ email, jwt }) {
      const code = await mail.changeCode(jwt, `new-${email}`)
      return () => mail.confirmChange(code)
    },
    deletion:
      async ({ jwt }) =>
      () =>
        app.as(jwt, 'POST', 'me/deletion', { password }),
  }
  for (const [name, prepare] of Object.entries(ends))
    for (const round of ['before', 'during', 'during again']) {
      const email = `${name}-${round.replace(' ', '-')}@example.com`
      const { token } = await app.signedUp({ email })
      await app.markVerified(email)
      const end = await prepare({ email, jwt: token.jwt })
      const { code, verifier } = await mail.start(email)
      const ended = end()
      if (round === 'before') await ended
      const [{ statusCode }, finished] = await Promise.all([ended, mail.finish({ code, verifier })])
      expect(statusCode, name).toBeLessThan(300)
      expect(round === 'before' ? [400] : [200, 400], name).toContain(finished.statusCode)
      if (finished.statusCode === 200)
        expect((await app.me(finished.json().token.jwt)).statusCode, name).toBe(401)
    }
})

it('a login by mail at the new address of a change logs its user in, or takes the address', async ({
  app,
  mail,
  usher,
}) => {
  for (const round of [1, 2, 3]) {
    const to = `to-${round}@example.com`
    const { id, token } = await app.signedUp({ email: `from-${round}@example.com` })
    const change = await mail.changeCode(token.jwt, to)
    const { code, verifier } = await mail.start(to)
    const [finished, changed] = await Promise.all([
      mail.finish({ code, verifier }),
      mail.confirmChange(change),
    ])
    const { id: loggedIn, isNewUser } = finished.json()
    expect([
      [200, 200, true, false],
      [200, 409, false, true],
    ]).toContainEqual([finished.statusCode, changed.statusCode, loggedIn === id, isNewUser])
    const where = { databaseId: app.id, canonicalEmail: to }
    expect(await usher.store.prisma.user.findMany({ where })).toMatchObject([{ id: loggedIn }])
  }
})
