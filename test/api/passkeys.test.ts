import { expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { outcome } from '../support/codes.js'
import { it } from '../support/passkeys.js'
import { claimsOf } from '../support/second-factor.js'

it('adds a passkey, with which the user logs in with two factors in one step', async ({ passkeys, app }) => {
  const owner = await passkeys.owner()
  expect(owner.factor).toMatchObject({
    kind: 'passkey',
    name: 'Phone',
    passkey: { domain: 'app.example.com', isSynced: true },
  })
  expect(owner.recoveryCodes).toHaveLength(8)
  const response = await passkeys.login(owner.authenticator)
  expect(response.statusCode, response.body).toBe(200)
  expect(response.json()).toMatchObject({ id: owner.signedUp.id, confirmation: { maxAge: 600 } })
  expect(claimsOf(response.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pop', 'mfa'] })
  const session = (await app.openSession(response.json().token.jwt)).json()
  expect(claimsOf(session.token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pop', 'mfa'] })
})

it('leaves logins with a password as they are, and other sessions open', async ({ passkeys, app }) => {
  const { signedUp, credentials } = await passkeys.owner()
  expect((await app.login(credentials)).statusCode).toBe(200)
  expect((await app.me(signedUp.token.jwt)).statusCode).toBe(200)
})

it.for(['ES256', 'EdDSA', 'RS256'] as const)(
  'accepts a passkey that signs with %s',
  async (algorithm, { passkeys }) => {
    const { authenticator } = await passkeys.owner({ algorithm })
    expect((await passkeys.login(authenticator)).statusCode).toBe(200)
  },
)

it('accepts what browsers and their libraries send besides, and leave out', async ({ passkeys, app }) => {
  const { token } = await app.verifiedUser(validUser())
  const { options } = (await app.as(token.jwt, 'POST', 'me/factors/passkey', { password })).json()
  const authenticator = createAuthenticator()
  const created = authenticator.create(options)
  const more = { rawId: created.id, type: 'public-key', authenticatorAttachment: null }
  const registrations: object[] = [
    { ...created, response: { ...created.response, transports: null }, clientExtensionResults: null },
    { ...created, ...more, clientExtensionResults: { credProps: null, prf: { enabled: true } } },
    {
      ...created,
      ...more,
      response: { ...created.response, transports: ['future'], publicKey: null, publicKeyAlgorithm: -7 },
      clientExtensionResults: { credProps: { rk: null, authenticatorDisplayName: 'Key' } },
    },
  ]
  const responses = []
  for (const passkey of registrations)
    responses.push(await app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey }))
  // The first one ends the enrolment.
  expect(responses.map(outcome)).toEqual([[201, undefined], ...Array(2).fill([400, 'challenge_invalid'])])
  const { response, ...assertion } = authenticator.get(await passkeys.options())
  const empty = { ...response, userHandle: '' }
  const refused = await passkeys.post('login/passkey/confirm', { passkey: { ...assertion, response: empty } })
  expect(outcome(refused)).toEqual([401, 'passkey_invalid'])
  const passkey = { ...assertion, ...more, response, clientExtensionResults: {} }
  expect((await passkeys.post('login/passkey/confirm', { passkey })).statusCode).toBe(200)
})

it('accepts a security key that has no user handle as the second step', async ({ passkeys, app }) => {
  const { authenticator, credentials, token, confirmation } = await passkeys.owner({ verifiesUser: false })
  await app.as(token.jwt, 'PUT', 'me/second-factor', { on: true, confirmation: confirmation.value })
  for (const userHandle of ['', null]) {
    const { challenge, options } = (await app.login(credentials)).json().secondFactor
    const { response, ...assertion } = authenticator.get(options)
    const passkey = { ...assertion, response: { ...response, userHandle } }
    const second = await passkeys.post('login/second-factor', { challenge, passkey })
    expect(second.statusCode, second.body).toBe(200)
  }
})

it('is the second step of a password after the user has turned it on', async ({ passkeys, app }) => {
  const { authenticator, credentials, token, confirmation } = await passkeys.owner({ verifiesUser: false })
  const on = await app.as(token.jwt, 'PUT', 'me/second-factor', {
    on: true,
    confirmation: confirmation.value,
  })
  expect(on.statusCode, on.body).toBe(200)
  const first = (await app.login(credentials)).json()
  expect(first.code).toBe('second_factor_required')
  const { challenge, methods, options } = first.secondFactor
  expect([methods, options.userVerification, options.allowCredentials.length]).toEqual([
    ['passkey', 'recoveryCode'],
    'preferred',
    1,
  ])
  const passkey = authenticator.get(options)
  const second = await passkeys.post('login/second-factor', { challenge, passkey })
  expect(second.statusCode, second.body).toBe(200)
  expect(claimsOf(second.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'pop', 'mfa'] })
  const again = await passkeys.post('login/second-factor', { challenge, passkey })
  expect(outcome(again)).toEqual([401, 'second_factor_invalid'])
})

it('proves in a reset of the password that the user is there', async ({ passkeys, app }) => {
  const { authenticator, credentials, token, confirmation } = await passkeys.owner()
  await app.as(token.jwt, 'PUT', 'me/second-factor', { on: true, confirmation: confirmation.value })
  await app.markVerified(credentials.email)
  const code = await app.resetCode(credentials.email)
  const body = { code, newPassword: `new ${password}` }
  const first = (await passkeys.post('password-reset/confirm', body)).json()
  const passkey = authenticator.get(first.secondFactor.options)
  const reset = await passkeys.post('password-reset/confirm', { ...body, secondFactor: { passkey } })
  expect(reset.statusCode, reset.body).toBe(200)
})

it('confirms changes of the account, and steps a session up', async ({ passkeys, app }) => {
  const { authenticator, credentials } = await passkeys.owner()
  const { jwt } = (await app.login(credentials)).json().token
  const change = { password, newPassword: `new ${password}` }
  expect(outcome(await app.as(jwt, 'PUT', 'me/password', change))).toEqual([401, 'step_up_required'])
  const begun = (await app.as(jwt, 'POST', 'me/step-up/begin')).json()
  expect(begun.methods).toEqual(['passkey', 'recoveryCode'])
  const passkey = authenticator.get(begun.options)
  const stepped = await app.as(jwt, 'POST', 'me/step-up', { passkey })
  expect(claimsOf(stepped.json().token.jwt)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'pop', 'mfa'] })
  const confirmation = stepped.json().confirmation.value
  const changed = await app.as(jwt, 'PUT', 'me/password', { ...change, confirmation })
  expect(changed.statusCode, changed.body).toBe(200)
})

it('lists, renames and removes passkeys', async ({ passkeys, app }) => {
  const { authenticator, factor, token, confirmation } = await passkeys.owner()
  const second = await passkeys.add(token.jwt, createAuthenticator(), {
    body: { confirmation: confirmation.value },
  })
  expect(second.json()).toMatchObject({ recoveryCodes: null })
  const jwt = second.json().token.jwt
  expect((await app.as(jwt, 'PATCH', `me/factors/${factor.id}`, { name: 'Old phone' })).json().name).toBe(
    'Old phone',
  )
  const { factors } = (await app.as(jwt, 'GET', 'me/factors')).json()
  expect(factors.map(({ name }: { name: string }) => name)).toEqual(['Old phone', 'Phone'])
  const removed = await app.as(jwt, 'POST', `me/factors/${factor.id}/removal`, {
    confirmation: second.json().confirmation.value,
  })
  expect(removed.statusCode, removed.body).toBe(200)
  expect(outcome(await passkeys.login(authenticator))).toEqual([401, 'passkey_unknown'])
})
