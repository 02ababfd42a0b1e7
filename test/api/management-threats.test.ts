import { createHash, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { managementContract, Scope } from '@usher/contract/management'
import { describe, expect, vi } from 'vitest'
import { newApiKey } from '../../server/domain/api-keys/api-key.js'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { it } from '../support/management.js'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a key with the id of another one, a wrong secret and a right checksum. */
function withWrongSecret(key: string) {
  const text = key.slice(0, -6).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  let checksum = ''
  for (let rest = crc32(text); checksum.length < 6; rest = Math.floor(rest / 62))
    checksum = digits[rest % 62] + checksum
  return text + checksum
}

const unnamed = (body: string) => body.replace(/"requestId":"[^"]*"/, '')

describe('a guessed key', () => {
  it('is refused alike, and after the same statements, whether its id exists or not', async ({
    usher,
    manage,
  }) => {
    const { key } = await manage.newKey()
    await manage.send(key, 'GET', 'tenants')
    const query = vi.spyOn(usher.context.store, 'query')
    const outcomes = async (guess: string) => {
      const seen: unknown[] = []
      for (let attempt = 0; attempt < 3; attempt++) {
        query.mockClear()
        const { statusCode, headers, body } = await manage.send(guess, 'GET', 'tenants')
        const { 'x-request-id': _, date: __, ...rest } = headers
        const statements = query.mock.calls.map(([text]) => text).filter((text) => text.includes('api_key'))
        seen.push([statusCode, rest, unnamed(body), statements])
      }
      return seen
    }
    const [unknown, wrong] = [await outcomes(newApiKey().text), await outcomes(withWrongSecret(key))]
    query.mockRestore()
    expect(wrong).toEqual(unknown)
    expect((await manage.send(key, 'GET', 'tenants')).statusCode).toBe(200)
  })

  it('reads no user, also with the id of a key that was accepted', async ({ usher, manage }) => {
    const { id } = await manage.database.signedUp()
    const { key } = await manage.newKey()
    for (let turn = 0; turn < 2; turn++)
      expect((await manage.send(key, 'GET', `users/${id}`)).statusCode).toBe(200)
    const query = vi.spyOn(usher.context.store, 'query')
    for (const guess of [newApiKey().text, withWrongSecret(key)])
      expect((await manage.send(guess, 'GET', `users/${id}`)).json().code).toBe('key_invalid')
    const statements = query.mock.calls.map(([text]) => text).filter((text) => text.includes('api_key'))
    query.mockRestore()
    expect(statements).toHaveLength(2)
    expect(statements.filter((text) => text.includes('usher."user"'))).toEqual([])
  })

  it('is compared in constant time', async () => {
    const { hasHash } = await import('../../server/domain/api-keys/api-key.js')
    expect(hasHash.toString()).toContain('timingSafeEqual')
  })
})

it('the id of a user of another database is like one that nobody has', async ({ usher, manage }) => {
  const { id } = await (await usher.newDatabase()).signedUp()
  const { key } = await manage.newKey()
  await manage.send(key, 'GET', `users/${randomUUID()}`)
  const query = vi.spyOn(usher.context.store, 'query')
  const outcome = async (userId: string) => {
    query.mockClear()
    const { statusCode, headers, body } = await manage.send(key, 'GET', `users/${userId}`)
    const { 'x-request-id': _, date: __, ...rest } = headers
    const text = unnamed(body).replaceAll(userId, 'id')
    // Without those that search for waiting messages at the same time.
    const statements = query.mock.calls.map(([text]) => text).filter((text) => !/outbox|pg_dist/.test(text))
    return [statusCode, rest, text, statements.sort()]
  }
  expect(await outcome(id)).toEqual(await outcome(randomUUID()))
  query.mockRestore()
})

const { users, tenants } = managementContract
const id = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'
const withBody = Object.entries({ ...users, ...tenants }).flatMap(([name, route]) =>
  'body' in route && 'safeParse' in Object(route.body) && !('lines' in route.metadata)
    ? [{ name, method: route.method, path: (route.path.split('/management/')[1] ?? '').replace(/:\w+/g, id) }]
    : [],
)
/** Fields of rows, and names by which a body could say who acts. */
const foreign = [
  ...['id', 'databaseId', 'createdAt', 'generation', 'emailVerifiedAt', 'disabledAt'],
  ...['canonicalEmail', 'scopes', 'apiKey', 'actor', 'operator', 'userId', 'tenantId'],
]

it.for(withBody)(
  '$name takes no field that the contract does not name',
  async ({ method, path }, { manage }) => {
    const { key } = await manage.newKey()
    for (const field of foreign) {
      const payload = Buffer.from(`{"${field}":"${id}"}`)
      const headers = { 'content-type': 'application/json' }
      const response = await manage.send(key, method, path, payload, headers)
      expect([field, response.statusCode]).toEqual([field, 400])
      expect(response.json().detail).toContain(`has unknown fields: ${field}`)
    }
  },
)

it('the key is the actor of a change, whatever headers and query say', async ({ usher, store, manage }) => {
  const { key, id: apiKey } = await manage.newKey()
  const other = await manage.newKey()
  const named = { 'x-actor': other.id, 'x-api-key': other.key, cookie: `apiKey=${other.key}` }
  const added = await manage.send(key, 'POST', 'tenants', { name: 'Engines' }, named)
  expect(added.statusCode).toBe(201)
  expect((await manage.send(key, 'POST', `tenants?apiKey=${other.id}`, { name: 'Looms' })).statusCode).toBe(
    400,
  )
  const ofTenant = auditRecords(usher).find(({ tenantId }) => tenantId === added.json().id)
  expect(ofTenant).toMatchObject({ audit: 'tenant.created', apiKey })
  expect(await store.prisma.tenant.count({ where: { databaseId: manage.database.id } })).toBe(1)
})

describe('a key without credentials:write', () => {
  const others = Scope.options.filter((scope) => scope !== 'credentials:write')
  it.for<[method: 'POST' | 'PATCH' | 'PUT', path: string, body: object]>([
    ['POST', 'users', { email: 'ada@example.com', password }],
    ['POST', 'users', { email: 'ada@example.com', passwordHash: '$2b$04$x' }],
    ['POST', 'users', { email: 'ada@example.com', emailVerified: true }],
    ['PATCH', 'users/:id', { email: 'ada@example.com' }],
    ['PATCH', 'users/:id', { emailVerified: true }],
    ['PUT', 'users/:id/password', { password: `new ${password}` }],
    ['POST', 'users/:id/codes', { purpose: 'password_reset', deliver: 'return' }],
  ])('cannot %s %s with %o', async ([method, path, body], { manage }) => {
    const user = await manage.database.signedUp()
    const { key } = await manage.newKey(others)
    const response = await manage.send(key, method, path.replace(':id', user.id), body)
    expect([response.statusCode, response.json().code]).toEqual([403, 'insufficient_scope'])
    expect(response.headers['www-authenticate']).toContain('scope="credentials:write"')
  })
})

it('no key, secret, name or metadata is in the log, also of refused requests', async ({ usher, manage }) => {
  const { key } = await manage.newKey()
  const secret = (of: string) => `secret of ${of} ${createHash('sha256').update(of).digest('hex')}`
  const metadata = { privateMetadata: { note: secret('private') }, metadata: { note: secret('shared') } }
  const body = { email: `${randomUUID()}@example.com`, externalId: secret('external'), ...metadata }
  const { id: userId } = (
    await manage.send(key, 'POST', 'users', { ...body, preferredName: secret('name') })
  ).json()
  await manage.send(key, 'POST', 'users', body)
  await manage.send(key, 'POST', 'tenants', {
    name: secret('tenant'),
    ...metadata,
    externalId: secret('external'),
  })
  await manage.send(key, 'POST', 'tenants', { name: secret('tenant'), externalId: secret('external') })
  await manage.send(key, 'PATCH', `users/${userId}`, { [secret('field')]: 1, ...metadata })
  await manage.send(key, 'PUT', `users/${userId}/password`, { password: secret('p').slice(0, 5) })
  await manage.send(key, 'POST', 'tenants', Buffer.from(`{"name":"${secret('cut')}`))
  await manage.send(key, 'GET', `users?externalId=${encodeURIComponent(secret('external'))}`)
  await manage.send(key, 'GET', `users?email=${encodeURIComponent(secret('query'))}`)
  await manage.send(`${key}x`, 'GET', 'users')
  await manage.send(withWrongSecret(key), 'GET', 'users')
  await manage.send(undefined, 'GET', `users?key=${key}`, undefined, { cookie: key, 'x-api-key': key })
  const fail = vi.spyOn(usher.context.store, 'transaction').mockRejectedValue(failure(secret('row')))
  const failed = await manage.send(key, 'POST', 'tenants', { name: secret('tenant'), ...metadata })
  fail.mockRestore()
  expect(failed.statusCode).toBe(500)
  const logged = usher.logged()
  expect(logged).toContain('internal error')
  const secrets = ['secret of ', key.slice(key.lastIndexOf('_')), key.slice(-20)]
  expect(secrets.filter((text) => logged.includes(text))).toEqual([])
})

/** What Postgres reports of a row that violates a constraint. */
const failure = (row: string) =>
  Object.assign(new Error('new row violates check constraint'), {
    code: '23514',
    detail: `Failing row contains (${row}).`,
    where: row,
    parameters: [row],
    meta: { target: row },
    cause: Object.assign(new Error('cause'), { detail: row }),
  })
