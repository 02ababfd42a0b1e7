import { createPublicKey } from 'node:crypto'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect } from 'vitest'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import { isInstalled, loadJsonWebToken } from '../clients/installed.js'
import { it } from '../support/api.js'
import { start, startApp, type TestApi } from '../support/app.js'
import { retireKey, rotateKeys, signingKeysOf } from '../support/operator-changes.js'

const get = (app: Pick<TestApi, 'send'>, url: string) => app.send({ method: 'GET', url })
const baseOf = ({ users }: { users: string }) => users.replace('/users', '')
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid

/** Creates a database whose key has an algorithm. */
async function newSigningDatabase(usher: TestApi, signingAlgorithm: SigningAlgorithm) {
  const database = await usher.newDatabase()
  await usher.store.prisma.database.updateMany({ where: { id: database.id }, data: { signingAlgorithm } })
  await rotateKeys({ store: usher.store, now: new Date(start) }, database, 0)
  return database
}

describe('discovery metadata', () => {
  it('returns the same metadata at the paths of OpenID Connect and RFC 8414', async ({ usher, database }) => {
    const base = baseOf(database)
    const openid = await get(usher, `${base}/.well-known/openid-configuration`)
    const oauth = await get(usher, `/.well-known/oauth-authorization-server${base}`)
    const appended = await get(usher, `${base}/.well-known/oauth-authorization-server`)
    expect(oauth.json()).toEqual(openid.json())
    expect(appended.json()).toEqual(openid.json())
    expect(openid.json()).toEqual({
      issuer: `http://localhost:3000${base}`,
      jwks_uri: `http://localhost:3000${base}/.well-known/jwks.json`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      acr_values_supported: ['aal1', 'aal2'],
    })
    expect(openid.headers['cache-control']).toBe('public, max-age=300')
  })

  // RFC 8414 §3.2 and OpenID Connect Discovery §4.2 forbid empty arrays.
  it('metadata has no members without values', async ({ usher, database }) => {
    const metadata = await get(usher, `${baseOf(database)}/.well-known/openid-configuration`)
    expect(Object.values(metadata.json()).filter((value) => !(value as string).length)).toEqual([])
  })

  it.for([
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
  ])('returns an uncacheable 404 for %s of an unknown database', async (path, { usher }) => {
    const response = await get(usher, `/workspaces/nowhere/databases/app${path}`)
    expect(response.statusCode).toBe(404)
    expect(response.json().code).toBe('database_not_found')
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('conditional requests', () => {
  const pathsOf = (base: string) => [
    `${base}/.well-known/jwks.json`,
    `${base}/.well-known/openid-configuration`,
    '/openapi.json',
    '/openapi-3.0.json',
    '/management/openapi.json',
    '/management/openapi-3.0.json',
  ]

  it('returns 304 without a body to a client that has the current body', async ({ usher, database }) => {
    for (const url of pathsOf(baseOf(database))) {
      const { headers, body } = await get(usher, url)
      const etag = String(headers.etag)
      for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const response = await usher.send({ method: 'GET', url, headers: { 'if-none-match': known } })
        expect(response.statusCode).toBe(304)
        expect(response.body).toBe('')
        expect(response.headers).toMatchObject({ etag, 'cache-control': headers['cache-control'] })
        expect(response.headers).not.toHaveProperty('content-type')
      }
      const other = await usher.send({ method: 'GET', url, headers: { 'if-none-match': '"other"' } })
      expect(other.statusCode).toBe(200)
      expect(other.body).toBe(body)
    }
  })

  it('returns another ETag after a rotation, and after the previous key has expired', async ({ usher }) => {
    const database = await usher.newDatabase()
    const url = `${baseOf(database)}/.well-known/jwks.json`
    const first = await get(usher, url)
    await rotateKeys({ store: usher.store, now: new Date(start) }, database, 0)
    const server = await startApp(usher.store)
    const rotated = await get(server, url)
    expect(rotated.json().keys).toHaveLength(2)
    server.clock.now = start + 2 * 86_400_000
    const expired = await server.send({
      method: 'GET',
      url,
      headers: { 'if-none-match': String(rotated.headers.etag) },
    })
    expect(expired.json().keys).toHaveLength(1)
    expect(new Set([first, rotated, expired].map(({ headers }) => headers.etag)).size).toBe(3)
    await server.close()
  })
})

describe('the key set', () => {
  it('returns only public key members, cacheable for 300 seconds', async ({ usher, database }) => {
    const response = await get(usher, `${baseOf(database)}/.well-known/jwks.json`)
    expect(response.headers['cache-control']).toBe('public, max-age=300')
    const [key] = response.json().keys
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it.for<SigningAlgorithm>(['ES256', 'RS256', 'EdDSA'])(
    'publishes keys with which jose verifies %s tokens',
    async (algorithm, { usher }) => {
      const database = await newSigningDatabase(usher, algorithm)
      const { id, token } = await database.signedUp()
      const issuer = `http://localhost:3000${baseOf(database)}`
      const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
        [customFetch]: async (url) => new Response((await get(usher, new URL(url).pathname)).body),
      })
      const verified = await jwtVerify(token.jwt, keys, {
        issuer,
        audience: `database:${database.id}`,
        typ: 'at+jwt',
        currentDate: new Date(start),
      })
      expect(verified.protectedHeader.alg).toBe(algorithm)
      expect(verified.payload.sub).toBe(id)
      expect((await database.me(token.jwt)).statusCode).toBe(200)
    },
  )

  it.skipIf(!isInstalled).for(['ES256', 'RS256'] as const)(
    'publishes keys with which jsonwebtoken verifies %s tokens',
    async (algorithm, { usher }) => {
      const database = await newSigningDatabase(usher, algorithm)
      const { id, token } = await database.signedUp()
      const { keys } = (await get(usher, `${baseOf(database)}/.well-known/jwks.json`)).json()
      const jwk = keys.find(({ kid }: { kid: string }) => kid === kidOf(token.jwt))
      const claims = loadJsonWebToken().verify(token.jwt, createPublicKey({ key: jwk, format: 'jwk' }), {
        algorithms: [algorithm],
        issuer: `http://localhost:3000${baseOf(database)}`,
        audience: `http://localhost:3000${baseOf(database)}`,
        clockTimestamp: start / 1000,
      })
      expect(claims.sub).toBe(id)
    },
  )
})

describe('key rotation', () => {
  const serverWithoutCachedKeys = (usher: TestApi) => startApp(usher.store)

  it('publishes the next key before it signs, and the previous one until its tokens have expired', async ({
    usher,
  }) => {
    const database = await usher.newDatabase()
    const old = await database.signedUp()
    const next = await rotateKeys({ store: usher.store, now: new Date(start) }, database, 600)
    const server = await serverWithoutCachedKeys(usher)
    const { workspaceSlug, databaseName } = database
    const { signedUp, me } = server.client(workspaceSlug, databaseName)
    const kids = async () =>
      (await get(server, `${baseOf(database)}/.well-known/jwks.json`))
        .json()
        .keys.map(({ kid }: { kid: string }) => kid)

    expect(await kids()).toEqual([next.kid, kidOf(old.token.jwt)])
    server.clock.now = start + 599_999
    const before = await signedUp()
    expect(kidOf(before.token.jwt)).toBe(kidOf(old.token.jwt))
    server.clock.now = start + 600_000
    expect(kidOf((await signedUp()).token.jwt)).toBe(next.kid)
    expect((await me(before.token.jwt)).statusCode).toBe(200)
    server.clock.now = start + 600_000 + 86_400_000 + 60_000
    expect(await kids()).toEqual([next.kid])
    await server.close()
  })

  it('rejects a rotation while the next key is pending', async ({ usher }) => {
    const database = await usher.newDatabase()
    await rotateKeys({ store: usher.store, now: new Date(start) }, database, 600)
    await expect(rotateKeys({ store: usher.store, now: new Date(start) }, database, 600)).rejects.toThrow(
      /is already pending/,
    )
  })

  it('deletes keys that have expired', async ({ usher }) => {
    const database = await usher.newDatabase()
    await rotateKeys({ store: usher.store, now: new Date(start) }, database, 0)
    await rotateKeys({ store: usher.store, now: new Date(start + 2 * 86_400_000) }, database, 0)
    expect(await signingKeysOf(usher.store, database)).toHaveLength(2)
  })
})

describe('key retirement', () => {
  it('rejects the tokens of a retired key immediately', async ({ usher }) => {
    const database = await usher.newDatabase()
    const { token } = await database.signedUp()
    await rotateKeys({ store: usher.store, now: new Date(start) }, database, 0)
    await retireKey({ store: usher.store, now: new Date(start) }, database, kidOf(token.jwt) ?? '')
    const server = await startApp(usher.store)
    const { me, signedUp } = server.client(database.workspaceSlug, database.databaseName)
    expect((await me(token.jwt)).json().code).toBe('token_invalid')
    expect((await me((await signedUp()).token.jwt)).statusCode).toBe(200)
    await server.close()
  })

  it('rejects the retirement of the only signing key and of an unknown key', async ({ usher }) => {
    const database = await usher.newDatabase()
    const [key] = await signingKeysOf(usher.store, database)
    await rotateKeys({ store: usher.store, now: new Date(start) }, database, 600)
    await expect(
      retireKey({ store: usher.store, now: new Date(start) }, database, key?.kid ?? ''),
    ).rejects.toThrow(/No other key/)
    await expect(
      retireKey({ store: usher.store, now: new Date(start) }, database, 'unknown'),
    ).rejects.toThrow(/Key unknown does not exist/)
  })
})
