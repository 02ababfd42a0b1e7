import { createPublicKey } from 'node:crypto'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect } from 'vitest'
import { listKeys, retireKey, rotateKeys } from '../../server/domain/admin/key-rotation.js'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import { it } from '../support/api.js'
import { start, startApp, type TestApi } from '../support/app.js'

const get = (app: Pick<TestApi, 'send'>, url: string) => app.send({ method: 'GET', url })
const baseOf = ({ users }: { users: string }) => users.replace('/users', '')
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid

describe('metadata', () => {
  it('is where OpenID Connect and RFC 8414 look for it, and names the issuer of tokens', async ({
    usher,
    database,
  }) => {
    const base = baseOf(database)
    const openid = await get(usher, `${base}/.well-known/openid-configuration`)
    const oauth = await get(usher, `/.well-known/oauth-authorization-server${base}`)
    expect(oauth.json()).toEqual(openid.json())
    expect(openid.json()).toEqual({
      issuer: `http://localhost:3000${base}`,
      jwks_uri: `http://localhost:3000${base}/.well-known/jwks.json`,
      response_types_supported: [],
      grant_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    })
    expect(openid.headers['cache-control']).toBe('public, max-age=300')
  })

  it.for(['/.well-known/jwks.json', '/.well-known/openid-configuration'])(
    'of an unknown database is a 404 that is not cached: %s',
    async (path, { usher }) => {
      const response = await get(usher, `/workspaces/nowhere/databases/app${path}`)
      expect(response.statusCode).toBe(404)
      expect(response.json().code).toBe('database_not_found')
      expect(response.headers['cache-control']).toBe('no-store')
    },
  )
})

describe('the key set', () => {
  it('holds public members only and may be cached for 300 seconds', async ({ usher, database }) => {
    const response = await get(usher, `${baseOf(database)}/.well-known/jwks.json`)
    expect(response.headers['cache-control']).toBe('public, max-age=300')
    const [key] = response.json().keys
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it.for<SigningAlgorithm>(['ES256', 'RS256', 'EdDSA'])(
    'lets jose verify a token of %s',
    async (algorithm, { usher }) => {
      const database = await usher.newDatabase()
      await usher.store.prisma.database.update({
        where: { id: database.id },
        data: { signingAlgorithm: algorithm },
      })
      await rotateKeys(usher.store, database, 0, new Date(start))
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

  it.for(['ES256', 'RS256'] as const)(
    'lets jsonwebtoken verify a token of %s',
    async (algorithm, { usher }) => {
      const database = await usher.newDatabase()
      await usher.store.prisma.database.update({
        where: { id: database.id },
        data: { signingAlgorithm: algorithm },
      })
      await rotateKeys(usher.store, database, 0, new Date(start))
      const { id, token } = await database.signedUp()
      const { keys } = (await get(usher, `${baseOf(database)}/.well-known/jwks.json`)).json()
      const jwk = keys.find(({ kid }: { kid: string }) => kid === kidOf(token.jwt))
      const claims = jsonwebtoken.verify(token.jwt, createPublicKey({ key: jwk, format: 'jwk' }), {
        algorithms: [algorithm],
        issuer: `http://localhost:3000${baseOf(database)}`,
        audience: `http://localhost:3000${baseOf(database)}`,
        clockTimestamp: start / 1000,
      })
      expect(claims.sub).toBe(id)
    },
  )
})

describe('rotation', () => {
  /** A server that has not read the database's keys yet. */
  const freshServer = (usher: TestApi) => startApp(usher.store)

  it('publishes the next key before it signs, and accepts the last one until its tokens are dead', async ({
    usher,
  }) => {
    const database = await usher.newDatabase()
    const old = await database.signedUp()
    const next = await rotateKeys(usher.store, database, 600, new Date(start))
    const server = await freshServer(usher)
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

  it('refuses a second key while the next one waits', async ({ usher }) => {
    const database = await usher.newDatabase()
    await rotateKeys(usher.store, database, 600, new Date(start))
    await expect(rotateKeys(usher.store, database, 600, new Date(start))).rejects.toThrow(
      /is pending already/,
    )
  })

  it('deletes keys that are past', async ({ usher }) => {
    const database = await usher.newDatabase()
    await rotateKeys(usher.store, database, 0, new Date(start))
    await rotateKeys(usher.store, database, 0, new Date(start + 2 * 86_400_000))
    expect(await listKeys(usher.store, database)).toHaveLength(2)
  })
})

describe('retirement', () => {
  it('refuses the tokens of a key at once', async ({ usher }) => {
    const database = await usher.newDatabase()
    const { token } = await database.signedUp()
    await rotateKeys(usher.store, database, 0, new Date(start))
    await retireKey(usher.store, database, kidOf(token.jwt) ?? '', new Date(start))
    const server = await startApp(usher.store)
    const { me, signedUp } = server.client(database.workspaceSlug, database.databaseName)
    expect((await me(token.jwt)).json().code).toBe('token_invalid')
    expect((await me((await signedUp()).token.jwt)).statusCode).toBe(200)
    await server.close()
  })

  it('keeps the only key that signs', async ({ usher }) => {
    const database = await usher.newDatabase()
    const [key] = await listKeys(usher.store, database)
    await rotateKeys(usher.store, database, 600, new Date(start))
    await expect(retireKey(usher.store, database, key?.kid ?? '', new Date(start))).rejects.toThrow(
      /no other key/,
    )
    await expect(retireKey(usher.store, database, 'unknown', new Date(start))).rejects.toThrow(
      /key unknown does not exist/,
    )
  })
})
