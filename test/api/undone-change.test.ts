import { expect } from 'vitest'
import { password } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { newPassword, outcome } from '../support/codes.js'
import { it } from '../support/returned-login.js'
import { totpAt } from '../support/second-factor.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

const [ada, mallory] = ['ada@example.com', 'mallory@example.com']
const person = { connection: 'other', subject: 'mallory', email: mallory }

it('an undone change of the address leaves a thief no way back in, and its owner is not locked out', async ({
  app,
  clock,
  mail,
  provider,
  usher,
}) => {
  const post = (path: string, payload?: object) =>
    usher.send({ method: 'POST', url: `${app.users}/${path}`, ...(payload && { payload }) })
  const { id, token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await provider.link(token.jwt, { connection: 'acme', subject: 'ada' }, { password })

  // The thief knows the password, and adds a way in of each kind before the change of the address.
  const [authenticator, late] = [createAuthenticator(), createAuthenticator()]
  const { options } = (await app.as(token.jwt, 'POST', 'me/factors/passkey', { password })).json()
  const passkey = authenticator.create(options)
  const added = (await app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey })).json()
  let confirmed = { password, confirmation: added.confirmation.value }
  const { jwt } = added.token
  expect((await provider.link(jwt, person, confirmed)).statusCode).toBe(201)
  const { challenge, secret } = (await app.as(jwt, 'POST', 'me/factors/totp', confirmed)).json()
  const totp = () => totpAt(secret, clock.now)
  const body = { challenge, totp: totp() }
  const app2 = (await app.as(jwt, 'POST', 'me/factors/totp/confirm', body)).json()
  confirmed = { password, confirmation: app2.confirmation.value }
  const changeCode = await mail.changeCode(app2.token.jwt, mallory, confirmed)
  expect((await mail.confirmChange(changeCode)).statusCode).toBe(200)
  const undo = (await app.delivered()).find(({ parsed }) => parsed.text?.includes('/undo-email-change#'))

  // What the thief begins after the change, and finishes after the undo.
  const firstStep = async () => (await app.login({ email: mallory, password })).json().secondFactor
  clock.now += 30_000
  const first = (await firstStep()).challenge
  const again = await post('login/second-factor', { challenge: first, totp: totp() })
  const { token: stolen, confirmation } = again.json()
  const session = (await app.openSession(stolen.jwt)).json()
  const enrol = async (kind: string) =>
    (
      await app.as(stolen.jwt, 'POST', `me/factors/${kind}`, { password, confirmation: confirmation.value })
    ).json()
  const begun = {
    step: await firstStep(),
    totp: await enrol('totp'),
    passkey: late.create((await enrol('passkey')).options),
    login: authenticator.get((await post('login/passkey')).json().options),
    mail: await mail.start(mallory),
    provider: await provider.returned(person),
    reset: await app.resetCode(mallory),
  }
  const undone = await post('email-change/undo', { code: codeIn(undo as ReceivedMail) })
  expect([undone.statusCode, undone.json()]).toEqual([200, { email: ada }])
  clock.now += 30_000

  const { challenge: step } = begun.step
  const [recoveryCode] = added.recoveryCodes
  const enrolled = { challenge: begun.totp.challenge, totp: totpAt(begun.totp.secret, clock.now) }
  const tries = {
    password: () => app.login({ email: ada, password }),
    'password at the other address': () => app.login({ email: mallory, password }),
    token: () => app.me(stolen.jwt),
    session: () => app.refresh(session.refreshToken.value),
    'app in a second step': () => post('login/second-factor', { challenge: step, totp: totp() }),
    'recovery code': () => post('login/second-factor', { challenge: step, recoveryCode }),
    passkey: () => post('login/passkey/confirm', { passkey: begun.login }),
    'another app': () => app.as(session.token.jwt, 'POST', 'me/factors/totp/confirm', enrolled),
    'another app without token': () => post('me/factors/totp/confirm', enrolled),
    'another passkey': () => post('me/factors/passkey/confirm', { passkey: begun.passkey }),
    mail: () => mail.finish({ code: begun.mail.code, verifier: begun.mail.verifier }),
    reset: () => app.reset(begun.reset),
  }
  const seen: Record<string, unknown[]> = {}
  for (const [way, attempt] of Object.entries(tries)) seen[way] = outcome(await attempt())
  expect(seen).toEqual({
    password: [401, 'invalid_credentials'],
    'password at the other address': [401, 'invalid_credentials'],
    token: [401, 'token_invalid'],
    session: [401, 'session_ended'],
    'app in a second step': [400, 'challenge_invalid'],
    'recovery code': [400, 'challenge_invalid'],
    passkey: [401, 'passkey_unknown'],
    'another app': [401, 'token_invalid'],
    'another app without token': [401, 'token_missing'],
    'another passkey': [401, 'token_missing'],
    mail: [400, 'code_invalid'],
    reset: [400, 'code_invalid'],
  })
  // An identity of the thief signs up a new user.
  for (const login of [await mail.finish(begun.provider), await provider.logIn(person)])
    expect([login.statusCode, login.json().id === id]).toEqual([200, false])

  // The owner chooses a password, without a second step.
  await app.delivered()
  const owner = await app.reset(await app.resetCode(ada))
  expect([owner.statusCode, owner.json().id]).toEqual([200, id])
  const { factors, recoveryCodes } = (await app.as(owner.json().token.jwt, 'GET', 'me/factors')).json()
  expect([factors, recoveryCodes, await provider.identities(id)]).toEqual([[], 0, []])
  expect((await app.login({ email: ada, password: newPassword })).statusCode).toBe(200)
})
