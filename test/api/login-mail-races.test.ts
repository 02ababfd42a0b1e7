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

it('a reset, a log-out everywhere and a deletion end a started login, in every order', async ({
  app,
  mail,
}) => {
  const ends: Record<string, (user: { email: string; jwt: string }) => Promise<{ statusCode: number }>> = {
    async reset({ email }) {
      await app.delivered()
      return app.reset(await app.resetCode(email))
    },
    logout: ({ jwt }) => app.as(jwt, 'DELETE', 'me/sessions'),
    deletion: ({ jwt }) => app.as(jwt, 'POST', 'me/deletion', { password }),
  }
  for (const [name, end] of Object.entries(ends)) {
    const email = `${name}@example.com`
    const { token } = await app.signedUp({ email })
    await app.markVerified(email)
    const before = await mail.start(email)
    expect((await end({ email, jwt: token.jwt })).statusCode).toBeLessThan(300)
    const { code, verifier } = before
    expect((await mail.finish({ code, verifier })).statusCode).toBe(400)
    app.clock.now += 61_000
    const raced = await mail.start(email)
    const login = await app.login({ email, password })
    const [finished] = await Promise.all([
      mail.finish({ code: raced.code, verifier: raced.verifier }),
      login.statusCode === 200 && app.as(login.json().token.jwt, 'POST', 'me/deletion', { password }),
    ])
    expect([200, 400]).toContain(finished.statusCode)
    if (login.statusCode === 200 && finished.statusCode === 200)
      expect((await app.me(finished.json().token.jwt)).statusCode).toBe(401)
  }
})
