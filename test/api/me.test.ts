import { createSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, vi } from 'vitest'
import { revokeUserTokens } from '../../server/store/queries/revocations.js'
import { it } from '../support/api.js'
import { start, startApp } from '../support/app.js'

const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('GET /users/me', () => {
  it('returns the user as stored, not as in the token', async ({ usher, database }) => {
    const user = await database.signedUp({ email: 'Me@Example.com', newTenant: 'Engines' })
    const where = { databaseId_id: { databaseId: database.id, id: user.id } }
    await usher.store.prisma.user.update({ where, data: { preferredName: 'Renamed' } })
    const response = await database.me(user.token.jwt)
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toMatchObject({
      id: user.id,
      email: 'Me@Example.com',
      preferredName: 'Renamed',
      emailVerified: false,
      tenants: user.tenants,
      memberships: [{ id: user.tenants[0], name: 'Engines', joinedAt: new Date(start).toISOString() }],
      createdAt: new Date(start).toISOString(),
    })
  })

  it('returns each tenant of a user once to each of several requests at the same time', async ({
    database,
  }) => {
    const { token, tenants } = await database.signedUp({ newTenant: 'Engines' })
    const responses = await Promise.all(Array.from({ length: 3 }, () => database.me(token.jwt)))
    for (const response of responses) {
      const { memberships, ...user } = response.json()
      expect(user.tenants).toEqual(tenants)
      expect(memberships).toHaveLength(1)
    }
  })

  it('returns to concurrent requests the users of their databases, with few statements', async ({
    usher,
  }) => {
    const databases = await Promise.all([1, 2, 3, 4].map(() => usher.newDatabase()))
    const users = await Promise.all(databases.map(({ signedUp }) => signedUp({ newTenant: 'Engines' })))
    const query = vi.spyOn(usher.context.store, 'query')
    const responses = await Promise.all(databases.map(({ me }, index) => me(users[index]?.token.jwt ?? '')))
    expect(responses.map((response) => response.json())).toMatchObject(
      users.map(({ id, tenants }) => ({ id, tenants })),
    )
    const reads = query.mock.calls.filter(([text]) => text.includes('u.metadata'))
    expect(reads.length < 4).toBe(usher.context.store.readsAcrossDatabases())
    const others = await Promise.all(
      databases.map(({ me }, index) => me(users.at(index - 1)?.token.jwt ?? '')),
    )
    expect(others.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401])
  })

  it.for(['bearer', 'BEARER', 'Bearer  '])(
    'accepts the authorization scheme written as %j',
    async (scheme, { usher, database }) => {
      const { token } = await database.signedUp()
      const headers = { authorization: `${scheme} ${token.jwt}` }
      expect((await usher.send({ method: 'GET', url: `${database.users}/me`, headers })).statusCode).toBe(200)
    },
  )
})

describe('access tokens', () => {
  it('issues tokens with the header and claims of RFC 9068', async ({ database }) => {
    const user = await database.signedUp({ newTenant: 'Engines' })
    const issuer = `http://localhost:3000${database.users.replace('/users', '')}`
    expect(part(user.token.jwt, 0)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    expect(part(user.token.jwt, 1)).toEqual({
      iss: issuer,
      aud: [issuer, `database:${database.id}`],
      sub: user.id,
      client_id: `database:${database.id}`,
      iat: start / 1000,
      auth_time: start / 1000,
      acr: 'aal1',
      amr: ['pwd'],
      exp: start / 1000 + 3600,
      jti: expect.any(String),
      gen: start,
      tenants_version: 0,
      tenants: user.tenants,
      tenant_roles: Object.fromEntries(user.tenants.map((tenant: string) => [tenant, 'owner'])),
    })
  })

  it('issues each token with a unique jti', async ({ database }) => {
    const [one, two] = [await database.signedUp(), await database.signedUp()]
    expect(part(one.token.jwt, 1).jti).not.toBe(part(two.token.jwt, 1).jti)
  })

  it('issues tokens that expire after TOKEN_MAX_AGE seconds', async ({ usher, database }) => {
    const short = await startApp(usher.store, { TOKEN_MAX_AGE: '60' })
    const { signedUp } = short.client(database.workspaceSlug, database.databaseName)
    const { token } = await signedUp()
    expect(token.maxAge).toBe(60)
    expect(part(token.jwt, 1).exp - part(token.jwt, 1).iat).toBe(60)
    await short.close()
  })

  it('lists at most 50 tenants in a token, and none if there are more', async ({ usher }) => {
    const { id, signedUp, login } = await usher.newDatabase()
    const user = await signedUp({ email: 'many@example.com' })
    const join = async (count: number) => {
      const createdAt = new Date(start)
      const tenants = Array.from({ length: count }, () => ({
        databaseId: id,
        id: crypto.randomUUID(),
        name: 'T',
        createdAt,
      }))
      await usher.store.prisma.tenant.createMany({ data: tenants })
      await usher.store.prisma.membership.createMany({
        data: tenants.map((tenant) => ({
          databaseId: id,
          userId: user.id,
          tenantId: tenant.id,
          joinedAt: createdAt,
        })),
      })
    }
    const logIn = async () =>
      (await login({ email: 'many@example.com', password: 'correct horse battery' })).json()
    await join(50)
    const fifty = await logIn()
    expect(part(fifty.token.jwt, 1).tenants).toEqual(fifty.tenants)
    await join(1)
    const more = await logIn()
    expect(more.tenants).toHaveLength(51)
    expect(part(more.token.jwt, 1)).not.toHaveProperty('tenants')
  })

  it('returns token_expired from the exp of a token on', async ({ database, clock }) => {
    const { token } = await database.signedUp()
    clock.now = start + 3_599_999
    expect((await database.me(token.jwt)).statusCode).toBe(200)
    clock.now = start + 3_600_000
    const response = await database.me(token.jwt)
    clock.now = start
    expect(response.statusCode).toBe(401)
    expect(response.json().code).toBe('token_expired')
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm=".+", error="invalid_token"/)
  })

  it('rejects a token issued more than 30 seconds ahead of the clock', async ({ database, clock }) => {
    clock.now = start + 31_000
    const { token } = await database.signedUp()
    clock.now = start + 1_000
    expect((await database.me(token.jwt)).statusCode).toBe(200)
    clock.now = start
    expect((await database.me(token.jwt)).json().code).toBe('token_invalid')
  })

  it('rejects the token of a deleted user', async ({ usher, database }) => {
    const user = await database.signedUp()
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id: user.id } })
    expect((await database.me(user.token.jwt)).json().code).toBe('token_invalid')
  })

  it('rejects the token of a user while the user is disabled', async ({ usher, database }) => {
    const user = await database.signedUp()
    const where = { databaseId_id: { databaseId: database.id, id: user.id } }
    await usher.store.prisma.user.update({ where, data: { disabledAt: new Date(start) } })
    expect((await database.me(user.token.jwt)).json().code).toBe('token_invalid')
    await usher.store.prisma.user.update({ where, data: { disabledAt: null } })
    expect((await database.me(user.token.jwt)).statusCode).toBe(200)
  })

  it('rejects a revoked token from the commit of the revocation on, while other requests read users', async ({
    usher,
    database,
  }) => {
    const other = await database.signedUp()
    const others: number[] = []
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) others.push((await database.me(other.token.jwt)).statusCode)
    })
    for (let round = 0; round < 10; round++) {
      const { id, token } = await database.signedUp()
      const before = Array.from({ length: 4 }, () => database.me(token.jwt))
      await revokeUserTokens(usher.store, { databaseId: database.id, id }, { now: new Date(start + 1) })
      const after = await Promise.all(Array.from({ length: 8 }, () => database.me(token.jwt)))
      expect(new Set(after.map(({ statusCode }) => statusCode))).toEqual(new Set([401]))
      await Promise.all(before)
    }
    isOver = true
    await Promise.all(load)
    expect(new Set(others)).toEqual(new Set([200]))
  })

  it('an unknown user among concurrent requests fails only its own', async ({ usher, database }) => {
    const users = await Promise.all(Array.from({ length: 6 }, () => database.signedUp()))
    const [gone, ...present] = users
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id: gone?.id ?? '' } })
    const elsewhere = await usher.newDatabase()
    const stranger = await elsewhere.signedUp()
    const responses = await Promise.all([
      ...users.map(({ token }) => database.me(token.jwt)),
      elsewhere.me(stranger.token.jwt),
    ])
    expect(responses.map((response) => response.json().id ?? response.json().code)).toEqual([
      'token_invalid',
      ...present.map(({ id }) => id),
      stranger.id,
    ])
  })
})

describe('the Authorization header', () => {
  it.for([
    ['a missing Authorization header', {}],
    ['another scheme', { authorization: 'Basic YWRhOnB3' }],
    ['a scheme without a token', { authorization: 'Bearer ' }],
  ] as const)(
    'returns 401 and a challenge without an error code for %s',
    async ([, headers], { usher, database }) => {
      const response = await usher.send({ method: 'GET', url: `${database.users}/me`, headers })
      expect(response.statusCode).toBe(401)
      expect(response.json().code).toBe('token_missing')
      const { workspaceSlug, databaseName } = database
      expect(response.headers['www-authenticate']).toBe(`Bearer realm="${workspaceSlug}/${databaseName}"`)
    },
  )

  it('rejects a token of another database', async ({ usher, database }) => {
    const other = await usher.newDatabase('standard', database.workspaceSlug)
    const { token } = await other.signedUp()
    const response = await database.me(token.jwt)
    expect(response.json().code).toBe('token_invalid')
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"')
  })
})

describe('forged tokens', () => {
  let jwt: string
  let payload: Record<string, unknown>
  const attackerKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (header: object, claims: object) => {
    const input = `${encode(header)}.${encode(claims)}`
    const signer = createSign('sha256').update(input)
    return `${input}.${signer.sign({ key: attackerKeys.privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
  }
  it.beforeAll(async ({ database }) => {
    jwt = (await database.signedUp()).token.jwt
    payload = part(jwt, 1)
  })

  it.for<[string, () => string]>([
    ['one part', () => 'abc'],
    ['two parts', () => jwt.split('.').slice(0, 2).join('.')],
    ['four parts', () => `${jwt}.x`],
    ['no signature', () => `${jwt.split('.').slice(0, 2).join('.')}.`],
    ['a truncated signature', () => jwt.slice(0, -4)],
    ['a padded signature', () => `${jwt}==`],
    [
      'changed claims',
      () => jwt.replace(/\.[^.]+\./, `.${encode({ ...payload, sub: crypto.randomUUID() })}.`),
    ],
    ['alg none', () => `${encode({ ...part(jwt, 0), alg: 'none' })}.${encode(payload)}.`],
    ['a signature by another key with the same kid', () => signed(part(jwt, 0), payload)],
    ['an unknown kid', () => signed({ ...part(jwt, 0), kid: 'mine' }, payload)],
    ['no kid', () => signed({ alg: 'ES256', typ: 'at+jwt' }, payload)],
    [
      'a header that is an array',
      () => `${encode(JSON.parse('[null]'))}.${jwt.split('.').slice(1).join('.')}`,
    ],
    ['one part of 8192 characters', () => 'x'.repeat(8192)],
  ])('rejects a token with %s', async ([, forge], { database }) => {
    const response = await database.me(forge())
    expect(response.statusCode).toBe(401)
    expect(response.json().code).toBe('token_invalid')
  })
})
