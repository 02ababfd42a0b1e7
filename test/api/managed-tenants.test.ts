import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { auditRecords } from '../support/audit.js'
import { it as managementTest } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { addMembers, keptEvents } from '../support/tenants.js'

/** `it` with requests of a key that has the scopes of tenants. */
const it = managementTest
  .extend('apiKey', ({ manage }) => manage.newKey(['tenants:read', 'tenants:write']))
  .extend('as', ({ manage, apiKey: { key } }) => {
    type Rest = typeof manage.send extends (key: string | undefined, ...rest: infer R) => unknown ? R : never
    return (...[method, path, payload, headers]: Rest) => manage.send(key, method, path, payload, headers)
  })

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

describe('a tenant', () => {
  it('is created, read, changed and deleted', async ({ manage, as }) => {
    const added = await as('POST', 'tenants', { name: ' Engines ' })
    expect([added.statusCode, added.json().name]).toEqual([201, 'Engines'])
    const { id } = added.json()
    expect((await as('GET', `tenants/${id}`)).json()).toEqual(added.json())
    const changed = await as('PATCH', `tenants/${id}`, { name: 'Looms' })
    expect([changed.statusCode, changed.json()]).toEqual([200, { ...added.json(), name: 'Looms' }])
    expect((await as('PATCH', `tenants/${id}`, {})).json().name).toBe('Looms')
    expect((await as('DELETE', `tenants/${id}`)).statusCode).toBe(204)
    expect((await as('DELETE', `tenants/${id}`)).statusCode).toBe(204)
    for (const method of ['GET', 'PATCH'] as const)
      expect((await as(method, `tenants/${id}`, method === 'PATCH' ? {} : undefined)).json().code).toBe(
        'tenant_not_found',
      )
    expect((await manage.database.signedUp()).tenants).toEqual([])
  })

  it('is deleted with all members, in several transactions', async ({ usher, store, manage, as }) => {
    const { id: databaseId } = manage.database
    await setDatabase(store, manage.database, { eventsKept: 1 })
    usher.clock.cacheAhead += 6_000
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    await addMembers(usher, { databaseId, tenantId }, 251)
    await store.prisma.keptEvent.deleteMany({ where: { databaseId } })
    expect((await as('DELETE', `tenants/${tenantId}`)).statusCode).toBe(204)
    expect(await store.prisma.tenant.count({ where: { databaseId, id: tenantId } })).toBe(0)
    const types = (await keptEvents(usher, databaseId)).map(({ type }) => type)
    expect(types).toEqual(['tenant.deleted', ...Array(251).fill('tenant.user_removed')])
  })

  it('is created once per Idempotency-Key', async ({ as }) => {
    const once = { 'idempotency-key': 'once' }
    const requests = Array.from({ length: 3 }, () => as('POST', 'tenants', { name: 'Engines' }, once))
    const responses = await Promise.all(requests)
    const created = responses.filter(({ statusCode }) => statusCode === 201)
    expect(new Set(created.map(({ body }) => body)).size).toBe(1)
    expect((await as('POST', 'tenants', { name: 'Engines' }, once)).body).toBe(created[0]?.body)
    expect((await as('POST', 'tenants', { name: 'Looms' }, once)).json().code).toBe('idempotency_key_reused')
    expect(idsOf((await as('GET', 'tenants')).json().tenants)).toEqual([created[0]?.json().id])
  })

  it('of another database is not found, and is not deleted', async ({ usher, manage, as }) => {
    const other = await usher.newDatabase()
    const { key } = await manage.newKey(undefined, other)
    const root = other.users.replace(/users$/, 'management')
    const authorization = `Bearer ${key}`
    const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
      usher.send({
        method,
        url: `${root}/${path}`,
        headers: { authorization },
        ...(payload && { payload }),
      })
    const { id } = (await send('POST', 'tenants', { name: 'Elsewhere' })).json()
    expect((await as('GET', `tenants/${id}`)).json().code).toBe('tenant_not_found')
    expect((await as('PATCH', `tenants/${id}`, { name: 'Ours' })).json().code).toBe('tenant_not_found')
    expect((await as('DELETE', `tenants/${id}`)).statusCode).toBe(204)
    expect((await send('GET', `tenants/${id}`)).json().name).toBe('Elsewhere')
  })

  it('has an ETag that changes with it, which If-Match compares', async ({ as }) => {
    const added = await as('POST', 'tenants', { name: 'Engines' })
    const { id } = added.json()
    const etag = String(added.headers.etag)
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const change = (name: string, ifMatch: string) =>
      as('PATCH', `tenants/${id}`, { name }, { 'if-match': ifMatch })
    const changed = await change('Looms', `"other", ${etag}`)
    expect([changed.statusCode, changed.headers.etag]).not.toContain(etag)
    for (const stale of [etag, `W/${etag}`, String(changed.headers.etag).slice(1, -1), ''])
      expect((await change('Engines', stale)).json().code).toBe('precondition_failed')
    const read = await as('GET', `tenants/${id}`)
    expect([read.json().name, read.headers.etag]).toEqual(['Looms', changed.headers.etag])
    expect((await change('Engines', '*')).headers.etag).toBe(etag)
  })

  it.for<[string, (etag: string) => string]>([
    ['nginx', (etag) => `W/${etag}`],
    ['Apache', (etag) => etag.replace(/"$/, '-gzip"')],
    ['nginx before Apache', (etag) => `W/${etag.replace(/"$/, '-gzip"')}`],
  ])(
    'accepts an ETag as %s changes it when it compresses a response',
    async ([_proxy, compressed], { as }) => {
      const { headers, body } = await as('POST', 'tenants', { name: 'Engines' })
      const { id } = JSON.parse(body)
      const change = (name: string) =>
        as('PATCH', `tenants/${id}`, { name }, { 'if-match': compressed(String(headers.etag)) })
      expect((await change('Looms')).statusCode).toBe(200)
      expect((await change('Mills')).statusCode).toBe(412)
    },
  )

  it('accepts one of two concurrent changes with the same ETag', async ({ as }) => {
    const { headers, body } = await as('POST', 'tenants', { name: 'Engines' })
    const { id } = JSON.parse(body)
    const change = (name: string) =>
      as('PATCH', `tenants/${id}`, { name }, { 'if-match': String(headers.etag) })
    const responses = await Promise.all(['Looms', 'Mills'].map(change))
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412])
    const won = responses.find(({ statusCode }) => statusCode === 200)
    expect((await as('GET', `tenants/${id}`)).json()).toEqual(won?.json())
  })

  it.for<[name: string, body: object, errors: object[]]>([
    ['without a name', {}, [{ path: 'name', code: 'required' }]],
    ['with a blank name', { name: ' ' }, [{ path: 'name', code: 'blank' }]],
    ['with a long name', { name: 'x'.repeat(256) }, [{ path: 'name', code: 'too_long' }]],
    ['with NUL in its name', { name: 'a\0b' }, [{ path: 'name', code: 'invalid_character' }]],
    [
      'with an unknown field, such as who acts',
      { name: 'Engines', apiKey: 'other' },
      [{ path: '', detail: 'has unknown fields: apiKey' }],
    ],
    ['that is a list', [], [{ path: '', code: 'invalid_type' }]],
  ])('is not created %s', async ([, body, errors], { as }) => {
    const response = await as('POST', 'tenants', body)
    expect([response.statusCode, response.json().errors]).toMatchObject([400, errors])
    expect((await as('GET', 'tenants')).json()).toEqual({ tenants: [], next: null })
  })

  it('is not changed by a body with an unknown field', async ({ as }) => {
    const { id } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    const refused = await as('PATCH', `tenants/${id}`, { name: 'Looms', id: randomUUID() })
    expect([refused.statusCode, refused.json().errors[0].detail]).toEqual([400, 'has unknown fields: id'])
    expect((await as('GET', `tenants/${id}`)).json().name).toBe('Engines')
  })
})

it('the list of tenants has pages, which together have every tenant once', async ({ as }) => {
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await as('POST', 'tenants', { name })).json().id)
  const found: string[] = []
  let after = ''
  for (const size of [2, 2, 1]) {
    const { tenants, next } = (await as('GET', `tenants?limit=2${after}`)).json()
    expect([tenants.length, next]).toEqual([size, size === 2 ? tenants[1].id : null])
    found.push(...idsOf(tenants))
    after = `&after=${next}`
  }
  expect(found).toEqual(ids.toSorted())
})

describe('a member of a tenant', () => {
  it('is added and removed, and both can be repeated', async ({ manage, as }) => {
    const { database } = manage
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    const { id, token } = await database.signedUp({ email: 'ada@example.com', preferredName: 'Ada' })
    const path = `tenants/${tenantId}/members/${id}`
    for (const body of [undefined, {}]) expect((await as('PUT', path, body)).statusCode).toBe(204)
    expect((await database.me(token.jwt)).json().tenants).toEqual([tenantId])
    const { members, next } = (await as('GET', `tenants/${tenantId}/members`)).json()
    expect([members, next]).toMatchObject([
      [{ id, email: 'ada@example.com', preferredName: 'Ada', joinedAt: expect.any(String) }],
      null,
    ])
    for (let count = 0; count < 2; count++) expect((await as('DELETE', path)).statusCode).toBe(204)
    expect((await database.me(token.jwt)).json().tenants).toEqual([])
  })

  it('is not added to an unknown tenant, if the user is unknown, or by a body with fields', async ({
    usher,
    manage,
    as,
  }) => {
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    const { id } = await manage.database.signedUp()
    const elsewhere = await (await usher.newDatabase()).signedUp({ newTenant: 'Elsewhere' })
    const codeOf = async (tenant: string, user: string, body?: object) =>
      (await as('PUT', `tenants/${tenant}/members/${user}`, body)).json().code
    expect(await codeOf(randomUUID(), id)).toBe('tenant_not_found')
    expect(await codeOf(tenantId, randomUUID())).toBe('user_not_found')
    expect(await codeOf(String(elsewhere.tenants[0]), id)).toBe('tenant_not_found')
    expect(await codeOf(tenantId, elsewhere.id)).toBe('user_not_found')
    expect(await codeOf(tenantId, id, { role: 'billing' })).toBe('validation_failed')
    expect(await codeOf(tenantId, id, { rank: 'owner' })).toBe('validation_failed')
    expect(await codeOf('1', id)).toBe('validation_failed')
    expect((await as('GET', `tenants/${tenantId}/members`)).json().members).toEqual([])
    expect((await as('GET', `tenants/${randomUUID()}/members`)).json().code).toBe('tenant_not_found')
  })

  it('gets a role, which changes and stays', async ({ usher, store, manage, as }) => {
    await setDatabase(store, manage.database, { roles: ['billing'] })
    usher.clock.cacheAhead += 6_000
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines', seats: 1 })).json()
    const user = await manage.database.signedUp()
    const path = `tenants/${tenantId}/members/${user.id}`
    const rolesAfter = async (body?: object) => {
      expect((await as('PUT', path, body)).statusCode).toBe(204)
      const { members } = (await as('GET', `tenants/${tenantId}/members`)).json()
      const { memberships } = (await manage.database.me(user.token.jwt)).json()
      return [...members, ...memberships].map(({ role }) => role)
    }
    expect(await rolesAfter()).toEqual(['member', 'member'])
    expect(await rolesAfter({ role: 'owner' })).toEqual(['owner', 'owner'])
    expect(await rolesAfter({ role: 'owner' })).toEqual(['owner', 'owner'])
    expect(await rolesAfter()).toEqual(['owner', 'owner'])
    // The role that the user has already is no change, of which backends would hear.
    expect(await store.prisma.revocation.count({ where: { databaseId: manage.database.id } })).toBe(1)
    // Not bound to the last owner, nor to the seats.
    expect(await rolesAfter({ role: 'billing' })).toEqual(['billing', 'billing'])
    const tenants = [{ id: tenantId, role: 'admin' }]
    const { key } = await manage.newKey()
    const body = { email: 'grace@example.com', tenants }
    const added = await manage.send(key, 'POST', 'users', body)
    expect(added.json().memberships).toMatchObject([{ id: tenantId, role: 'admin' }])
    const unknown = { email: 'ada@example.com', tenants: [{ id: tenantId, role: 'guest' }] }
    const { errors } = (await manage.send(key, 'POST', 'users', unknown)).json()
    expect(errors).toMatchObject([
      { path: 'tenants.0.role', detail: 'must be owner, admin, member, billing' },
    ])
  })

  it('has seats that are changed', async ({ as }) => {
    const added = (await as('POST', 'tenants', { name: 'Engines', seats: 25 })).json()
    expect(added.seats).toBe(25)
    const change = async (seats: unknown) => (await as('PATCH', `tenants/${added.id}`, { seats })).json()
    expect((await change(null)).seats).toBe(null)
    for (const seats of [0, 1_000_001, 1.5, '5']) expect((await change(seats)).code).toBe('validation_failed')
  })

  it('is listed on one page, by the id', async ({ manage, as }) => {
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      const { id } = await manage.database.signedUp()
      ids.unshift(id)
      await as('PUT', `tenants/${tenantId}/members/${ids[0]}`)
    }
    const first = (await as('GET', `tenants/${tenantId}/members?limit=2`)).json()
    const second = (await as('GET', `tenants/${tenantId}/members?limit=2&after=${first.next}`)).json()
    expect(idsOf([...first.members, ...second.members])).toEqual(ids.toSorted())
    expect(second.next).toBeNull()
  })

  it('is added before a concurrent deletion of the tenant, or finds no tenant', async ({ manage, as }) => {
    const { id } = await manage.database.signedUp()
    for (let round = 0; round < 5; round++) {
      const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
      const [added, removed] = await Promise.all([
        as('PUT', `tenants/${tenantId}/members/${id}`),
        as('DELETE', `tenants/${tenantId}`),
      ])
      expect([204, 404]).toContain(added.statusCode)
      expect(removed.statusCode).toBe(204)
      expect((await as('GET', `tenants/${tenantId}`)).statusCode).toBe(404)
      expect((await as('GET', 'tenants')).json().tenants).toEqual([])
    }
  })
})

describe('the operations of tenants', () => {
  it('store an event and log the key with each change, and nothing else', async ({
    usher,
    store,
    manage,
    apiKey,
    as,
  }) => {
    const { database } = manage
    const user = await database.signedUp()
    await setDatabase(store, database, { eventsKept: 1 })
    usher.clock.cacheAhead += 6_000
    const { id: tenantId } = (await as('POST', 'tenants', { name: 'Engines' })).json()
    for (const name of ['Looms', 'Looms']) await as('PATCH', `tenants/${tenantId}`, { name })
    const member = `tenants/${tenantId}/members/${user.id}`
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE', 'PUT'] as const) await as(method, member)
    for (const method of ['DELETE', 'DELETE'] as const) await as(method, `tenants/${tenantId}`)
    const events = await store.prisma.keptEvent.findMany({
      where: { databaseId: database.id },
      orderBy: [{ storedAt: 'asc' }, { id: 'asc' }],
    })
    const by = { apiKey: apiKey.id }
    const ofMember = { tenantId, userId: user.id, ...by }
    expect(events.map(({ payload }) => payload)).toEqual([
      { type: 'tenant.created', tenantId, ...by },
      { type: 'tenant.updated', tenantId, ...by },
      { type: 'tenant.user_added', ...ofMember },
      { type: 'tenant.user_removed', ...ofMember },
      { type: 'tenant.user_added', ...ofMember },
      { type: 'tenant.user_removed', ...ofMember },
      { type: 'tenant.deleted', tenantId, ...by },
    ])
    const ofTenant = { databaseId: database.id, tenantId, apiKey: apiKey.id }
    expect(auditRecords(usher).filter((record) => record.apiKey === apiKey.id)).toMatchObject([
      { audit: 'tenant.created', ...ofTenant },
      { audit: 'tenant.updated', ...ofTenant },
      { audit: 'tenant.user_added', ...ofTenant, userId: user.id },
      { audit: 'tenant.user_removed', ...ofTenant, userId: user.id },
      { audit: 'tenant.user_added', ...ofTenant, userId: user.id },
      { audit: 'tenant.deleted', ...ofTenant },
    ])
  })
})
