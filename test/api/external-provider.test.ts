import type { ServerResponse } from 'node:http'
import { expect, vi } from 'vitest'
import { elsewhere, outcome } from '../support/codes.js'
import { clientId, it } from '../support/external.js'
import { ada, type Lies } from '../support/lying-provider.js'

/** Returns what a provider does that responds to one path in its own way. */
const at = (path: string, answer: (response: ServerResponse) => unknown): Lies => ({
  answer: (requested, response) => {
    if (requested === path) answer(response)
    return requested === path
  },
})
const json = { 'content-type': 'application/json' }
const seconds = () => Math.floor(Date.now() / 1000)

it.for<[string, () => Lies]>([
  ['is signed with a key that it does not publish', () => ({ signature: 'other key' })],
  ['is not signed', () => ({ signature: 'none' })],
  ['is signed with its public key as a secret', () => ({ signature: 'hmac' })],
  ['has another issuer', () => ({ claims: { iss: 'https://other.example.com' } })],
  ['has no issuer', () => ({ claims: { iss: null } })],
  ['is for another client', () => ({ claims: { aud: 'another-client' } })],
  ['is for no client', () => ({ claims: { aud: null } })],
  ['is for two clients, and requested by the other', () => ({ claims: { aud: [clientId, 'b'], azp: 'b' } })],
  [
    'is for two clients, and says not by which it was requested',
    () => ({ claims: { aud: [clientId, 'b'] } }),
  ],
  ['has another nonce', () => ({ claims: { nonce: 'another' } })],
  ['has no nonce', () => ({ claims: { nonce: null } })],
  ['has expired more than a minute ago', () => ({ claims: { exp: seconds() - 62 } })],
  ['never expires', () => ({ claims: { exp: null } })],
  ['is valid in more than a minute', () => ({ claims: { nbf: seconds() + 65 } })],
  ['does not say when it was issued', () => ({ claims: { iat: null } })],
  ['names no account', () => ({ claims: { sub: null } })],
  ['names an account by an empty text', () => ({ claims: { sub: '' } })],
  ['names an account by an object', () => ({ claims: { sub: { id: 1 } } })],
  ['names an account by 256 characters', () => ({ claims: { sub: 'a'.repeat(256) } })],
  ['names an account with NUL', () => ({ claims: { sub: 'a\0b' } })],
])('returns provider_invalid if the ID token %s', async ([, lies], { external, provider }) => {
  provider.lies = lies()
  expect(await external.claims(provider)).toEqual({ error: 'provider_invalid' })
})

it.for<[string, () => Lies]>([
  ['has expired less than a minute ago', () => ({ claims: { exp: seconds() - 55 } })],
  ['is valid in less than a minute', () => ({ claims: { nbf: seconds() + 55 } })],
  ['comes from a clock that is a minute ahead', () => ({ clockAhead: 60 })],
  [
    'is for two clients, and requested by this one',
    () => ({ claims: { aud: ['b', clientId], azp: clientId } }),
  ],
])('accepts an ID token that %s', async ([, lies], { external, provider }) => {
  provider.lies = lies()
  expect(await external.claims(provider)).toMatchObject({ subject: 'ada' })
})

it.for([
  [false, null],
  ['false', null],
  ['', null],
  [0, null],
  [null, null],
  [{}, null],
  [true, 'verified'],
  ['true', 'verified'],
] as const)(
  'takes email_verified %j for the proof %j',
  async ([flag, emailProof], { external, provider }) => {
    const claims = await external.claims(provider, { ...ada, email_verified: flag })
    expect(claims).toMatchObject({ email: 'ada@example.com', emailProof })
  },
)

it.for([
  ['', null],
  ['no address', null],
  [42, null],
  [['ada@example.com'], null],
  ['ada@exa\u0000mple.com', null],
  ['Ada@Example.com', 'Ada@Example.com'],
] as const)('reads the address %j as %j', async ([sent, email], { external, provider }) => {
  expect(await external.claims(provider, { ...ada, email: sent })).toMatchObject({
    email,
    emailProof: email && 'verified',
  })
})

it('reads only a name and a language that a user may have', async ({ external, provider }) => {
  const read = (person: object) => external.claims(provider, { ...ada, ...person })
  expect(await read({ name: ' Ada ', locale: 'zh_Hant_TW' })).toMatchObject({
    preferredName: 'Ada',
    locale: 'zh-Hant-TW',
  })
  const wrong = [
    { name: 'A\0', locale: 'no language' },
    { name: 'x'.repeat(256), locale: 7 },
    { name: ['A'] },
  ]
  for (const person of wrong) expect(await read(person)).toMatchObject({ preferredName: null, locale: null })
})

it('reads address and flag from the UserInfo endpoint if the ID token has no address', async ({
  external,
  provider,
}) => {
  const verified = { sub: 'ada', email_verified: true, inUserInfo: { email: 'ada@example.com' } }
  // The flag of the ID token says nothing about an address from elsewhere.
  expect(await external.claims(provider, verified)).toMatchObject({
    email: 'ada@example.com',
    emailProof: null,
  })
  const person = { sub: 'ada', inUserInfo: { email: 'ada@example.com', email_verified: true, name: 'Ada' } }
  expect(await external.claims(provider, person)).toMatchObject({
    emailProof: 'verified',
    preferredName: 'Ada',
  })
  provider.lies = at('/userinfo', (response) => response.writeHead(200, json).end('{"sub":"eve"}'))
  expect(await external.claims(provider, person)).toEqual({ error: 'provider_invalid' })
})

const redirect = (response: ServerResponse) =>
  response.writeHead(302, { location: 'https://example.com' }).end()

it.for<[string, (response: ServerResponse) => unknown, string]>([
  ['with status 500', (response) => response.writeHead(500, json).end('{}'), 'provider_unavailable'],
  ['with status 429', (response) => response.writeHead(429, json).end('{}'), 'provider_unavailable'],
  ['by closing the connection', (response) => response.destroy(), 'provider_unavailable'],
  [
    'by closing it in the body',
    (response) => response.writeHead(200, json).write('{', () => response.destroy()),
    'provider_unavailable',
  ],
  ['with a redirect', redirect, 'provider_invalid'],
  [
    'with a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
    'provider_invalid',
  ],
  ['with invalid JSON', (response) => response.writeHead(200, json).end('{'), 'provider_invalid'],
  ['with null', (response) => response.writeHead(200, json).end('null'), 'provider_invalid'],
  ['with a list', (response) => response.writeHead(200, json).end('[]'), 'provider_invalid'],
  ['without tokens', (response) => response.writeHead(200, json).end('{}'), 'provider_invalid'],
  [
    'with a token of another type',
    (response) => response.writeHead(200, json).end('{"access_token":"a","token_type":"mac"}'),
    'provider_invalid',
  ],
  [
    'with invalid_client',
    (response) => response.writeHead(401, json).end('{"error":"invalid_client"}'),
    'provider_invalid',
  ],
  [
    'with invalid_grant',
    (response) => response.writeHead(400, json).end('{"error":"invalid_grant"}'),
    'code_invalid',
  ],
])(
  'returns an error if the provider responds to a code %s',
  async ([, answer, error], { external, provider }) => {
    provider.lies = at('/token', answer)
    expect(await external.claims(provider)).toEqual({ error })
  },
)

it('counts a code that the provider rejects with status 429 as a failure of the network', async ({
  external,
  provider,
  usher,
  app,
}) => {
  await usher.store.prisma.database.update({ where: { id: app.id }, data: { networkFailuresPerHour: 2 } })
  usher.clock.cacheAhead += 6_000
  const from = elsewhere()
  provider.lies = at('/token', (response) => response.writeHead(429, json).end('{}'))
  const errors = []
  for (let time = 0; time < 3; time++) {
    const { url } = await external.started()
    errors.push((await external.callback(provider.authorize(url), from)).result.error)
  }
  expect(errors).toEqual(['provider_unavailable', 'provider_unavailable', 'too_many_attempts'])
  // An outage of the provider is not the fault of the network.
  const office = elsewhere()
  provider.lies = at('/token', (response) => response.writeHead(503, json).end('{}'))
  for (let time = 0; time < 3; time++) {
    const { url } = await external.started()
    const { result } = await external.callback(provider.authorize(url), office)
    expect(result.error).toBe('provider_unavailable')
  }
})

it.for<[string, (response: ServerResponse) => unknown, RegExp]>([
  [
    'is a redirect',
    (response) => response.writeHead(307, { ...json, location: '/' }).end('{}'),
    /with a redirect/,
  ],
  [
    'is a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
    /and no JSON/,
  ],
])('logs that a response %s', async ([, answer, reason], { external, provider, usher }) => {
  usher.forgetLog()
  provider.lies = at('/token', answer)
  await external.claims(provider)
  expect(usher.logged()).toMatch(reason)
})

it('returns provider_unavailable if the provider does not respond to a code within five seconds', async ({
  external,
  provider,
}) => {
  const { url, login } = await external.started()
  let receive = () => {}
  const received = new Promise<void>((resolve) => {
    receive = resolve
  })
  provider.lies = at('/token', () => receive())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const callback = external.callback(provider.authorize(url))
    await received
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await callback).result).toEqual({ error: 'provider_unavailable', login })
  } finally {
    vi.useRealTimers()
  }
})

it('reads no more than 256 KiB of a response of a gigabyte', async ({ external, provider }) => {
  let sent = 0
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  provider.lies = at('/token', (response) => {
    response.writeHead(200, json)
    response.once('close', close)
    const chunk = Buffer.alloc(64 * 1024, ' ')
    const send = () => {
      if (response.destroyed || sent >= 2 ** 30) return
      sent += chunk.length
      response.write(chunk, send)
    }
    send()
  })
  expect(await external.claims(provider)).toEqual({ error: 'provider_invalid' })
  await closed
  expect(sent).toBeLessThan(16 * 2 ** 20)
})

it.for<[string, object]>([
  ['another issuer', { issuer: 'https://other.example.com' }],
  ['no token endpoint', { token_endpoint: undefined }],
  ['a script as its authorization endpoint', { authorization_endpoint: 'javascript:alert(document.domain)' }],
  ['data as its authorization endpoint', { authorization_endpoint: 'data:text/html,x' }],
  ['an authorization endpoint without TLS', { authorization_endpoint: 'http://example.com/authorize' }],
  ['a token endpoint inside of the network', { token_endpoint: 'http://169.254.169.254/token' }],
  ['a UserInfo endpoint on another port', { userinfo_endpoint: 'https://example.com:8443/userinfo' }],
  ['keys in a file', { jwks_uri: 'file:///etc/passwd' }],
])('returns 503 if the discovery document has %s', async ([, discovery], { external, provider }) => {
  provider.lies = { discovery }
  const response = await external.start()
  expect(outcome(response)).toEqual([503, 'provider_unavailable'])
  expect(response.headers['retry-after']).toBe('10')
})

it.for([
  'https://127.0.0.1',
  'https://2130706433',
  'https://0x7f.1',
  'https://10.1.2.3',
  'https://192.168.0.1',
  'https://172.16.0.1',
  'https://100.64.0.1',
  'https://169.254.169.254',
  'https://0.0.0.0',
  'https://[::1]',
  'https://[::ffff:10.0.0.1]',
  'https://[64:ff9b::a00:1]',
  'https://[2002:a00:1::]',
  'https://[fd00::1]',
  'https://[fe80::1]',
  'https://localhost',
  'http://example.com',
  'https://example.com:8443',
  'https://user:secret@example.com',
  'file:///etc/passwd',
  'no URL',
])('sends no request to the issuer %s', async (issuer, { external, usher }) => {
  usher.forgetLog()
  await external.add({ issuer })
  expect(outcome(await external.start())).toEqual([503, 'provider_unavailable'])
  expect(usher.logged()).toMatch(
    /is not a public address.*PRIVATE_ISSUERS|must be an https URL on port 443.*PRIVATE_ISSUERS|is not a URL/,
  )
})

it('does not log in at a port of a private issuer that is not in PRIVATE_ISSUERS', async ({
  external,
  provider,
}) => {
  const { port } = new URL(provider.origin)
  await external.add({ issuer: `http://localhost:${port}` })
  expect(outcome(await external.start())).toEqual([503, 'provider_unavailable'])
  expect(provider.requests).toEqual([])
})

it('returns 503 if nothing listens at the provider, and asks it again after ten seconds', async ({
  external,
  provider,
  usher,
}) => {
  provider.lies = at('/.well-known/openid-configuration', (response) => response.destroy())
  const statuses = await Promise.all([external.start(), external.start()])
  expect(statuses.map(outcome)).toEqual([
    [503, 'provider_unavailable'],
    [503, 'provider_unavailable'],
  ])
  await external.start()
  expect(provider.requests).toHaveLength(1)
  provider.lies = {}
  usher.clock.cacheAhead += 10_100
  expect((await external.start()).statusCode).toBe(200)
  await external.start()
  expect(provider.requests).toHaveLength(2)
})

it('accepts a new key of the provider, and reads the keys at most once in five seconds', async ({
  external,
  provider,
}) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const reads = () => provider.requests.filter((path) => path === '/jwks').length
    await external.claims(provider)
    vi.setSystemTime(Date.now() + 5_100)
    await provider.rotateKey()
    expect(await external.claims(provider)).toMatchObject({ subject: 'ada' })
    expect(reads()).toBe(2)
    await provider.rotateKey()
    for (let time = 0; time < 3; time++)
      expect(await external.claims(provider)).toEqual({ error: 'provider_invalid' })
    expect(reads()).toBe(2)
    vi.setSystemTime(Date.now() + 5_100)
    expect(await external.claims(provider)).toMatchObject({ subject: 'ada' })
    expect(reads()).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})

it('returns provider_unavailable if the keys of the provider cannot be read', async ({
  external,
  provider,
}) => {
  provider.lies = at('/jwks', (response) => response.writeHead(503, json).end('{}'))
  expect(await external.claims(provider)).toEqual({ error: 'provider_unavailable' })
})
