import { expect } from 'vitest'
import { exportUsers } from '../../server/domain/management/users/export-users.js'
import { importAll, linesOf } from '../support/lines.js'
import { it as managementTest } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { keptEvents } from '../support/tenants.js'

const it = managementTest
  .extend('apiKey', ({ manage }) => manage.newKey())
  .extend('as', ({ manage, apiKey: { key } }) => {
    type Rest = typeof manage.send extends (key: string | undefined, ...rest: infer R) => unknown ? R : never
    return (...[method, path, payload, headers]: Rest) => manage.send(key, method, path, payload, headers)
  })

const fields = { externalId: 'customer-17', metadata: { plan: 'pro' }, privateMetadata: { margin: 0.2 } }
const none = { externalId: null, metadata: null, privateMetadata: null }

it('a tenant keeps what the product adds, and shows its members only the metadata', async ({
  manage,
  as,
}) => {
  const added = await as('POST', 'tenants', { name: 'Engines', ...fields })
  expect([added.statusCode, added.json()]).toMatchObject([201, fields])
  const { id } = added.json()
  await as('POST', 'tenants', { name: 'Looms' })
  const { tenants } = (await as('GET', 'tenants?externalId=customer-17')).json()
  expect(tenants).toEqual([
    { id, name: 'Engines', externalId: 'customer-17', seats: null, createdAt: added.json().createdAt },
  ])
  const user = await manage.database.signedUp()
  await as('PUT', `tenants/${id}/members/${user.id}`)
  const me = (await manage.database.me(user.token.jwt)).json()
  expect(me.memberships).toMatchObject([{ id, metadata: fields.metadata }])
  expect(JSON.stringify(me)).not.toContain('margin')

  const replaced = await as('PATCH', `tenants/${id}`, { metadata: { seats: 3 } })
  expect(replaced.json()).toMatchObject({ ...fields, metadata: { seats: 3 } })
  const etag = String(replaced.headers.etag)
  const emptied = await as('PATCH', `tenants/${id}`, none, { 'if-match': etag })
  expect(emptied.json()).toMatchObject({ name: 'Engines', ...none })
  const stale = await as('PATCH', `tenants/${id}`, fields, { 'if-match': etag })
  expect(stale.json().code).toBe('precondition_failed')
  expect((await as('GET', `tenants/${id}`)).json()).toEqual(emptied.json())
})

it('a user keeps what the product adds, and sees only the metadata', async ({ manage, as }) => {
  const { database } = manage
  const credentials = { email: 'ada@example.com', password: 'correct horse battery' }
  const added = await as('POST', 'users', { ...credentials, ...fields })
  expect([added.statusCode, added.json()]).toMatchObject([201, fields])
  const { id } = added.json()
  await database.signedUp()
  expect((await as('GET', `users/${id}`)).json()).toMatchObject(fields)
  expect((await as('GET', 'users?externalId=customer-17')).json().users).toMatchObject([
    { id, externalId: 'customer-17' },
  ])
  const { token } = (await database.login(credentials)).json()
  const me = (await database.me(token.jwt)).json()
  expect(me.metadata).toEqual(fields.metadata)
  expect(JSON.stringify(me)).not.toMatch(/margin|customer-17/)
  const taken = { email: 'grace@example.com', externalId: 'customer-17' }
  expect((await as('POST', 'users', taken)).json().code).toBe('external_id_taken')
  const both = { email: 'Ada@example.com', externalId: 'customer-17' }
  expect((await as('POST', 'users', both)).json().code).toBe('email_taken')
})

it('changeUser changes external id and metadata one by one, and with If-Match only if nothing has changed', async ({
  store,
  usher,
  manage,
  as,
}) => {
  const { id } = (await as('POST', 'users', { email: 'ada@example.com' })).json()
  const path = `users/${id}`
  await setDatabase(store, manage.database, { eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  const filled = await as('PATCH', path, fields)
  expect([filled.statusCode, filled.json()]).toMatchObject([200, { email: 'ada@example.com', ...fields }])
  expect((await as('GET', path)).json()).toEqual(filled.json())
  expect((await as('GET', 'users?externalId=customer-17')).json().users).toMatchObject([{ id }])
  const etag = String(filled.headers.etag)
  expect((await as('GET', path)).headers.etag).toBe(etag)
  const replaced = await as('PATCH', path, { metadata: { seats: 3 } }, { 'if-match': etag })
  expect(replaced.json()).toMatchObject({ ...fields, metadata: { seats: 3 } })
  const stale = await as('PATCH', path, { privateMetadata: null }, { 'if-match': etag })
  expect(stale.json().code).toBe('precondition_failed')
  await as('PATCH', path, { metadata: { seats: 3 } })
  expect((await as('PATCH', path, none)).json()).toMatchObject(none)
  const events = await keptEvents(usher, manage.database.id)
  expect(events).toMatchObject(Array(3).fill({ type: 'user.updated', userId: id }))
  expect(JSON.stringify(events)).not.toMatch(/seats|customer-17/)
})

it('changeUser refuses a taken external id or address, and says which of them is taken', async ({ as }) => {
  await as('POST', 'users', { email: 'grace@example.com', externalId: 'taken' })
  const { id } = (await as('POST', 'users', { email: 'ada@example.com' })).json()
  const change = async (body: object) => {
    const { statusCode, json } = await as('PATCH', `users/${id}`, body)
    return [statusCode, json().code]
  }
  expect(await change({ externalId: 'taken', preferredName: 'Ada' })).toEqual([409, 'external_id_taken'])
  expect(await change({ externalId: 'taken', email: 'Ada@example.com' })).toEqual([409, 'external_id_taken'])
  expect(await change({ externalId: 'taken', email: 'new@example.com' })).toEqual([409, 'external_id_taken'])
  expect(await change({ externalId: 'free', email: 'grace@example.com' })).toEqual([409, 'email_taken'])
  expect((await as('GET', `users/${id}`)).json()).toMatchObject({ email: 'ada@example.com', ...none })
  expect(await change({ externalId: 'free' })).toEqual([200, undefined])
})

it('an external id belongs to one of two concurrent tenants, and to one in each database', async ({
  usher,
  manage,
  as,
}) => {
  const add = (name: string) => as('POST', 'tenants', { name, externalId: 'one' })
  const created = await Promise.all(['a', 'b', 'c'].map(add))
  expect(created.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409])
  const refused = created.find(({ statusCode }) => statusCode === 409)
  expect(refused?.json().code).toBe('external_id_taken')
  expect((await as('GET', 'tenants')).json().tenants).toHaveLength(1)

  const others: string[] = []
  for (const name of ['d', 'e']) others.push((await as('POST', 'tenants', { name })).json().id)
  const changed = await Promise.all(others.map((id) => as('PATCH', `tenants/${id}`, { externalId: 'two' })))
  expect(changed.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])

  const other = await usher.newDatabase()
  const { key } = await manage.newKey(undefined, other)
  const elsewhere = await usher.send({
    method: 'POST',
    url: other.users.replace(/users$/, 'management/tenants'),
    headers: { authorization: `Bearer ${key}` },
    payload: { name: 'a', externalId: 'one' },
  })
  expect(elsewhere.statusCode).toBe(201)
})

/** Returns an object with this length as JSON. */
const sized = (bytes: number) => ({ text: 'é'.repeat((bytes - 11) / 2) + 'x'.repeat((bytes - 11) % 2) })

it('metadata may have 8 KiB each', async ({ as }) => {
  const largest = { metadata: sized(8192), privateMetadata: sized(8192) }
  const added = await as('POST', 'tenants', { name: 'Engines', ...largest })
  expect([added.statusCode, added.json()]).toMatchObject([201, largest])
  const larger = await as('POST', 'tenants', { name: 'Engines', metadata: sized(8193) })
  expect(larger.json().errors).toEqual([
    { path: 'metadata', code: 'invalid_type', detail: 'must have at most 8192 bytes as JSON' },
  ])
})

const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })

it.for<[what: string, body: object, path: string, code: string]>([
  ['metadata that is a list', { metadata: [] }, 'metadata', 'invalid_type'],
  ['metadata that is text', { metadata: '{}' }, 'metadata', 'invalid_type'],
  ['metadata with NUL', { metadata: { a: ['\0'] } }, 'metadata', 'invalid_character'],
  [
    'metadata with a name that is not Unicode',
    { metadata: { '\ud800': 1 } },
    'metadata',
    'invalid_character',
  ],
  ['metadata that is too deep', { privateMetadata: nested(32) }, 'privateMetadata', 'invalid_character'],
  ['metadata with a rounded integer', { metadata: { ids: [2 ** 53] } }, 'metadata', 'invalid_type'],
  ['metadata with a negative one', { privateMetadata: { a: -1e21 } }, 'privateMetadata', 'invalid_type'],
  ['an empty external id', { externalId: '' }, 'externalId', 'blank'],
  ['a long external id', { externalId: 'x'.repeat(256) }, 'externalId', 'too_long'],
  ['an external id with NUL', { externalId: '\0' }, 'externalId', 'invalid_character'],
])('%s is refused', async ([, body, path, code], { as }) => {
  const refused = await as('POST', 'tenants', { name: 'Engines', ...body })
  expect([refused.statusCode, refused.json().errors]).toMatchObject([400, [{ path, code }]])
  expect((await as('GET', 'tenants')).json().tenants).toEqual([])
})

it('metadata keeps each number as it was given, or is refused', async ({ usher, manage, as }) => {
  const metadata = { most: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, share: 0.1, tiny: 5e-324 }
  const added = await as('POST', 'tenants', { name: 'Engines', metadata })
  expect(added.json().metadata).toEqual(metadata)
  const lineOf = (number: string) => `{"email":"ada@example.com","metadata":{"id":${number}}}`
  for (const number of ['9007199254740993', '1e400', '12345678901234567890.0']) {
    const { rejected } = await importAll(usher, manage.database.id, linesOf(lineOf(number)))
    expect(rejected).toEqual([
      expect.stringMatching(/^1 metadata: must have no whole number beyond 9007199254740991/),
    ])
  }
})

it('tenants keep what the product adds in an export and an import', async ({ usher, store, manage, as }) => {
  const { id } = (await as('POST', 'tenants', { name: 'Engines', ...fields })).json()
  await as('POST', 'users', { email: 'ada@example.com', tenants: [{ id }] })
  const lines: unknown[] = []
  for await (const line of exportUsers(store, manage.database.id, { now: new Date() })) lines.push(line)
  const copy = await usher.newDatabase()
  expect(await importAll(usher, copy.id, linesOf(...lines))).toMatchObject({ added: 1, rejected: [] })
  const tenant = await store.prisma.tenant.findFirstOrThrow({ where: { databaseId: copy.id } })
  expect(tenant).toMatchObject({ id, ...fields })
})

it('an import rejects lines whose external ids belong to another user or tenant', async ({
  usher,
  store,
  manage,
  as,
}) => {
  const engines = (await as('POST', 'tenants', { name: 'Engines', externalId: 'taken' })).json()
  await as('POST', 'users', { email: 'ada@example.com', externalId: 'taken' })
  const id = '01a1fc71-4073-7005-9035-32d538fe4e27'
  const lines = [
    { email: 'b@example.com', externalId: 'taken' },
    { email: 'c@example.com', tenants: [{ name: 'Looms', externalId: 'taken' }] },
    { email: 'd@example.com', tenants: [{ name: 'Looms', externalId: 'free' }] },
    { email: 'f@example.com', externalId: 'free' },
    { email: 'g@example.com', externalId: 'free' },
    { email: 'h@example.com', tenants: [{ id, name: 'Engines', externalId: 'taken' }] },
    {
      email: 'i@example.com',
      tenants: [
        { id: engines.id, name: 'Engines' },
        { name: 'Engines', externalId: 'taken' },
      ],
    },
  ]
  const { id: databaseId } = manage.database
  const rejected = [
    '1 externalId: belongs to another user',
    '2 tenants.0.name: is not the name of the tenant with this externalId',
    '5 externalId: belongs to another user',
    '6 tenants.0.externalId: belongs to another tenant',
    '7 tenants.1.externalId: belongs to another tenant',
  ]
  expect(await importAll(usher, databaseId, linesOf(...lines), { dryRun: true })).toMatchObject({
    added: 2,
    rejected,
  })
  expect(await importAll(usher, databaseId, linesOf(...lines))).toMatchObject({ added: 2, rejected })
  const users = await store.prisma.user.findMany({ where: { databaseId }, select: { email: true } })
  expect(users.map(({ email }) => email).sort()).toEqual([
    'ada@example.com',
    'd@example.com',
    'f@example.com',
  ])
})

it.for([
  ['in one batch', 0],
  ['in another batch', 500],
] as const)(
  'an import joins tenants with one external id, also to an existing one, and refuses another name %s',
  async ([, between], { usher, store, manage, as }) => {
    await as('POST', 'tenants', { name: 'Engines', externalId: 'engines' })
    const others = Array.from({ length: between }, (_, index) => ({ email: `user${index}@example.com` }))
    const joining = (email: string, ...names: string[]) => ({
      email,
      tenants: names.map((name) => ({ name, externalId: name.toLowerCase() })),
    })
    const lines = [
      joining('ada@example.com', 'Looms', 'Engines'),
      ...others,
      joining('bob@example.com', 'Mills', 'Looms'),
      joining('eve@example.com', 'Mills', 'LOOMS'),
      joining('dan@example.com', 'Looms'),
    ]
    const name = 'tenants.1.name: is not the name of the tenant with this externalId'
    const result = { added: between + 3, alreadyThere: 0, rejected: [`${between + 3} ${name}`] }
    const { id: databaseId } = manage.database
    expect(await importAll(usher, databaseId, linesOf(...lines), { dryRun: true })).toEqual(result)
    if (between > 0) expect(await importAll(usher, databaseId, linesOf(...lines))).toEqual(result)
    else {
      const url = manage.database.users.replace(/users$/, 'management/users/import')
      const headers = { 'content-type': 'application/x-ndjson' }
      const { key } = await manage.newKey()
      const response = await usher.send({
        method: 'POST',
        url,
        headers: { ...headers, authorization: `Bearer ${key}` },
        payload: lines.map((line) => JSON.stringify(line)).join('\n'),
      })
      expect(response.json()).toMatchObject({ created: 3, rejected: 1 })
      expect(response.json().lines[2].errors).toMatchObject([{ path: 'tenants.1.name' }])
    }
    const tenants = await store.prisma.tenant.findMany({
      where: { databaseId },
      orderBy: { name: 'asc' },
      select: { name: true, memberships: { select: { user: { select: { email: true } } } } },
    })
    const members = tenants.map((tenant) => [
      tenant.name,
      tenant.memberships.map(({ user }) => user.email.slice(0, 3)).sort(),
    ])
    expect(members).toEqual([
      ['Engines', ['ada']],
      ['Looms', ['ada', 'bob', 'dan']],
      ['Mills', ['bob']],
    ])
  },
)

it.for([
  ['in one batch', 0],
  ['in another batch', 500],
] as const)(
  'a line that adds no user keeps its external ids free for a later line %s',
  async ([, between], { usher, manage, as }) => {
    await as('POST', 'users', { email: 'ada@example.com', externalId: 'taken' })
    const others = Array.from({ length: between }, (_, index) => ({ email: `user${index}@example.com` }))
    const joining = (email: string, externalId: string, name = 'Looms') => ({
      email,
      tenants: [{ name, externalId }],
    })
    const lines = [
      joining('ada@example.com', 'looms'),
      { ...joining('grace@example.com', 'engines'), externalId: 'taken' },
      ...others,
      joining('alan@example.com', 'looms', 'Later looms'),
      { ...joining('grace@example.com', 'engines', 'Later engines'), externalId: 'free' },
    ]
    const result = {
      added: between + 2,
      alreadyThere: 1,
      rejected: ['2 externalId: belongs to another user'],
    }
    const { id } = manage.database
    expect(await importAll(usher, id, linesOf(...lines), { dryRun: true })).toEqual(result)
    expect(await importAll(usher, id, linesOf(...lines))).toEqual(result)
  },
)

it.for([
  ['in one batch', 0],
  ['in another batch', 500],
] as const)(
  'an import stores an external id that an existing tenant did not get for a later tenant %s',
  async ([, between], { usher, store, manage, as }) => {
    const engines = (await as('POST', 'tenants', { name: 'Engines' })).json()
    const looms = { id: '01a1fc71-4073-7005-9035-32d538fe4e27', name: 'Looms' }
    const others = Array.from({ length: between }, (_, index) => ({ email: `user${index}@example.com` }))
    const joining = (email: string, tenant: object) => ({ email, tenants: [tenant] })
    const lines = [
      joining('ada@example.com', { id: engines.id, name: 'Engines', externalId: 'x' }),
      joining('bob@example.com', looms),
      joining('eve@example.com', { ...looms, externalId: 'y' }),
      ...others,
      joining('dan@example.com', { name: 'Later x', externalId: 'x' }),
      joining('zoe@example.com', { name: 'Later y', externalId: 'y' }),
    ]
    const result = { added: between + 5, alreadyThere: 0, rejected: [] }
    const { id: databaseId } = manage.database
    expect(await importAll(usher, databaseId, linesOf(...lines), { dryRun: true })).toEqual(result)
    expect(await importAll(usher, databaseId, linesOf(...lines))).toEqual(result)
    const tenants = await store.prisma.tenant.findMany({ where: { databaseId }, orderBy: { name: 'asc' } })
    expect(tenants.map(({ name, externalId }) => [name, externalId])).toEqual([
      ['Engines', null],
      ['Later x', 'x'],
      ['Later y', 'y'],
      ['Looms', null],
    ])
  },
)
