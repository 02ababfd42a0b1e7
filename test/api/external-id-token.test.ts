import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { elsewhere, outcome } from '../support/codes.js'
import { clientId, it } from '../support/external.js'
import { ada, type Lies } from '../support/lying-provider.js'

const invalid = [400, 'code_invalid']
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

it.for<[string, () => Lies]>([
  ['is signed with a key that the provider does not publish', () => ({ signature: 'other key' })],
  ['is not signed', () => ({ signature: 'none' })],
  ['is signed with the public key as a secret', () => ({ signature: 'hmac' })],
  ['has another issuer', () => ({ claims: { iss: 'https://other.example.com' } })],
  ['is for another client', () => ({ claims: { aud: 'another-client' } })],
  ['has another nonce', () => ({ claims: { nonce: 'another' } })],
  ['has no nonce', () => ({ claims: { nonce: null } })],
  ['has expired', () => ({ claims: { exp: 1 } })],
  ['names no account', () => ({ claims: { sub: null } })],
])('returns code_invalid and stores nothing if the ID token %s', async ([, lies], { external, provider }) => {
  const { state, nonce, verifier } = await external.started()
  provider.lies = lies()
  const idToken = await provider.idToken(clientId, nonce)
  expect(outcome(await external.post('id-token', { state, idToken, verifier }))).toEqual(invalid)
  expect(await external.attempts()).toEqual([])
})

it('returns code_invalid for a text that is no ID token, and an ID token for a provider without them', async ({
  external,
  provider,
}) => {
  const { state, verifier } = await external.started()
  for (const idToken of ['none', 'a.b.c', '....', `${'a'.repeat(8_000)}.b.c`])
    expect(outcome(await external.post('id-token', { state, idToken, verifier }))).toEqual(invalid)
  await external.add({ name: 'github', preset: 'github', issuer: provider.issuer })
  const github = await external.started('github')
  const idToken = await provider.idToken(clientId, github.nonce)
  const body = { state: github.state, verifier: github.verifier, idToken }
  expect(outcome(await external.post('id-token', body))).toEqual(invalid)
})

it('returns code_invalid for the verifier of another client, and stores nothing', async ({
  external,
  provider,
}) => {
  const { state, nonce } = await external.started()
  const { verifier } = await external.started()
  const idToken = await provider.idToken(clientId, nonce)
  expect(outcome(await external.post('id-token', { state, idToken, verifier }))).toEqual(invalid)
  expect(await external.attempts()).toEqual([])
})

it('returns code_invalid for an expired login, and 404 for a connection that was disabled', async ({
  external,
  provider,
  clock,
}) => {
  const { state, nonce, verifier } = await external.started()
  const body = { state, verifier, idToken: await provider.idToken(clientId, nonce) }
  clock.now += 600_000
  expect(outcome(await external.post('id-token', body))).toEqual(invalid)
  clock.now -= 600_000
  expect(await external.attempts()).toEqual([])
  await external.add({ issuer: provider.issuer, isEnabled: false })
  expect(outcome(await external.post('id-token', body))).toEqual([404, 'connection_not_found'])
})

it('counts a forged state as a failure of the network', async ({ external, provider, usher, app }) => {
  await usher.store.prisma.database.update({ where: { id: app.id }, data: { networkFailuresPerHour: 2 } })
  usher.clock.cacheAhead += 6_000
  const { state, nonce, verifier } = await external.started()
  const body = { state: `${state}x`, verifier, idToken: await provider.idToken(clientId, nonce) }
  const from = elsewhere()
  const outcomes = []
  for (let time = 0; time < 3; time++) outcomes.push(outcome(await external.post('id-token', body, from)))
  expect(outcomes).toEqual([invalid, invalid, [429, 'too_many_attempts']])
})

it('counts a rejected ID token as a failure of the network', async ({ external, provider, usher, app }) => {
  await usher.store.prisma.database.update({ where: { id: app.id }, data: { networkFailuresPerHour: 2 } })
  usher.clock.cacheAhead += 6_000
  const { state, verifier } = await external.started()
  const body = { state, verifier, idToken: await provider.idToken(clientId, 'another') }
  const from = elsewhere()
  const outcomes = []
  for (let time = 0; time < 3; time++) outcomes.push(outcome(await external.post('id-token', body, from)))
  expect(outcomes).toEqual([invalid, invalid, [429, 'too_many_attempts']])
})

it('returns 503 if the keys of the provider cannot be read', async ({ external, provider }) => {
  const { state, nonce, verifier } = await external.started()
  const body = { state, verifier, idToken: await provider.idToken(clientId, nonce) }
  provider.lies = {
    answer: (path, response) => {
      if (path === '/jwks') response.writeHead(500).end()
      return path === '/jwks'
    },
  }
  expect(outcome(await external.post('id-token', body))).toEqual([503, 'provider_unavailable'])
})

it.for<[string, (nonce: string) => string, string]>([
  ['the nonce itself', (nonce) => nonce, clientId],
  ['the SHA-256 of the nonce', sha256, clientId],
  ['the client id of an app on a phone', sha256, 'com.example.app'],
])(
  'signs up and logs in with an ID token that has %s',
  async ([, nonceOf, audience], { external, provider, app }) => {
    await external.add({ issuer: provider.issuer, options: { audiences: ['com.example.app'] } })
    const logIn = async (more = {}) => {
      const { state, nonce, verifier, login } = await external.started()
      const idToken = await provider.idToken(audience, nonceOf(nonce))
      return { login, response: await external.post('id-token', { state, idToken, verifier, ...more }) }
    }
    const first = await logIn({ preferredName: 'Countess' })
    expect([first.response.statusCode, first.response.json()]).toMatchObject([200, { isNewUser: true }])
    const { token, id } = first.response.json()
    expect(decodeJwt(token.jwt).jti).toBe(first.login)
    expect((await app.me(token.jwt)).json()).toMatchObject({
      email: 'ada@example.com',
      emailVerified: true,
      preferredName: 'Countess',
    })
    const second = await logIn()
    expect([second.response.statusCode, second.response.json()]).toMatchObject([
      200,
      { id, isNewUser: false },
    ])
  },
)

it('uses a token once: the same request finds its login, and opens one session', async ({
  external,
  provider,
  app,
  usher,
}) => {
  const { state, nonce, verifier, login, url } = await external.started()
  const body = { state, verifier, idToken: await provider.idToken(clientId, nonce) }
  const asked = await external.post('id-token', { ...body, mayCreate: false })
  expect(outcome(asked)).toEqual([409, 'account_missing'])
  const [first, second] = await Promise.all([
    external.post('id-token', body),
    external.post('id-token', body),
  ])
  expect([first.statusCode, second.statusCode]).toEqual([200, 200])
  const tokens = [first, second].map((response) => response.json().token.jwt)
  const sessions = []
  for (const token of tokens) sessions.push((await app.openSession(token)).statusCode)
  expect(sessions).toEqual([201, 409])
  // What another token says for the same login changes nothing.
  const eve = await provider.idToken(clientId, nonce, { ...ada, sub: 'eve', email: 'eve@example.com' })
  expect((await external.post('id-token', { ...body, idToken: eve })).json().id).toBe(first.json().id)
  expect((await external.callback(provider.authorize(url))).result.error).toBe('code_invalid')
  const key = { databaseId_id: { databaseId: app.id, id: login } }
  await usher.store.prisma.loginAttempt.update({ where: key, data: { expiresAt: new Date(0) } })
  expect(outcome(await external.post('id-token', body))).toEqual(invalid)
})
