import { createVerifier, type Verifier, VerifyError } from '@usher/verify'
import fc from 'fast-check'
import { describe, expect, expectTypeOf } from 'vitest'
import { revokeTokens, setDatabase } from '../support/operator-changes.js'
import { freePort } from '../support/postgres-server.js'
import { makeAttacks } from './attacks.js'
import { it, optionsOf } from './live.js'

const codeOf = async (result: ReturnType<Verifier['verify' | 'fetchTenants' | 'fetchRoles']>) =>
  (await result).error?.code

describe('a valid token', () => {
  it('returns user, tenants, expiry and claims', async ({ usher, database, verifier }) => {
    const { id, tenants, token } = await database.signedUp({ newTenant: 'Engines' })
    const { data, error } = await verifier.verify(token.jwt)
    expect(error).toBeUndefined()
    expect(data).toEqual({
      userId: id,
      tenants,
      roles: new Map(tenants.map((tenant) => [tenant, 'owner'])),
      expiresAt: new Date(usher.clock.now + 3_600_000),
      claims: expect.objectContaining({ sub: id, client_id: `database:${database.id}`, tenants }),
    })
  })

  it('has claims of users and tenants, with the types that the backend says', async ({ usher, origin }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, {
      claimSources: ['lang=user.locale', 'plan=user.metadata.plan'],
    })
    const { token } = await database.signedUp({ locale: 'de' })
    const { verify } = createVerifier<{ lang?: string; plan?: number }>(optionsOf(usher, origin, database))
    const { data } = await verify(token.jwt)
    expect([data?.claims.lang, data?.claims.plan]).toEqual(['de', undefined])
    type Own = NonNullable<typeof data>['claims']
    expectTypeOf<Pick<Own, 'lang' | 'plan' | 'sub'>>().toEqualTypeOf<{
      lang?: string
      plan?: number
      sub: string
    }>()
    expectTypeOf<Own['other']>().toEqualTypeOf<unknown>()
    expectTypeOf<Verifier<{ plan?: string }>>().toExtend<Verifier>()
  })

  it('has a role in each tenant that has one in the token, and in no other', async ({ usher, origin }) => {
    const { database, sign } = await makeAttacks(usher, 'ES256')
    const { verify } = createVerifier(optionsOf(usher, origin, database))
    const rolesOf = async (changes: object) => {
      const { data, error } = await verify(sign(changes))
      expect(error).toBeUndefined()
      return data?.roles && Object.fromEntries(data.roles)
    }
    expect(await rolesOf({ tenants: ['a', 'b'], tenant_roles: { a: 'owner', c: 'owner' } })).toEqual({
      a: 'owner',
      b: 'member',
    })
    expect(await rolesOf({ tenants: ['constructor'], tenant_roles: {} })).toEqual({ constructor: 'member' })
    expect(await rolesOf({ tenants: ['a'], tenant_roles: undefined })).toBeUndefined()
    expect(await rolesOf({ tenants: undefined, tenant_roles: { a: 'owner' } })).toBeUndefined()
  })

  it('a valid token is accepted by itself and as the value of an Authorization header', async ({
    database,
    verifier,
  }) => {
    const { jwt } = (await database.signedUp()).token
    for (const input of [jwt, `Bearer ${jwt}`, `bearer   ${jwt} `]) {
      expect((await verifier.verify(input)).data?.tenants).toEqual([])
    }
  })

  it('that opens only a tenant is accepted only if the verifier accepts such tokens', async ({
    usher,
    origin,
  }) => {
    const { database, sign } = await makeAttacks(usher, 'ES256')
    const options = optionsOf(usher, origin, database)
    const issuer = `${options.baseUrl}/workspaces/${options.workspace}/databases/${options.database}`
    const jwt = sign({ aud: [`${issuer}/tenants`], account: false, tenants: ['a'], sso: { a: 1 } })
    const refused = (await createVerifier(options).verify(jwt)).error
    expect([refused?.status, refused?.toJSON()]).toMatchObject([
      403,
      { title: 'Forbidden', code: 'own_login_required' },
    ])
    const { verify } = createVerifier({ ...options, tenantSessions: 'accept' })
    expect((await verify(jwt)).data).toMatchObject({
      tenants: ['a'],
      claims: { account: false, sso: { a: 1 } },
    })
    expect(await codeOf(verify(sign({})))).toBeUndefined()
    const unknown = { ...options, tenantSessions: 'refuse' as 'accept' }
    expect(() => createVerifier(unknown)).toThrow("tenantSessions must be 'accept'")
  })

  it('is accepted by functions that were taken from the verifier', async ({ database, options }) => {
    const { verify, fetchTenants } = createVerifier({ ...options, baseUrl: `${options.baseUrl}/` })
    const { jwt } = (await database.signedUp()).token
    expect(await codeOf(verify(jwt))).toBeUndefined()
    expect(await codeOf(fetchTenants(jwt))).toBeUndefined()
  })

  it('a token is rejected from its expiry on, and more than 30 s before it was issued', async ({
    usher,
    clock,
    database,
    verifier,
  }) => {
    const issuedAt = clock.now
    const { jwt, maxAge } = (await database.signedUp()).token
    const at = (milliseconds: number) => {
      usher.clock.now = issuedAt + milliseconds
      return codeOf(verifier.verify(jwt))
    }
    expect(await at(maxAge * 1000 - 1)).toBeUndefined()
    expect(await at(maxAge * 1000)).toBe('token_expired')
    expect(await at(-30_000)).toBeUndefined()
    expect(await at(-31_000)).toBe('token_invalid')
  })
})

describe('input that is no valid token', () => {
  it.for<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ['a scheme without a token', 'Bearer'],
    ['a scheme with spaces', 'Bearer   '],
    ['another scheme', 'Basic YWRhOnNlY3JldA=='],
  ])('returns token_missing for %s', async ([, input], { verifier }) => {
    expect(await codeOf(verifier.verify(input as string))).toBe('token_missing')
    expect(await codeOf(verifier.fetchTenants(input as string))).toBe('token_missing')
  })

  it.for<[string, unknown]>([
    ['a number', 7],
    ['an object', {}],
    ['an object that cannot be a string', Object.create(null)],
    ['a list', ['a', 'b']],
    ['a symbol', Symbol('token')],
    ['one part', 'abc'],
    ['five parts', 'a.b.c.d.e'],
    ['a megabyte', `${'a'.repeat(1_000_000)}.b.c`],
    ['a line break', 'a.b\n.c'],
  ])('returns token_invalid for %s', async ([, input], { verifier }) => {
    expect(await codeOf(verifier.verify(input as string))).toBe('token_invalid')
  })

  it('returns an error for any value', async ({ verifier }) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything({ withNullPrototype: true }), fc.string()), async (input) => {
        const { data, error } = await verifier.verify(input as string)
        expect(data).toBeUndefined()
        expect(error).toBeInstanceOf(VerifyError)
      }),
      { numRuns: 300 },
    )
  })

  it('returns token_invalid for signed claims of another type', async ({ usher, origin }) => {
    const { database, sign } = await makeAttacks(usher, 'ES256')
    const { verify } = createVerifier(optionsOf(usher, origin, database))
    expect(await codeOf(verify(sign({ extra: { nested: true } })))).toBeUndefined()
    for (const changes of [
      { sub: 7 },
      { sub: undefined },
      { iat: 'now' },
      { exp: undefined },
      { exp: '4102444800' },
      { jti: undefined },
      { tenants: 'a' },
      { tenants: [7] },
      { tenants: null },
      { tenant_roles: null },
      { tenant_roles: ['owner'] },
      { tenant_roles: { a: 7 } },
      { aud: undefined },
    ]) {
      expect(await codeOf(verify(sign(changes))), JSON.stringify(changes)).toBe('token_invalid')
    }
  })
})

describe('fetchTenants', () => {
  it('returns more than 50 tenants, which the token leaves out', async ({ usher, database, verifier }) => {
    const { id, tenants, token } = await database.signedUp({ newTenant: 'Engines' })
    const more = Array.from({ length: 50 }, (_, index) => ({
      databaseId: database.id,
      id: crypto.randomUUID(),
      name: `tenant ${index}`,
      createdAt: new Date(usher.clock.now),
    }))
    await usher.store.prisma.tenant.createMany({ data: more })
    const joinedAt = new Date(usher.clock.now + 1)
    await usher.store.prisma.membership.createMany({
      data: more.map((tenant) => ({ databaseId: database.id, userId: id, tenantId: tenant.id, joinedAt })),
    })
    expect((await verifier.verify(token.jwt)).data?.tenants).toEqual(tenants)
    const { email } = await usher.store.prisma.user.findFirstOrThrow({ where: { id } })
    const { jwt } = (await database.login({ email, password: 'correct horse battery' })).json().token
    expect((await verifier.verify(jwt)).data).toMatchObject({ userId: id, tenants: undefined })
    const { data } = await verifier.fetchTenants(`Bearer ${jwt}`)
    expect(data).toHaveLength(51)
    expect(new Set(data)).toEqual(new Set([...tenants, ...more.map((tenant) => tenant.id)]))
    const { data: roles } = await verifier.fetchRoles(jwt)
    expect(roles?.size).toBe(51)
    expect(roles?.get(tenants[0] ?? '')).toBe('owner')
  })

  it('fetchTenants rejects a revoked token, which verify accepts until it expires', async ({
    usher,
    database,
    verifier,
  }) => {
    const { id, token } = await database.signedUp()
    await revokeTokens({ store: usher.store, now: new Date(usher.clock.now + 1000) }, database, id)
    expect(await codeOf(verifier.verify(token.jwt))).toBeUndefined()
    expect(await codeOf(verifier.fetchTenants(token.jwt))).toBe('token_invalid')
    expect(await codeOf(verifier.fetchRoles(token.jwt))).toBe('token_invalid')
  })
})

describe('a server', () => {
  it('returns database_not_found if the server does not know the database', async ({ database, options }) => {
    const { jwt } = (await database.signedUp()).token
    const { verify } = createVerifier({ ...options, database: 'nowhere' })
    expect(await codeOf(verify(jwt))).toBe('database_not_found')
  })

  it('returns unavailable with the cause if the server cannot be reached', async ({ database, options }) => {
    const { jwt } = (await database.signedUp()).token
    const verifier = createVerifier({ ...options, baseUrl: `http://127.0.0.1:${await freePort()}` })
    const { error } = await verifier.verify(jwt)
    expect(error).toMatchObject({ code: 'unavailable', status: 503, cause: expect.any(TypeError) })
    expect(await codeOf(verifier.fetchTenants(jwt))).toBe('unavailable')
  })
})

describe('createVerifier', () => {
  it.for<[string, unknown]>([
    ['baseUrl', undefined],
    ['baseUrl', ''],
    ['baseUrl', '/usher'],
    ['baseUrl', 'users.example.com'],
    ['baseUrl', 'ftp://users.example.com'],
    ['baseUrl', 'http://'],
    ['baseUrl', 'http://users.example.com?x'],
    ['baseUrl', new URL('http://users.example.com')],
    ['workspace', undefined],
    ['workspace', ''],
    ['workspace', '..'],
    ['workspace', 'a/b'],
    ['database', undefined],
    ['database', 7],
    ['database', 'a'.repeat(64)],
    ['fetch', 'fetch'],
    ['timeoutMs', 0],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', '5000'],
    ['timeoutMs', 2 ** 31],
    ['now', new Date()],
  ])('throws a TypeError that names %s for %s', ([name, value], { options }) => {
    const create = () => createVerifier({ ...options, [name]: value })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`createVerifier: ${name} must be `)
  })

  it('throws a TypeError without options', () => {
    expect(() => createVerifier(undefined as never)).toThrow(TypeError)
  })
})

describe('an error', () => {
  it('an error becomes the response of a backend, without its cause', () => {
    const error = new VerifyError('token_expired', { cause: new Error('secret') })
    expect(error.headers).toEqual({
      'WWW-Authenticate': 'Bearer error="invalid_token", error_description="The access token has expired"',
    })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'The access token has expired',
      code: 'token_expired',
    })
    expect(new VerifyError('token_missing').headers).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(new VerifyError('unavailable')).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
  })
})
