import { expect, inject } from 'vitest'
import { changeUser } from '../../server/domain/email-change/change-user.js'
import { password, validUser } from '../support/app.js'
import { newPassword, outcome } from '../support/codes.js'
import { runAsOperator, setDatabase } from '../support/operator-changes.js'
import { claimsOf, it, totpAt } from '../support/second-factor.js'

it('logs in with a password and then a code of the app', async ({ factor, app }) => {
  const { challenge, methods } = await factor.firstStep()
  expect(methods).toEqual(['totp', 'recoveryCode'])
  const response = await factor.post('login/second-factor', { challenge, totp: factor.nextCode() })
  expect(response.json()).toMatchObject({ id: factor.signedUp.id, confirmation: { maxAge: 600 } })
  expect(claimsOf(response.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] })
  const session = (await app.openSession(response.json().token.jwt)).json()
  const refreshed = (await app.refresh(session.refreshToken.value)).json()
  expect(claimsOf(refreshed.token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] })
})

it('says in the token of a user without a factor that there was one', async ({ app }) => {
  const given = validUser()
  const { token } = await app.verifiedUser(given)
  const { iat, ...claims } = claimsOf(token.jwt)
  expect(claims).toMatchObject({ acr: 'aal1', amr: ['pwd'], auth_time: iat })
})

it('accepts a code once, also the one that has enrolled the app', async ({ factor, clock }) => {
  const { challenge } = await factor.firstStep()
  const enrolled = totpAt(factor.secret, clock.now)
  const first = await factor.post('login/second-factor', { challenge, totp: enrolled })
  expect(outcome(first)).toEqual([401, 'second_factor_invalid'])
  const totp = factor.nextCode()
  expect((await factor.post('login/second-factor', { challenge, totp })).statusCode).toBe(200)
  const again = await factor.post('login/second-factor', { challenge, totp })
  expect(outcome(again)).toEqual([401, 'second_factor_invalid'])
})

it('accepts one of two requests with the same code', async ({ factor }) => {
  const { challenge } = await factor.firstStep()
  const body = { challenge, totp: factor.nextCode() }
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => factor.post('login/second-factor', body)),
  )
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401])
})

it('accepts a recovery code once, however it is typed', async ({ factor }) => {
  const { challenge } = await factor.firstStep()
  const [code] = factor.recoveryCodes as string[]
  const typed = String(code).toUpperCase().replaceAll('-', ' ')
  const response = await factor.post('login/second-factor', { challenge, recoveryCode: typed })
  expect(claimsOf(response.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'recovery', 'mfa'] })
  const again = await factor.post('login/second-factor', { challenge, recoveryCode: code })
  expect(outcome(again)).toEqual([401, 'second_factor_invalid'])
})

/** Returns a text with the digits of a script, whose zero is given. */
const inScript = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

it('accepts a code of the app in any script, and with what comes with pasted text', async ({ factor }) => {
  const spellings: ((code: string) => string)[] = [
    (code) => inScript(code, 0xff10),
    (code) => inScript(code, 0x660),
    (code) => inScript(code, 0x6f0),
    (code) => `\u00a0${code.slice(0, 3)}\u202f${code.slice(3)}\r\n`,
    (code) => `\u2068${code.slice(0, 3)}\u2013${code.slice(3)}\u2069\u200b`,
  ]
  for (const spelled of spellings) {
    const { challenge } = await factor.firstStep()
    const totp = spelled(factor.nextCode())
    const response = await factor.post('login/second-factor', { challenge, totp })
    expect([response.statusCode, totp]).toEqual([200, totp])
  }
})

it('accepts recovery codes with what keyboards and pasted text put in and between their groups', async ({
  factor,
}) => {
  const codes = factor.recoveryCodes as string[]
  const spellings: ((code: string) => string)[] = [
    (code) => code.replaceAll('-', '\u2013'),
    (code) => `\u200b${code.replaceAll('-', '\u2212')}\r\n`,
    (code) => code.replaceAll('-', '\u00a0'),
    (code) => code.replace(/[^-]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
    (code) => inScript(code, 0x660),
  ]
  for (const [index, spelled] of spellings.entries()) {
    const { challenge } = await factor.firstStep()
    const recoveryCode = spelled(String(codes[index]))
    const response = await factor.post('login/second-factor', { challenge, recoveryCode })
    expect([response.statusCode, recoveryCode]).toEqual([200, recoveryCode])
  }
})

it('rejects a challenge that is expired, altered, revoked or of another purpose', async ({
  factor,
  app,
  clock,
}) => {
  const { challenge } = await factor.firstStep()
  const attempt = async (text: string) =>
    outcome(await factor.post('login/second-factor', { challenge: text, totp: factor.nextCode() }))
  const [payload = '', mac] = challenge.split('.')
  const forged = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), userId: factor.id }
  const altered = `${Buffer.from(JSON.stringify({ ...forged, expiresAt: 9e15 })).toString('base64url')}.${mac}`
  const { confirmation } = await factor.loggedIn()
  const rejected = [400, 'challenge_invalid']
  for (const text of ['', 'a', 'a.b', altered, confirmation.value, `${challenge}.a`].slice(1))
    expect(await attempt(text), text).toEqual(rejected)
  const { token } = await factor.loggedIn()
  expect((await app.as(token.jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
  expect(await attempt(challenge)).toEqual(rejected)
  const { challenge: late } = await factor.firstStep()
  clock.now += 301_000
  expect(await attempt(late)).toEqual(rejected)
})

it('permits ten wrong codes at once, and then one in 4.8 hours', async ({ factor, clock }) => {
  const attempt = async (totp = '000000', address = '192.0.2.7') => {
    const { challenge } = await factor.firstStep()
    return factor.post('login/second-factor', { challenge, totp }, address)
  }
  for (const _ of Array(10).keys()) expect(outcome(await attempt())).toEqual([401, 'second_factor_invalid'])
  const refused = await attempt(factor.nextCode(), '192.0.2.8')
  expect(outcome(refused)).toEqual([429, 'too_many_attempts'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(17_000)
  clock.now += 17_280_000
  expect(outcome(await attempt())).toEqual([401, 'second_factor_invalid'])
  expect(outcome(await attempt())).toEqual([429, 'too_many_attempts'])
})

// The servers of another process see the address of the test.
it.skipIf(inject('instances') > 0)(
  'lets the user in from a known network while a stranger guesses',
  async ({ factor }) => {
    await factor.loggedIn()
    const { challenge } = await factor.firstStep()
    for (const _ of Array(11).keys())
      await factor.post('login/second-factor', { challenge, totp: '000000' }, '198.51.100.9')
    const known = await factor.post('login/second-factor', { challenge, totp: factor.nextCode() })
    expect(known.statusCode).toBe(200)
  },
)

it('counts guesses that arrive together, before it compares them', async ({ factor }) => {
  const { challenge } = await factor.firstStep()
  const guesses = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      factor.post('login/second-factor', { challenge, totp: String(100_000 + n) }, '198.51.100.9'),
    ),
  )
  expect(guesses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10)
})

it('adds, renames and removes factors, and revokes what was there before', async ({ factor, app, clock }) => {
  expect(outcome(await app.me(factor.signedUp.token.jwt))).toEqual([401, 'token_invalid'])
  const { jwt } = factor.token
  clock.now += 30_000
  const second = await factor.enrol(jwt, { confirmation: factor.confirmation.value })
  expect(second.recoveryCodes).toBeNull()
  const full = await app.as(second.token.jwt, 'POST', 'me/factors/totp', {
    confirmation: second.confirmation.value,
  })
  expect(outcome(full)).toEqual([409, 'factors_full'])
  const renamed = await app.as(second.token.jwt, 'PATCH', `me/factors/${second.factor.id}`, { name: 'Phone' })
  expect(renamed.json()).toMatchObject({ name: 'Phone', kind: 'totp' })
  const list = (await app.as(second.token.jwt, 'GET', 'me/factors')).json()
  expect(list).toMatchObject({ recoveryCodes: 8, secondFactor: { on: true, dueAt: null } })
  expect(list.factors.map(({ name }: { name: string }) => name)).toEqual([null, 'Phone'])
  const removal = (id: string) => `me/factors/${id}/removal`
  const without = await app.as(second.token.jwt, 'POST', removal(second.factor.id), {})
  expect(outcome(without)).toEqual([401, 'step_up_required'])
  expect(without.headers['www-authenticate']).toContain('error="insufficient_user_authentication"')
  const removed = await app.as(second.token.jwt, 'POST', removal(second.factor.id), {
    confirmation: second.confirmation.value,
  })
  expect(removed.statusCode).toBe(200)
  const last = await app.as(removed.json().token.jwt, 'POST', removal(factor.factor.id), {
    confirmation: removed.json().confirmation.value,
  })
  expect(last.statusCode).toBe(200)
  const after = (await app.as(last.json().token.jwt, 'GET', 'me/factors')).json()
  expect(after).toEqual({
    factors: [],
    recoveryCodes: 0,
    hasPassword: true,
    secondFactor: { on: false, dueAt: null },
  })
  expect((await app.login(factor.credentials)).statusCode).toBe(200)
})

it('needs a confirmation for changes of the account, and the password too', async ({ factor, app }) => {
  const { token, confirmation } = await factor.loggedIn()
  const session = (await app.openSession(token.jwt)).json()
  const change = (body: object) => app.as(session.token.jwt, 'PUT', 'me/password', { newPassword, ...body })
  expect(outcome(await change({ password }))).toEqual([401, 'step_up_required'])
  const stepped = await app.as(session.token.jwt, 'POST', 'me/step-up', { totp: factor.nextCode() })
  const { value } = stepped.json().confirmation
  expect((await change({ confirmation: value })).json().errors).toMatchObject([
    { path: 'password', code: 'required' },
  ])
  expect((await change({ confirmation: value, password: 'wrong password' })).json().errors).toMatchObject([
    { path: 'password', code: 'password_wrong' },
  ])
  // The login has proven the password.
  expect((await change({ confirmation: confirmation.value })).statusCode).toBe(200)
})

it('lets one step-up stand for the password too, after which a wrong password has used no code up', async ({
  factor,
  app,
}) => {
  const { token } = await factor.loggedIn()
  const { jwt } = (await app.openSession(token.jwt)).json().token
  const listed = (await app.as(jwt, 'GET', 'me/factors')).json()
  expect(listed).toMatchObject({ hasPassword: true, recoveryCodes: 8 })
  const stepUp = (body: object) => app.as(jwt, 'POST', 'me/step-up', body)
  const totp = factor.nextCode()
  const wrong = await stepUp({ totp, password: 'wrong password' })
  expect(wrong.json().errors).toMatchObject([{ path: 'password', code: 'password_wrong' }])
  expect(outcome(await stepUp({ totp: '000000', password }))).toEqual([401, 'second_factor_invalid'])
  const { confirmation } = (await stepUp({ totp, password })).json()
  const changed = await app.as(jwt, 'PUT', 'me/password', { newPassword, confirmation: confirmation.value })
  expect(changed.statusCode).toBe(200)
})

it('steps a session up, which it keeps', async ({ factor, app, clock }) => {
  const { token } = await factor.loggedIn()
  const session = (await app.openSession(token.jwt)).json()
  const before = claimsOf(session.token.jwt).auth_time
  clock.now += 600_000
  const stepped = await app.as(session.token.jwt, 'POST', 'me/step-up', { totp: factor.nextCode() })
  const { auth_time: after, sid } = claimsOf(stepped.json().token.jwt)
  expect(after).toBeGreaterThan(before)
  expect(sid).toBe(claimsOf(session.token.jwt).sid)
  const refreshed = (await app.refresh(session.refreshToken.value)).json()
  expect(claimsOf(refreshed.token.jwt).auth_time).toBe(after)
})

it('never lets a reset of the password skip the second step', async ({ factor, app }) => {
  await app.markVerified(factor.credentials.email)
  const code = await app.resetCode(factor.credentials.email)
  const reset = (secondFactor?: object) =>
    factor.post('password-reset/confirm', { code, newPassword, ...(secondFactor && { secondFactor }) })
  const refused = await reset()
  expect(outcome(refused)).toEqual([401, 'second_factor_required'])
  expect(refused.json().secondFactor).toMatchObject({ challenge: null, methods: ['totp', 'recoveryCode'] })
  expect(outcome(await reset({ totp: '000000' }))).toEqual([401, 'second_factor_invalid'])
  const [recoveryCode] = factor.recoveryCodes as string[]
  const done = await reset({ recoveryCode })
  expect(claimsOf(done.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['mail', 'recovery', 'mfa'] })
  expect(outcome(await app.login(factor.credentials))).toEqual([401, 'invalid_credentials'])
})

it('gives a never verified account to the owner of the address, without the factor of a stranger', async ({
  factor,
  app,
  usher,
}) => {
  await runAsOperator(usher, app, (change) =>
    changeUser(change, { userId: factor.id, changes: { isVerified: false } }),
  )
  const code = await app.resetCode(factor.credentials.email)
  const done = await factor.post('password-reset/confirm', { code, newPassword })
  expect(done.statusCode).toBe(200)
  const list = (await app.as(done.json().token.jwt, 'GET', 'me/factors')).json()
  expect(list).toMatchObject({ factors: [], recoveryCodes: 0 })
})

it('demands a factor after the time to add one, and lets the user add it in the login', async ({
  app,
  usher,
  clock,
  factor,
}) => {
  await setDatabase(usher.store, app, { secondFactor: 'required', secondFactorGrace: 3_600 })
  usher.clock.cacheAhead += 6_000
  // The setting has the time of the command.
  clock.now = Date.now()
  const given = validUser()
  const { token } = await app.verifiedUser(given)
  const session = (await app.openSession(token.jwt)).json()
  const credentials = { email: given.email, password }
  expect((await app.login(credentials)).statusCode).toBe(200)
  clock.now += 3_601_000
  expect(outcome(await app.refresh(session.refreshToken.value))).toEqual([401, 'session_ended'])
  const refused = await app.login(credentials)
  const reset = await app.reset(await app.resetCode(given.email))
  for (const response of [refused, reset]) expect(outcome(response)).toEqual([401, 'enrolment_required'])
  const enrol = (response: typeof reset) =>
    factor.post('me/factors/totp', { challenge: response.json().secondFactor.challenge })
  expect((await enrol(reset)).statusCode).toBe(200)
  const enrolled = (await enrol(refused)).json()
  const body = { challenge: enrolled.challenge, totp: totpAt(enrolled.secret, clock.now) }
  const added = await factor.post('me/factors/totp/confirm', body)
  expect(claimsOf(added.json().token.jwt)).toMatchObject({ acr: 'aal2' })
  const removed = await app.as(
    added.json().token.jwt,
    'POST',
    `me/factors/${added.json().factor.id}/removal`,
    {
      confirmation: added.json().confirmation.value,
    },
  )
  expect(outcome(removed)).toEqual([409, 'factor_needed'])
})

it('adds no factor while the address is not verified, if a mail to it logs in', async ({
  app,
  usher,
  clock,
  factor,
}) => {
  const notVerified = [409, 'email_not_verified']
  const given = validUser()
  const { id, token } = await app.signedUp(given)
  const enrol = (kind: string) => app.as(token.jwt, 'POST', `me/factors/${kind}`, { password })
  for (const kind of ['totp', 'passkey']) expect(outcome(await enrol(kind))).toEqual(notVerified)
  const setMails = async (accountOperations: boolean) => {
    await setDatabase(usher.store, app, { accountOperations })
    usher.clock.cacheAhead += 6_000
  }
  await setMails(false)
  const { challenge, secret } = (await enrol('totp')).json()
  await setMails(true)
  const body = { challenge, totp: totpAt(secret, clock.now) }
  expect(outcome(await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', body))).toEqual(notVerified)

  // A login that demands a factor: the user proves the address by a reset first.
  await setDatabase(usher.store, app, { secondFactor: 'required', secondFactorGrace: 0 })
  usher.clock.cacheAhead += 6_000
  clock.now = Math.max(clock.now, Date.now()) + 1_000
  const demanded = (await app.login({ email: given.email, password })).json().secondFactor
  const refused = await factor.post('me/factors/totp', { challenge: demanded.challenge })
  expect(outcome(refused)).toEqual(notVerified)
  const reset = (await app.reset(await app.resetCode(given.email))).json()
  expect(reset.id).toBe(id)
  expect((await factor.enrol(reset.token.jwt, { password: newPassword })).factor.kind).toBe('totp')
})

it('has no second factors where the operator has turned them off', async ({ factor, app, usher }) => {
  await setDatabase(usher.store, app, { secondFactor: 'off' })
  usher.clock.cacheAhead += 6_000
  expect((await app.login(factor.credentials)).statusCode).toBe(200)
  expect(outcome(await app.as(factor.token.jwt, 'GET', 'me/factors'))).toEqual([404, 'route_not_found'])
})

it('does not let a stolen session add a factor, or finish the enrolment of another user', async ({
  factor,
  app,
  clock,
}) => {
  const thief = await app.verifiedUser()
  const { challenge, secret } = (
    await app.as(thief.token.jwt, 'POST', 'me/factors/totp', { password })
  ).json()
  const body = { challenge, totp: totpAt(secret, clock.now) }
  const { token } = await factor.loggedIn()
  expect(outcome(await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', body))).toEqual([
    400,
    'challenge_invalid',
  ])
  expect(outcome(await factor.post('me/factors/totp/confirm', body))).toEqual([401, 'token_missing'])
  const stolen = await app.verifiedUser()
  const refused = await app.as(stolen.token.jwt, 'POST', 'me/factors/totp', {})
  expect(refused.json().errors).toMatchObject([{ path: 'password', code: 'required' }])
})

it('replaces recovery codes, and turns the second step of logins off and on', async ({ factor, app }) => {
  const { token, confirmation } = await factor.loggedIn()
  const confirmed = { confirmation: confirmation.value }
  const { codes } = (await app.as(token.jwt, 'POST', 'me/recovery-codes', confirmed)).json()
  expect(new Set([...codes, ...factor.recoveryCodes]).size).toBe(16)
  const off = (await app.as(token.jwt, 'PUT', 'me/second-factor', { on: false, ...confirmed })).json()
  const login = await app.login(factor.credentials)
  expect(claimsOf(login.json().token.jwt)).toMatchObject({ acr: 'aal1' })
  const on = await app.as(off.token.jwt, 'PUT', 'me/second-factor', {
    on: true,
    confirmation: off.confirmation.value,
  })
  expect(on.statusCode).toBe(200)
  expect(outcome(await app.login(factor.credentials))).toEqual([401, 'second_factor_required'])
})
