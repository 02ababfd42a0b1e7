import { expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { lockWaits } from '../support/lock-waits.js'
import { it as managementTest } from '../support/management.js'

const tenant = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'
const bcrypt = (cost: string) => `$2b$${cost}$${'abcdefghijklmnopqrstu.'.padEnd(53, 'x')}`

/** `it` with functions that import lines: strings unchanged, other values as JSON. */
const it = managementTest.extend('imports', async ({ usher, store, manage }) => {
  const { database, newKey } = manage
  const { key, id: apiKey } = await newKey()
  const send = (payload: string | Buffer, headers: Record<string, string> = {}, check = '') =>
    usher.send({
      method: 'POST',
      url: [database.users.replace(/users$/, 'management/users/import'), check].filter(Boolean).join('/'),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', ...headers },
      payload,
    })
  const lines = (users: unknown[], headers?: Record<string, string>, check?: string) =>
    send(
      users.map((user) => (typeof user === 'string' ? user : JSON.stringify(user))).join('\n'),
      headers,
      check,
    )
  const emails = async () => {
    const where = { databaseId: database.id }
    const users = await store.prisma.user.findMany({ where, select: { email: true } })
    return users.map(({ email }) => email).sort()
  }
  return { apiKey, send, lines, emails }
})

it('importUsers returns the result of each line, and stores a line completely or not at all', async ({
  usher,
  manage,
  imports,
}) => {
  const { id } = await manage.database.signedUp({ email: 'there@example.com' })
  const passwordHash = await usher.context.hashing.hash(password)
  const { statusCode, json } = await imports.lines([
    { email: 'ada@example.com', passwordHash, tenants: [{ id: tenant, name: 'Engines' }] },
    '',
    { email: 'There@example.com', preferredName: 'Changed' },
    { email: 'ADA@example.com' },
    { email: 'grace', preferredName: 7, tenants: [{ name: '' }] },
    { email: 'hash@example.com', passwordHash: 'md5', tenants: [{ name: 'Lost' }] },
    { email: 'plain@example.com', password },
    '{',
  ])
  const result = json()
  expect([statusCode, result.created, result.existing, result.rejected]).toEqual([200, 1, 2, 4])
  const ada = result.lines[0].userId
  expect(result.lines.slice(0, 3)).toEqual([
    { line: 1, status: 'created', userId: ada, errors: [] },
    { line: 3, status: 'exists', userId: id, errors: [] },
    { line: 4, status: 'exists', userId: ada, errors: [] },
  ])
  const rejected = result.lines.slice(3)
  expect(rejected.map((each: object) => ({ ...each, errors: [] }))).toEqual(
    [5, 6, 7, 8].map((line) => ({ line, status: 'rejected', userId: null, errors: [] })),
  )
  expect(
    rejected.map(({ errors }: { errors: { path: string; detail: string }[] }) =>
      errors.map(({ path, detail }) => `${path}: ${detail}`),
    ),
  ).toEqual([
    [
      'email: must be an email address',
      'preferredName: must be a string',
      'tenants.0.name: must not be blank',
    ],
    ['passwordHash: has an unknown format'],
    [': has unknown fields: password'],
    [': is not JSON'],
  ])
  expect(await imports.emails()).toEqual(['ada@example.com', 'there@example.com'])
  const { key } = await manage.newKey()
  const { tenants } = (await manage.send(key, 'GET', 'tenants')).json()
  expect(tenants.map(({ name }: { name: string }) => name)).toEqual(['Engines'])
  expect((await manage.database.login({ email: 'ada@example.com', password })).statusCode).toBe(200)
  const imported = auditRecords(usher).find(({ audit }) => audit === 'users.imported')
  expect(imported).toMatchObject({
    apiKey: imports.apiKey,
    users: { added: 1, alreadyThere: 2, rejected: 4 },
  })
})

it.for<[field: string, value: string, detail: string]>([
  ['id', tenant, 'must not be the ID of an earlier tenant'],
  ['externalId', 'acme', 'must not be the external ID of an earlier tenant'],
])(
  'importUsers rejects a line that has a tenant twice by its %s',
  async ([field, value, detail], { imports }) => {
    const joined = (role: string) => ({ [field]: value, name: 'Engines', role })
    const { statusCode, json } = await imports.lines([
      { email: 'ada@example.com', tenants: [joined('owner'), joined('member')] },
      { email: 'grace@example.com', tenants: [joined('member')] },
    ])
    expect([statusCode, json().lines]).toMatchObject([
      200,
      [
        { status: 'rejected', errors: [{ path: `tenants.1.${field}`, code: 'invalid_type', detail }] },
        { status: 'created', errors: [] },
      ],
    ])
    expect(await imports.emails()).toEqual(['grace@example.com'])
  },
)

it('importUsers rejects a line with a role that the database does not have', async ({ imports }) => {
  const tenants = ['member', 'boss'].map((role) => ({ name: 'Engines', role }))
  const { lines } = (await imports.lines([{ email: 'ada@example.com', tenants }])).json()
  expect(lines).toMatchObject([{ status: 'rejected', errors: [{ path: 'tenants.1.role' }] }])
})

it('importUsers creates the user of a line that corrects a rejected one', async ({ manage, imports }) => {
  const { key } = await manage.newKey()
  await manage.send(key, 'POST', 'users', { email: 'ada@example.com', externalId: 'taken' })
  const grace = { email: 'grace@example.com', tenants: [{ name: 'Looms', externalId: 'looms' }] }
  const { lines } = (await imports.lines([{ ...grace, externalId: 'taken' }, grace, grace])).json()
  expect(lines).toMatchObject([
    { status: 'rejected', errors: [{ path: 'externalId' }] },
    { status: 'created' },
    { status: 'exists', userId: lines[1].userId },
  ])
  const user = (await manage.send(key, 'GET', `users/${lines[1].userId}`)).json()
  expect(user).toMatchObject({ externalId: null, memberships: [{ name: 'Looms' }] })
})

it('importUsers accepts a thousand lines and one mebibyte, and no more', async ({ imports }) => {
  const users = Array.from({ length: 1000 }, (_, index) => ({ email: `user${index}@example.com` }))
  const tooMany = await imports.lines([...users, { email: 'last@example.com' }])
  expect([tooMany.statusCode, tooMany.json()]).toMatchObject([
    413,
    { code: 'payload_too_large', detail: 'The body has more than 1000 lines.' },
  ])
  const tooLarge = await imports.lines([{ email: 'a@example.com' }, ' '.repeat(2 ** 20)])
  expect([tooLarge.statusCode, tooLarge.json().code]).toEqual([413, 'payload_too_large'])
  expect(await imports.emails()).toEqual([])
  const padding = ' '.repeat(
    2 ** 20 - Buffer.byteLength(users.map((user) => JSON.stringify(user)).join('\n')),
  )
  const most = await imports.lines([...users.slice(0, -1), JSON.stringify(users.at(-1)) + padding])
  expect([most.statusCode, most.json().created]).toEqual([200, 1000])
})

it.for<[what: string, body: string | Buffer, headers: object, status: number, code: string]>([
  ['without a line', '\n \n', {}, 400, 'validation_failed'],
  ['that is not UTF-8', Buffer.from([0x7b, 0xff]), {}, 400, 'malformed_json'],
  ['of JSON', '{}', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
  ['that is compressed', '{}', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ['without a key', '{}', { authorization: '' }, 401, 'key_invalid'],
])('importUsers refuses a body %s', async ([, body, headers, status, code], { imports }) => {
  const refused = await imports.send(body, headers as Record<string, string>)
  expect([refused.statusCode, refused.json().code]).toEqual([status, code])
})

it('importUsers needs the scopes of the fields, and stores nothing without them', async ({
  manage,
  imports,
}) => {
  const { key } = await manage.newKey(['users:write'])
  const as = { authorization: `Bearer ${key}` }
  const ada = { email: 'ada@example.com' }
  for (const [fields, scope] of [
    [{ passwordHash: bcrypt('04') }, 'credentials:write'],
    [{ emailVerifiedAt: '2026-01-01T00:00:00Z' }, 'credentials:write'],
    [{ tenants: [{ name: 'Engines' }] }, 'tenants:write'],
  ] as const) {
    const refused = await imports.lines([ada, { email: 'grace@example.com', ...fields }], as)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'insufficient_scope'])
    expect(refused.headers['www-authenticate']).toContain(`scope="${scope}"`)
  }
  expect(await imports.emails()).toEqual([])
  const allowed = await imports.lines([{ ...ada, passwordHash: null, tenants: [] }], as)
  expect([allowed.statusCode, allowed.json().created]).toEqual([200, 1])
})

it('importUsers with one Idempotency-Key imports once, also concurrently', async ({ imports }) => {
  const users = [{ email: 'ada@example.com' }, { email: 'bad' }]
  const once = { 'idempotency-key': 'job-7' }
  const responses = await Promise.all(Array.from({ length: 5 }, () => imports.lines(users, once)))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200))
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
  expect(responses[0]?.json()).toMatchObject({ created: 1, rejected: 1 })
  const other = await imports.lines([{ email: 'grace@example.com' }], once)
  expect([other.statusCode, other.json().code]).toEqual([422, 'idempotency_key_reused'])
  expect(await imports.emails()).toEqual(['ada@example.com'])
})

it('concurrent imports of the same users in different orders add each user once', async ({ imports }) => {
  const users = Array.from({ length: 300 }, (_, index) => ({
    email: `user${index}@example.com`,
    tenants: [{ id: tenant.replace(/..$/, String((index % 50) + 10)), name: 'Engines' }],
  }))
  const responses = await Promise.all(
    [users, users.toReversed(), users, users.toReversed()].map((each) => imports.lines(each)),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  const created = responses.map((response) => response.json().created)
  expect(created.reduce((sum, each) => sum + each)).toBe(300)
  const ids = (index: number) =>
    responses[index]?.json().lines.map(({ userId }: { userId: string }) => userId)
  expect(ids(1)).toEqual(ids(0).toReversed())
})

it('checkImport returns what importUsers would, and stores nothing', async ({ usher, manage, imports }) => {
  const { id } = await manage.database.signedUp({ email: 'there@example.com' })
  const passwordHash = await usher.context.hashing.hash(password)
  const users = [
    { email: 'ada@example.com', passwordHash, tenants: [{ id: tenant, name: 'Engines' }] },
    { email: 'there@example.com' },
    { email: 'ada@example.com' },
    { email: 'grace' },
  ]
  const checked = (await imports.lines(users, {}, 'check')).json()
  expect(checked).toMatchObject({ created: 1, existing: 2, rejected: 1 })
  expect(checked.lines.map(({ userId }: { userId: string | null }) => userId)).toEqual([null, id, null, null])
  expect(await imports.emails()).toEqual(['there@example.com'])
  const imported = (await imports.lines(users)).json()
  const withoutIds = ({ lines, ...counts }: { lines: object[] }) => ({
    ...counts,
    lines: lines.map((line) => ({ ...line, userId: null })),
  })
  expect(withoutIds(checked)).toEqual(withoutIds(imported))
})

it('importUsers and checkImport list the tenants that have no owner', async ({ imports }) => {
  const given = { id: tenant, name: 'Engines' }
  const named = { externalId: 'org_2', name: 'Tea', role: 'admin' }
  const users = [
    { email: 'ada@example.com', tenants: [given, { name: 'New' }] },
    { email: 'grace@example.com', tenants: [named] },
    { email: 'mary@example.com', tenants: [named, { name: 'Own', role: 'owner' }] },
  ]
  const listed = async (lines: object[], part?: 'check') =>
    (await imports.lines(lines, {}, part)).json().tenantsWithoutOwner
  const expected = (id: unknown) => [
    { id: tenant, externalId: null, name: 'Engines' },
    { id, externalId: null, name: 'New' },
    { id, externalId: 'org_2', name: 'Tea' },
  ]
  const byName = (tenants: { name: string }[]) =>
    tenants.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  expect(byName(await listed(users, 'check'))).toEqual(expected(null))
  expect(byName(await listed(users))).toEqual(expected(expect.any(String)))
  // A tenant is also found by its external id, although its users exist.
  expect(byName(await listed(users, 'check'))).toMatchObject([{ name: 'Engines' }, { name: 'Tea' }])
  const owner = { email: 'owner@example.com', tenants: [{ ...given, role: 'owner' }] }
  expect(await listed([owner, ...users])).toMatchObject([{ name: 'Tea' }])
})

it('importUsers computes no hash, and limits what failed logins will cost', async ({ usher, imports }) => {
  const { hashing } = usher.context
  const used = [vi.spyOn(hashing, 'hash'), vi.spyOn(hashing, 'verify')]
  const users = Array.from({ length: 1000 }, (_, index) => ({
    email: `user${index}@example.com`,
    passwordHash: `$argon2id$v=19$m=65536,t=${index + 3},p=1$c29tZXNhbHRzb21lc2FsdA$${'A'.repeat(43)}`,
  }))
  const { lines, created, rejected } = (await imports.lines(users)).json()
  expect([created + rejected, created < 20, created > 0]).toEqual([1000, true, true])
  expect(lines.at(-1).errors).toMatchObject([{ path: 'passwordHash' }])
  for (const spy of used) expect(spy).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

it('an import into a tenant that is deleted meanwhile is to be repeated, and stores nothing', async ({
  store,
  manage,
  imports,
}) => {
  const { database } = manage
  const { tenants } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
  const line = { email: 'grace@example.com', tenants: [{ id: tenants[0], name: 'Engines' }] }
  const [response] = await store.transaction(database.id, async (query) => {
    // So that the import waits between its tenants and its memberships.
    await query('LOCK TABLE usher.membership IN SHARE MODE', [])
    const imported = imports.lines([line])
    await expect.poll(() => lockWaits(store), { timeout: 10_000 }).toBe(1)
    await query('DELETE FROM usher.tenant WHERE database_id = $1::uuid', [database.id])
    return [imported]
  })
  const { statusCode, json } = (await response) as Awaited<ReturnType<typeof imports.lines>>
  expect([statusCode, json().code]).toEqual([503, 'unavailable'])
  expect(await imports.emails()).toEqual(['ada@example.com'])
  expect((await imports.lines([line])).json()).toMatchObject({ created: 1 })
})

it('importUsers creates the user of a later line if another transaction takes the id of the first one', async ({
  store,
  manage,
  imports,
}) => {
  const { id: databaseId } = manage.database
  const id = '01a1fc71-4073-7005-9035-32d538fe4e27'
  const joined = (externalId: string) => [{ name: 'Looms', externalId }]
  const [response] = await store.prisma.$transaction(
    async (other) => {
      const email = 'eve@example.com'
      const row = { databaseId, id, email, canonicalEmail: email, passwordHash: '', createdAt: new Date() }
      await other.user.create({ data: row })
      const imported = imports.lines([
        { id, email: 'ada@example.com', tenants: joined('x') },
        { email: 'ada@example.com', tenants: joined('y') },
        { email: 'grace@example.com', tenants: joined('x') },
        { email: 'ada@example.com' },
        { email: 'bob@example.com' },
      ])
      await expect.poll(() => lockWaits(store), { timeout: 10_000 }).toBe(1)
      return [imported]
    },
    { timeout: 20_000 },
  )
  const { lines } = (await response)?.json() ?? {}
  expect(lines).toMatchObject([
    { status: 'rejected', errors: [{ path: 'id' }] },
    { status: 'created' },
    { status: 'created' },
    { status: 'exists', userId: lines[1].userId },
    { status: 'created' },
  ])
  expect(await imports.emails()).toEqual(['ada', 'bob', 'eve', 'grace'].map((name) => `${name}@example.com`))
  const tenants = await store.prisma.tenant.findMany({
    where: { databaseId },
    include: { memberships: true },
  })
  expect(tenants.map(({ externalId, memberships }) => [externalId, memberships.length]).sort()).toEqual([
    ['x', 1],
    ['y', 1],
  ])
})
