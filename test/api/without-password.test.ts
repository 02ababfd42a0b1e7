import { expect } from 'vitest'
import { password } from '../support/app.js'
import { newPassword, outcome } from '../support/codes.js'
import { it } from '../support/login-mail.js'

const email = 'ada@example.com'
const minute = 60_000

const withUser = it.extend('ada', async ({ mail }) => {
  const { code, verifier } = await mail.start(email)
  return (await mail.finish({ code, verifier })).json()
})

withUser('a login with a password is like that of an unknown address', async ({ ada, app, mail }) => {
  expect((await mail.user(ada.id)).passwordHash).toBeNull()
  const [known, unknown] = [
    await app.login({ email, password }),
    await app.login({ email: 'nobody@example.com', password }),
  ]
  const bodyOf = ({ json }: typeof known) => ({ ...json(), requestId: '' })
  expect([known.statusCode, bodyOf(known)]).toEqual([401, bodyOf(unknown)])
})

withUser(
  'sets a first password within 10 minutes of the login, whatever the session does',
  async ({ ada, app }) => {
    const session = (await app.openSession(ada.token.jwt)).json()
    app.clock.now += 11 * minute
    const refreshed = (await app.refresh(session.refreshToken.value)).json()
    const late = await app.as(refreshed.token.jwt, 'PUT', 'me/password', { newPassword })
    expect(outcome(late)).toEqual([403, 'recent_login_required'])
    expect(
      outcome(await app.as(refreshed.token.jwt, 'PUT', 'me/password', { password, newPassword })),
    ).toEqual([403, 'recent_login_required'])
  },
)

withUser('changes the account after a recent login, and then needs the password', async ({ ada, app }) => {
  expect((await app.as(ada.token.jwt, 'GET', 'me/factors')).json().hasPassword).toBe(false)
  app.clock.now += 9 * minute
  const set = await app.as(ada.token.jwt, 'PUT', 'me/password', { newPassword })
  expect(set.statusCode).toBe(200)
  const { jwt } = set.json().token
  expect((await app.as(jwt, 'GET', 'me/factors')).json().hasPassword).toBe(true)
  expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
  for (const [method, path, body] of [
    ['PUT', 'me/password', { newPassword: password }],
    ['POST', 'me/email', { email: 'new@example.com' }],
    ['POST', 'me/deletion', {}],
  ] as const) {
    const refused = await app.as(jwt, method, path, body)
    expect([refused.statusCode, refused.json().errors]).toMatchObject([
      400,
      [{ path: 'password', code: 'required' }],
    ])
  }
  expect((await app.as(jwt, 'POST', 'me/deletion', { password: newPassword })).statusCode).toBe(204)
})

withUser('requests another address and deletes the account after a recent login', async ({ ada, app }) => {
  const { jwt } = ada.token
  expect((await app.as(jwt, 'POST', 'me/email', { email: 'new@example.com' })).statusCode).toBe(202)
  app.clock.now += 10 * minute + 1_000
  expect(outcome(await app.as(jwt, 'POST', 'me/deletion', {}))).toEqual([403, 'recent_login_required'])
  app.clock.now -= minute
  expect((await app.as(jwt, 'POST', 'me/deletion', {})).statusCode).toBe(204)
})

withUser('a stolen token does not renew itself by a step-up', async ({ ada, app, usher }) => {
  const session = (await app.openSession(ada.token.jwt)).json()
  app.clock.now += 9 * minute
  const { token } = (await app.refresh(session.refreshToken.value)).json()
  for (const proof of [{}, { password }])
    expect(outcome(await app.as(token.jwt, 'POST', 'me/step-up', proof))).toEqual([
      403,
      'recent_login_required',
    ])
  const [{ provenAt } = {}] = await usher.store.prisma.session.findMany({ where: { databaseId: app.id } })
  expect(provenAt).toEqual(new Date(app.clock.now - 9 * minute))
  app.clock.now += 2 * minute
  expect(outcome(await app.as(token.jwt, 'POST', 'me/factors/totp', {}))).toEqual([
    403,
    'recent_login_required',
  ])
})

withUser('a password reset sets a first password', async ({ ada, app, smtp }) => {
  await app.delivered()
  smtp.mails.splice(0)
  const reset = await app.reset(await app.resetCode(email))
  expect([reset.statusCode, reset.json().id]).toEqual([200, ada.id])
  expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
})
