import { createVerifier, type Fetch, type Verifier } from '@usher/verify'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { start } from '../support/app.js'

const baseUrl = 'https://users.example.com'
const issuer = `${baseUrl}/workspaces/demo/databases/app`
const ok = (body: unknown) => Response.json(body)

async function makeKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const token = await new SignJWT({ tenants: [], client_id: 'database:1' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject('ada')
    .setJti('1')
    .setIssuedAt(start / 1000)
    .setExpirationTime(start / 1000 + 10 * 86_400)
    .sign(privateKey)
  return { jwk, token }
}
const [first, second] = await Promise.all([makeKey('first'), makeKey('second')])

/** `it` with a verifier, the server's responses to it, and their common clock. */
const it = test.extend('server', () => {
  const server = {
    now: start,
    /** The next responses. The last one is repeated. */
    responses: [() => ok({ keys: [first.jwk] })] as (() => unknown)[],
    requests: 0,
    verify: (_token: string): Promise<string> => Promise.reject(),
    verifyToken: (_token: string): ReturnType<Verifier['verify']> => Promise.reject(),
  }
  const fetch: Fetch = async () => {
    server.requests += 1
    const [next] = server.responses.length > 1 ? server.responses.splice(0, 1) : server.responses
    return next?.() as ReturnType<Fetch>
  }
  const { verify } = createVerifier({
    baseUrl,
    workspace: 'demo',
    database: 'app',
    fetch,
    now: () => server.now,
  })
  server.verifyToken = verify
  server.verify = async (token) => (await verify(token)).error?.code ?? 'accepted'
  return server
})
const refused = () => {
  throw new TypeError('fetch failed')
}
/** Responds when it is called. */
function held(body: unknown) {
  let release = () => {}
  const promise = new Promise((resolve) => {
    release = () => resolve(ok(body))
  })
  return { response: () => promise, release: () => release() }
}

describe('the cached key set', () => {
  it('the key set is fetched once by concurrent requests', async ({ server }) => {
    const results = await Promise.all(Array.from({ length: 20 }, () => server.verify(first.token)))
    expect(new Set(results)).toEqual(new Set(['accepted']))
    expect(server.requests).toBe(1)
  })

  it('the key set is refreshed from an age of 150 s on, while requests use it', async ({ server }) => {
    await server.verify(first.token)
    server.now += 149_999
    await server.verify(first.token)
    expect(server.requests).toBe(1)
    server.now += 1
    const refresh = held({ keys: [first.jwk, second.jwk] })
    server.responses = [refresh.response]
    const results = await Promise.all([server.verify(first.token), server.verify(first.token)])
    expect(results).toEqual(['accepted', 'accepted'])
    expect(server.requests).toBe(2)
    refresh.release()
    expect(await server.verify(second.token)).toBe('accepted')
    expect(server.requests).toBe(2)
  })

  it('the key set is refreshed before it is used at an age of 300 s', async ({ server }) => {
    await server.verify(first.token)
    server.now += 300_000
    server.responses = [() => ok({ keys: [second.jwk] })]
    expect(await server.verify(first.token)).toBe('token_invalid')
    expect(await server.verify(second.token)).toBe('accepted')
  })

  it('the key set is refreshed after the clock was set back', async ({ server }) => {
    await server.verify(first.token)
    server.now -= 25_000
    await server.verify(first.token)
    expect(server.requests).toBe(1)
    server.now -= 86_400_000
    await server.verify(first.token)
    expect(server.requests).toBe(2)
  })

  it('the key set is used for a day while the server is unavailable, and no request waits for it', async ({
    server,
  }) => {
    await server.verify(first.token)
    server.responses = [refused]
    server.now += 300_000
    expect(await server.verify(first.token)).toBe('accepted')
    // The server accepts connections but does not respond.
    server.now += 5_000
    server.responses = [() => new Promise(() => undefined)]
    expect(await server.verify(first.token)).toBe('accepted')
    expect(server.requests).toBe(3)
  })

  it('the key set is used until it is a day old if the server is unavailable', async ({ server }) => {
    await server.verify(first.token)
    server.responses = [refused]
    server.now = start + 86_400_000 - 1
    expect(await server.verify(first.token)).toBe('accepted')
  })

  it('the key set is refreshed before it is used again if the last refresh has failed 300 s ago', async ({
    server,
  }) => {
    await server.verify(first.token)
    server.responses = [refused, () => ok({ keys: [second.jwk] })]
    server.now += 300_000
    expect(await server.verify(first.token)).toBe('accepted')
    server.now += 300_000
    expect(await server.verify(first.token)).toBe('token_invalid')
  })

  it('the key set is not used after a day without the server', async ({ server }) => {
    await server.verify(first.token)
    server.responses = [refused]
    server.now += 86_400_000
    expect(await server.verify(first.token)).toBe('unavailable')
    server.responses = [() => ok({ keys: [first.jwk] })]
    server.now += 5_000
    expect(await server.verify(first.token)).toBe('accepted')
  })

  it('the key set is dropped when the database was deleted', async ({ server }) => {
    await server.verify(first.token)
    server.now += 300_000
    server.responses = [() => Response.json({ code: 'database_not_found' }, { status: 404 })]
    expect(await server.verify(first.token)).toBe('database_not_found')
  })
})

describe('an unknown kid', () => {
  it('an unknown kid fetches the key set at most once in 5 s', async ({ server }) => {
    await server.verify(first.token)
    for (let count = 0; count < 10; count++) expect(await server.verify(second.token)).toBe('token_invalid')
    expect(server.requests).toBe(1)
    server.now += 5_000
    server.responses = [() => ok({ keys: [first.jwk, second.jwk] })]
    expect(await server.verify(second.token)).toBe('accepted')
    expect(server.requests).toBe(2)
  })

  it('an unknown kid is unavailable, not invalid, if the key set cannot be read', async ({ server }) => {
    await server.verify(first.token)
    server.responses = [refused]
    server.now += 5_000
    expect(await server.verify(second.token)).toBe('unavailable')
    expect(await server.verify(second.token)).toBe('unavailable')
    expect(await server.verify(first.token)).toBe('accepted')
    expect(server.requests).toBe(2)
  })
})

describe('a response that is no key set', () => {
  it.for<[string, () => unknown]>([
    ['an error page', () => new Response('<', { status: 502 })],
    ['a redirect', () => Response.json({ keys: [first.jwk] }, { status: 302 })],
    ['a page with status 200', () => new Response('<')],
    ['null', () => ok(null)],
    ['a list', () => ok([first.jwk])],
    ['no keys', () => ok({ keys: [] })],
    ['keys that are no list', () => ok({ keys: 7 })],
    ['a key that is null', () => ok({ keys: [null] })],
    ['a damaged key', () => ok({ keys: [{ ...first.jwk, x: 'AAAA' }] })],
    ['a shared secret', () => ok({ keys: [{ kty: 'oct', k: 'AAAA', alg: 'HS256', kid: 'first' }] })],
    ['no body', () => new Response(null)],
    ['more than 64 KiB', () => new Response(`${' '.repeat(65_536)}${JSON.stringify({ keys: [first.jwk] })}`)],
    ['more than 100 keys', () => ok({ keys: Array(101).fill(first.jwk) })],
    ['a 404 of another server', () => Response.json({ error: 'not found' }, { status: 404 })],
  ])('is unavailable, and keeps the earlier keys: %s', async ([, response], { server }) => {
    server.responses = [response]
    expect(await server.verify(first.token)).toBe('unavailable')
    server.now += 5_000
    server.responses = [() => ok({ keys: [first.jwk] })]
    expect(await server.verify(first.token)).toBe('accepted')
    server.now += 300_000
    server.responses = [response]
    expect(await server.verify(first.token)).toBe('accepted')
  })

  it.for([200, 404])('is read up to 64 KiB if it is endless, with status %d', async (status, { server }) => {
    let sent = 0
    let isCancelled = false
    const endless = new ReadableStream({
      pull(controller) {
        if (sent > 10_000_000) controller.error(new Error('too much was read'))
        else controller.enqueue(new Uint8Array(1_000).fill(0x20))
        sent += 1_000
      },
      cancel() {
        isCancelled = true
      },
    })
    server.responses = [() => new Response(endless, { status })]
    const { error } = await server.verifyToken(first.token)
    expect(error?.code).toBe('unavailable')
    if (status === 200) {
      expect(error?.cause).toMatchObject({
        message: `${issuer}/.well-known/jwks.json has more than 65536 bytes`,
      })
    }
    expect([sent, isCancelled]).toEqual([expect.toSatisfy((bytes) => bytes < 70_000), true])
  })

  it('a key set without a response is unavailable after the timeout', async () => {
    const fetch: Fetch = (_url, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const { verify } = createVerifier({ baseUrl, workspace: 'demo', database: 'app', fetch, timeoutMs: 10 })
    expect((await verify(first.token)).error).toMatchObject({
      code: 'unavailable',
      cause: { name: 'TimeoutError' },
    })
  })
})

it('finds keys next to keys of algorithms that it does not know', async ({ server }) => {
  server.responses = [
    () => ok({ keys: [{ kty: 'AKP', alg: 'ML-DSA-44', kid: 'new', pub: 'AA' }, first.jwk] }),
  ]
  expect(await server.verify(first.token)).toBe('accepted')
})
