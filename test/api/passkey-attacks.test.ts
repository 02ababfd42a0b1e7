import { expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { createAuthenticator, flag, type Lie } from '../support/authenticator.js'
import { newPassword, outcome } from '../support/codes.js'
import { mailOf, newVerifier } from '../support/login-mail.js'
import { setDatabase } from '../support/operator-changes.js'
import { it } from '../support/passkeys.js'
import { totpAt } from '../support/second-factor.js'

const lies: [string, Lie][] = [
  ['a phishing site', { origin: 'https://app.example.com.evil.example' }],
  ['a sister of the app', { origin: 'https://other.example.com' }],
  ['a frame of another site', { crossOrigin: true }],
  ['a frame that hides it', { topOrigin: 'https://evil.example' }],
  ['another domain', { domain: 'evil.example' }],
  ['nobody at the device', { flags: { clear: flag.present } }],
  ['a user who is not verified', { flags: { clear: flag.verified } }],
  ['a registration', { type: 'webauthn.create' }],
  ['flags that contradict the registration', { flags: { clear: flag.backupEligible | flag.backedUp } }],
  ['no user handle', { userHandle: null }],
  ['an empty user handle', { userHandle: '' }],
  ['the user handle of another user', { userHandle: Buffer.from('another').toString('base64url') }],
]

it.for(lies)('logs nobody in from %s', async ([, lie], { passkeys }) => {
  const { authenticator } = await passkeys.owner()
  expect(outcome(await passkeys.login(authenticator, lie))).toEqual([401, 'passkey_invalid'])
  expect((await passkeys.login(authenticator)).statusCode).toBe(200)
})

const registrationLies: [string, Lie][] = [
  ...lies.slice(0, 6),
  ['a login', { type: 'webauthn.get' }],
  ['another ID than that of the data', { credentialId: Buffer.alloc(32, 1) }],
]

it.for(registrationLies)('adds no passkey from %s', async ([, lie], { passkeys, app }) => {
  const { token } = await app.verifiedUser(validUser())
  const added = await passkeys.add(token.jwt, createAuthenticator(), { lie })
  expect(outcome(added)).toEqual([401, 'passkey_invalid'])
  expect((await app.as(token.jwt, 'GET', 'me/factors')).json().factors).toEqual([])
})

it('ignores an attestation, whose certificates anyone could choose', async ({ passkeys, app }) => {
  const { token } = await app.verifiedUser(validUser())
  const added = await passkeys.add(token.jwt, createAuthenticator(), { lie: { fmt: 'packed' } })
  expect(added.statusCode, added.body).toBe(201)
})

it('accepts a signature once, of requests that arrive together', async ({ passkeys }) => {
  const { authenticator } = await passkeys.owner()
  const passkey = authenticator.get(await passkeys.options())
  const login = () => passkeys.post('login/passkey/confirm', { passkey })
  const responses = await Promise.all([login(), login(), login(), login()])
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401])
  expect(outcome(await login())).toEqual([401, 'passkey_invalid'])
})

it('refuses a copy of a key that counts, and the key after its copy was used', async ({ passkeys }) => {
  const { authenticator } = await passkeys.owner({ isSynced: false })
  const copy = authenticator.clone()
  expect((await passkeys.login(authenticator)).statusCode).toBe(200)
  expect(outcome(await passkeys.login(copy))).toEqual([401, 'passkey_invalid'])
  expect((await passkeys.login(copy)).statusCode).toBe(200)
  expect((await passkeys.login(authenticator, { signCount: 2 })).json().detail).toContain('counter')
})

it('ignores the counters of a passkey that several devices have, and of one without counter', async ({
  passkeys,
}) => {
  const synced = await passkeys.owner({ counts: true })
  const copy = synced.authenticator.clone()
  expect((await passkeys.login(synced.authenticator)).statusCode).toBe(200)
  expect((await passkeys.login(copy)).statusCode).toBe(200)
  const bound = await passkeys.owner({ isSynced: false, counts: false })
  expect((await passkeys.login(bound.authenticator)).statusCode).toBe(200)
  expect((await passkeys.login(bound.authenticator)).statusCode).toBe(200)
})

it('refuses a challenge that is expired, altered, of another purpose or another database', async ({
  passkeys,
  app,
  usher,
  clock,
}) => {
  const { authenticator, credentials } = await passkeys.owner()
  const login = (options: object) =>
    passkeys.post('login/passkey/confirm', { passkey: authenticator.get(options as never) })
  const { jwt } = (await app.login(credentials)).json().token
  const stepUp = (await app.as(jwt, 'POST', 'me/step-up/begin')).json().options
  expect(outcome(await login(stepUp))).toEqual([400, 'challenge_invalid'])
  const options = await passkeys.options()
  const proof = { passkey: authenticator.get(options) }
  expect(outcome(await app.as(jwt, 'POST', 'me/step-up', proof))).toEqual([401, 'second_factor_invalid'])
  const enrolment = (await app.as(jwt, 'POST', 'me/factors/totp', { password })).json()
  for (const challenge of ['AA', enrolment.challenge ?? 'AA', options.challenge.replace(/^.{8}/, 'AAAAAAAA')])
    expect(outcome(await login({ ...options, challenge }))).toEqual([400, 'challenge_invalid'])
  const other = await usher.newDatabase()
  await setDatabase(usher.store, other, { appUrl: 'https://app.example.com' })
  usher.clock.cacheAhead += 6_000
  const theirs = await usher.send({ method: 'POST', url: `${other.users}/login/passkey` })
  expect(outcome(await login(theirs.json().options))).toEqual([400, 'challenge_invalid'])
  const passkey = authenticator.get(options)
  const url = `${other.users}/login/passkey/confirm`
  expect(outcome(await usher.send({ method: 'POST', url, payload: { passkey } }))).toEqual([
    400,
    'challenge_invalid',
  ])
  clock.now += 300_000
  expect(outcome(await login(options))).toEqual([400, 'challenge_invalid'])
})

it('does not finish the login of another user, or another login of the user', async ({ passkeys, app }) => {
  const [victim, thief] = [await passkeys.owner(), await passkeys.owner()]
  for (const { token, confirmation } of [victim, thief])
    await app.as(token.jwt, 'PUT', 'me/second-factor', { on: true, confirmation: confirmation.value })
  const begin = async ({ credentials }: typeof victim) => (await app.login(credentials)).json().secondFactor
  const [first, second, theirs] = [await begin(victim), await begin(victim), await begin(thief)]
  const finish = (challenge: string, passkey: object) =>
    passkeys.post('login/second-factor', { challenge, passkey })
  const { authenticator } = victim
  expect(outcome(await finish(first.challenge, authenticator.get(second.options)))).toEqual([
    401,
    'second_factor_invalid',
  ])
  const forged = { ...theirs.options, allowCredentials: [] }
  expect(outcome(await finish(theirs.challenge, authenticator.get(forged)))).toEqual([
    401,
    'second_factor_invalid',
  ])
  expect((await finish(first.challenge, authenticator.get(first.options))).statusCode).toBe(200)
})

it('takes a signature only for what the passkey was asked for: a step-up, a login by mail or a reset', async ({
  passkeys,
  app,
  usher,
}) => {
  await setDatabase(usher.store, app, { loginMail: 'both' })
  usher.clock.cacheAhead += 6_000
  const { authenticator, token, confirmation, credentials } = await passkeys.owner()
  const { email } = credentials
  const set = { on: true, confirmation: confirmation.value }
  const { jwt } = (await app.as(token.jwt, 'PUT', 'me/second-factor', set)).json().token
  const startLogin = async () => {
    const { verifier, challenge } = newVerifier()
    const { login } = (await passkeys.post('login/code', { email, challenge })).json()
    return { verifier, code: (await mailOf(usher, app.id, { login, email })).code }
  }
  const login = await startLogin()
  app.clock.now += 61_000
  const other = await startLogin()
  await app.delivered()
  const code = await app.resetCode(email)
  const send = (path: string, body: object) => (passkey?: object) =>
    passkeys.post(path, { ...body, ...(passkey && { secondFactor: { passkey } }) })
  const finish = send('login/finish', login)
  const ways: [string, typeof finish][] = [
    ['login', finish],
    ['another login', send('login/finish', other)],
    ['reset', send('password-reset/confirm', { code, newPassword })],
    ['step-up', (passkey) => app.as(jwt, 'POST', passkey ? 'me/step-up' : 'me/step-up/begin', { passkey })],
  ]
  const signed = async (begin: typeof finish) => {
    const begun = (await begin()).json()
    return authenticator.get(begun.options ?? begun.secondFactor.options)
  }
  for (const [asked, begin] of ways)
    for (const [way, end] of ways.filter(([name]) => name !== asked)) {
      const refused = outcome(await end(await signed(begin)))
      expect([asked, way, ...refused]).toEqual([asked, way, 401, 'second_factor_invalid'])
    }
  expect((await finish(await signed(finish))).statusCode).toBe(200)
})

it('lets nobody with a stolen session add, remove or prove a passkey', async ({ passkeys, app }) => {
  const { factor, credentials } = await passkeys.owner()
  const { jwt } = (await app.login(credentials)).json().token
  const begun = await app.as(jwt, 'POST', 'me/factors/passkey', {})
  expect(outcome(begun)).toEqual([401, 'step_up_required'])
  const withPassword = await app.as(jwt, 'POST', 'me/factors/passkey', { password })
  expect(outcome(withPassword)).toEqual([401, 'step_up_required'])
  expect(outcome(await app.as(jwt, 'POST', `me/factors/${factor.id}/removal`, {}))).toEqual([
    401,
    'step_up_required',
  ])
  const { options } = (await app.as(jwt, 'POST', 'me/step-up/begin')).json()
  const own = createAuthenticator()
  own.create({ rp: { id: options.rpId }, user: { id: 'AA' }, challenge: 'AA' } as never)
  const passkey = own.get({ ...options, allowCredentials: [] })
  expect(outcome(await app.as(jwt, 'POST', 'me/step-up', { passkey }))).toEqual([
    401,
    'second_factor_invalid',
  ])
})

it('adds a passkey once, and not with the enrolment of another user or before a revocation', async ({
  passkeys,
  app,
}) => {
  const given = validUser()
  const [one, other] = [await app.verifiedUser(given), await app.verifiedUser(validUser())]
  const authenticator = createAuthenticator()
  const { options } = (await app.as(one.token.jwt, 'POST', 'me/factors/passkey', { password })).json()
  const passkey = authenticator.create(options)
  const confirm = (jwt?: string) =>
    jwt
      ? app.as(jwt, 'POST', 'me/factors/passkey/confirm', { passkey })
      : passkeys.post('me/factors/passkey/confirm', { passkey })
  expect(outcome(await confirm(other.token.jwt))).toEqual([400, 'challenge_invalid'])
  expect(outcome(await confirm())).toEqual([401, 'token_missing'])
  const twice = await Promise.all([confirm(one.token.jwt), confirm(one.token.jwt)])
  expect(twice.map(({ statusCode }) => statusCode).sort()).toEqual([201, 400])
  const late = createAuthenticator().create(options)
  await app.as(one.token.jwt, 'DELETE', 'me/sessions')
  const { token } = (await app.login({ email: given.email, password })).json()
  const added = await app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey: late })
  expect(outcome(added)).toEqual([400, 'challenge_invalid'])
})

it('knows no passkey of an account that was deleted and made again', async ({ passkeys, app }) => {
  const { authenticator, credentials, token, confirmation } = await passkeys.owner()
  const body = { password, confirmation: confirmation.value }
  expect((await app.as(token.jwt, 'POST', 'me/deletion', body)).statusCode).toBe(204)
  expect(outcome(await passkeys.login(authenticator))).toEqual([401, 'passkey_unknown'])
  const again = await app.verifiedUser(validUser({ email: credentials.email }))
  expect(outcome(await passkeys.login(authenticator))).toEqual([401, 'passkey_unknown'])
  expect((await passkeys.add(again.token.jwt, createAuthenticator())).statusCode).toBe(201)
})

it('unlocks an authenticator app whose codes were tried too often', async ({
  passkeys,
  app,
  usher,
  clock,
}) => {
  const { authenticator, credentials, token, confirmation } = await passkeys.owner()
  const { challenge, secret } = (
    await app.as(token.jwt, 'POST', 'me/factors/totp', { password, confirmation: confirmation.value })
  ).json()
  const added = await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', {
    challenge,
    totp: totpAt(secret, clock.now),
  })
  expect(added.statusCode).toBe(201)
  const { id: userId } = added.json()
  const locked = { databaseId: app.id, userId, isKnown: true, fullAt: new Date(clock.now), failures: 100 }
  await usher.store.prisma.factorGuess.createMany({ data: [locked, { ...locked, isKnown: false }] })
  const step = async () => (await app.login(credentials)).json().secondFactor
  const byCode = async () => {
    clock.now += 30_000
    return passkeys.post('login/second-factor', {
      challenge: (await step()).challenge,
      totp: totpAt(secret, clock.now),
    })
  }
  expect(outcome(await byCode())).toEqual([429, 'too_many_attempts'])
  const first = await step()
  const passkey = authenticator.get(first.options)
  expect(
    (await passkeys.post('login/second-factor', { challenge: first.challenge, passkey })).statusCode,
  ).toBe(200)
  expect((await byCode()).statusCode).toBe(200)
})
