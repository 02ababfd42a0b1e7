import { randomUUID } from 'node:crypto'
import { Scope } from '@usher/contract/management'
import { describe, expect } from 'vitest'
import { it } from '../support/management.js'
import { revokeApiKey, rotateApiKey } from '../support/operator-changes.js'
import { whileRefusing } from './refused-writes.js'

describe('an API key', () => {
  it('reads the users of its database', async ({ manage }) => {
    const { database } = manage
    const { id } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
    const { key } = await manage.newKey(['users:read'])
    const user = await manage.send(key, 'GET', `users/${id}`)
    expect(user.json()).toMatchObject({ id, email: 'ada@example.com', disabled: false, sessions: 0 })
    expect(user.json().memberships).toMatchObject([{ name: 'Engines' }])
    expect((await manage.send(key, 'GET', `users/${randomUUID()}`)).json().code).toBe('user_not_found')
  })

  it('is refused in another database, mistyped, expired, revoked, or if it is a token', async ({
    usher,
    store,
    manage,
  }) => {
    const { database } = manage
    const { token } = await database.signedUp()
    const ofOther = await manage.newKey(Scope.options, await usher.newDatabase())
    const revoked = await manage.newKey()
    expect((await manage.send(revoked.key, 'GET', 'users')).statusCode).toBe(200)
    await revokeApiKey(store, database, revoked.id)
    const { key } = await manage.newKey()
    const mistyped = key.slice(0, -8) + (key.at(-8) === 'a' ? 'b' : 'a') + key.slice(-7)
    for (const bad of [undefined, 'usher', token.jwt, ofOther.key, revoked.key, mistyped]) {
      const { statusCode, headers, body } = await manage.send(bad, 'GET', 'users')
      expect([statusCode, JSON.parse(body).code]).toEqual([401, 'key_invalid'])
      expect(headers['www-authenticate']).toMatch(/^Bearer realm=/)
    }
    usher.clock.now += 3_599_999
    expect((await manage.send(key, 'GET', 'users')).statusCode).toBe(200)
    usher.clock.now += 1
    expect((await manage.send(key, 'GET', 'users')).statusCode).toBe(401)
  })

  it('is refused by the next request that reads a user, after it was accepted', async ({
    usher,
    store,
    manage,
  }) => {
    const { database } = manage
    const { id } = await database.signedUp()
    const statusOf = async (key: string) => (await manage.send(key, 'GET', `users/${id}`)).statusCode
    const revoked = await manage.newKey()
    const expiring = await manage.newKey()
    const other = await usher.newDatabase()
    const ofOther = await manage.newKey(Scope.options, other)
    const withoutScope = await manage.newKey(['tenants:read'])
    for (const { key } of [revoked, expiring])
      expect([await statusOf(key), await statusOf(key)]).toEqual([200, 200])
    await manage.send(withoutScope.key, 'GET', 'tenants')
    expect(await statusOf(withoutScope.key)).toBe(403)
    expect(await statusOf(ofOther.key)).toBe(401)
    await revokeApiKey(store, database, revoked.id)
    expect([await statusOf(revoked.key), await statusOf(revoked.key)]).toEqual([401, 401])
    usher.clock.now += 3_600_000
    expect(await statusOf(expiring.key)).toBe(401)
  })

  it('is no access token', async ({ manage }) => {
    const { database } = manage
    const { key } = await manage.newKey()
    expect((await database.me(key)).json().code).toBe('token_invalid')
  })

  it('that is replaced is accepted until the overlap has passed', async ({ usher, manage }) => {
    const { database } = manage
    const first = await manage.newKey()
    const { id } = first
    const second = await rotateApiKey(manage.operation(), database, { id, overlapSeconds: 60 })
    const statuses = async () =>
      Promise.all([first, second].map(async ({ key }) => (await manage.send(key, 'GET', 'users')).statusCode))
    expect(await statuses()).toEqual([200, 200])
    usher.clock.now += 60_000
    expect(await statuses()).toEqual([401, 200])
  })

  it('needs the scope of the operation, which the response names', async ({ manage }) => {
    const { key } = await manage.newKey(['tenants:read'])
    const { statusCode, headers, body } = await manage.send(key, 'GET', 'users')
    expect([statusCode, JSON.parse(body).code]).toEqual([403, 'insufficient_scope'])
    expect(headers['www-authenticate']).toContain('error="insufficient_scope", scope="users:read"')
  })

  it('shows the day of its last use, in UTC', async ({ usher, store, manage }) => {
    const { database } = manage
    const { key, id } = await manage.newKey()
    const lastUse = async () =>
      (
        await store.prisma.apiKey.findUniqueOrThrow({
          where: { databaseId_id: { databaseId: database.id, id } },
        })
      ).lastUsedOn
    expect(await lastUse()).toBeNull()
    await manage.send(key, 'GET', 'users')
    const today = new Date(usher.clock.now).toISOString().slice(0, 10)
    expect(await lastUse()).toEqual(new Date(today))
  })

  it('reads while the store accepts no writes, which cannot note its use', async ({ store, manage }) => {
    const { key } = await manage.newKey(['users:read'])
    const responses = await whileRefusing(store, 'api_key', 'read_only_sql_transaction', async () => [
      await manage.send(key, 'GET', 'users'),
      await manage.send(key, 'GET', 'users'),
    ])
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  })
})

describe('the list of users', () => {
  it('has pages, which together have every user once', async ({ manage }) => {
    const { database } = manage
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push((await database.signedUp()).id)
    const { key } = await manage.newKey()
    const found: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const page = await manage.send(key, 'GET', `users?limit=2${after && `&after=${after}`}`)
      found.push(...page.json().users.map(({ id }: { id: string }) => id))
      after = page.json().next
    }
    expect(found).toEqual(ids.toSorted())
  })

  it('finds a user by any spelling of the address, and the users of a tenant', async ({ manage }) => {
    const { database } = manage
    const ada = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
    await database.signedUp()
    const { key } = await manage.newKey()
    for (const filter of ['email=ADA@example.com', `tenant=${ada.tenants[0]}`]) {
      const { users, next } = (await manage.send(key, 'GET', `users?${filter}`)).json()
      expect([users.map(({ id }: { id: string }) => id), next]).toEqual([[ada.id], null])
    }
    const unknown = await manage.send(key, 'GET', `users?tenant=${randomUUID()}`)
    expect(unknown.json().code).toBe('tenant_not_found')
  })

  it('finds users by their ids, and those who are disabled or not', async ({ manage }) => {
    const { database } = manage
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await database.signedUp()).id)
    const [first, second, third] = ids.toSorted()
    const { key } = await manage.newKey()
    await manage.send(key, 'PATCH', `users/${second}`, { disabled: true })
    const find = async (query: string) =>
      (await manage.send(key, 'GET', `users?${query}`)).json().users.map(({ id }: { id: string }) => id)
    expect(await find(`ids=${third},${first},${randomUUID()}`)).toEqual([first, third])
    expect(await find(`ids=${third},${first}&after=${first}`)).toEqual([third])
    expect(await find('disabled=true')).toEqual([second])
    expect(await find('disabled=false')).toEqual([first, third])
  })

  it('finds users by the begin of the address, ordered by it', async ({ manage }) => {
    const { database } = manage
    const emails = ['ada.b', 'Ada', 'ada_c', 'adá', 'adam', 'bob', 'ada-z'].map(
      (name) => `${name}@example.com`,
    )
    for (const email of emails) await database.signedUp({ email })
    const { key } = await manage.newKey()
    async function find(prefix: string, limit: number) {
      const found: string[] = []
      let after: string | null = ''
      while (after !== null) {
        const path: string = `users?emailPrefix=${encodeURIComponent(prefix)}&limit=${limit}${after && `&after=${after}`}`
        const { users, next }: { users: { email: string }[]; next: string | null } = (
          await manage.send(key, 'GET', path)
        ).json()
        found.push(...users.map(({ email }: { email: string }) => email.replace('@example.com', '')))
        after = next
      }
      return found
    }
    expect(await find('ADA', 2)).toEqual(['ada-z', 'ada.b', 'Ada', 'ada_c', 'adam'])
    expect(await find('ad', 4)).toEqual(['ada-z', 'ada.b', 'Ada', 'ada_c', 'adam', 'adá'])
    expect(await find('ada_', 50)).toEqual(['ada_c'])
    expect(await find('ad%', 50)).toEqual([])
    expect(await find('bob@example.com', 50)).toEqual(['bob'])
  })

  it('lists users by address and by time of sign-up, in both directions', async ({ manage }) => {
    const { key } = await manage.newKey()
    const users = [
      { email: 'b@example.com', createdAt: '2026-01-03T00:00:00.000Z' },
      { email: 'C@example.com', createdAt: '2026-01-01T00:00:00.000Z' },
      { email: 'a@example.com', createdAt: '2026-01-02T00:00:00.000Z' },
      { email: 'd@example.com', createdAt: '2026-01-02T00:00:00.000Z' },
    ]
    const lines = Buffer.from(users.map((user) => JSON.stringify(user)).join('\n'))
    await manage.send(key, 'POST', 'users/import', lines, { 'content-type': 'application/x-ndjson' })
    async function list(order: string) {
      const found: string[] = []
      let after: string | null = ''
      while (after !== null) {
        const path: string = `users?order=${order}&limit=1${after && `&after=${after}`}`
        const page = (await manage.send(key, 'GET', path)).json()
        for (const { email } of page.users) found.push(email[0])
        after = page.next
      }
      return found.join('')
    }
    expect([await list('email'), await list('-email')]).toEqual(['abCd', 'dCba'])
    const byTime = await list('createdAt')
    expect(byTime).toMatch(/^C(ad|da)b$/)
    expect(await list('-createdAt')).toBe([...byTime].reverse().join(''))
  })

  it('finds users and tenants by the begin of the name, ordered by it', async ({ manage }) => {
    const { database } = manage
    const { key } = await manage.newKey()
    const names = ['Ada', 'ADAM', 'ada lovelace', 'adá', 'Bob', 'a%', 'Ada']
    for (const [index, preferredName] of names.entries())
      await database.signedUp({ email: `named-${index}@example.com`, preferredName })
    for (const name of names) await manage.send(key, 'POST', 'tenants', { name })
    async function find(list: 'users' | 'tenants', prefix: string, limit: number) {
      const found: string[] = []
      let after: string | null = ''
      while (after !== null) {
        const path: string = `${list}?namePrefix=${encodeURIComponent(prefix)}&limit=${limit}${after && `&after=${after}`}`
        const page = (await manage.send(key, 'GET', path)).json()
        for (const { preferredName, name = preferredName } of page[list]) found.push(name)
        after = page.next
      }
      return found
    }
    for (const list of ['users', 'tenants'] as const) {
      expect(await find(list, 'aDA', 2)).toEqual(['Ada', 'Ada', 'ada lovelace', 'ADAM'])
      expect(await find(list, 'ad', 4)).toEqual(['Ada', 'Ada', 'ada lovelace', 'ADAM', 'adá'])
      expect(await find(list, 'a%', 50)).toEqual(['a%'])
      expect(await find(list, 'bobby', 50)).toEqual([])
    }
  })

  it.for([
    ['tenants', 'namePrefix=', 'namePrefix', 'must not be blank'],
    ['tenants', 'namePrefix=a&externalId=a', 'namePrefix', 'is a second filter'],
    ['users', 'order=name', 'order', 'must be email, -email, createdAt or -createdAt'],
    ['users', 'order=email&disabled=true', 'order', 'is a second filter'],
    ['users', `order=createdAt&after=${randomUUID()}`, 'after', 'must be `next` of an earlier response'],
    [
      'users',
      `order=createdAt&after=${Buffer.from(`${randomUUID()}now`).toString('base64url')}`,
      'after',
      'must be `next` of an earlier response',
    ],
    ['tenants', 'after=eA', 'after', 'must be `next` of an earlier response'],
    ['tenants', `namePrefix=a&after=${randomUUID()}`, 'after', 'must be `next` of an earlier response'],
    ['users', `namePrefix=a&after=${randomUUID()}`, 'after', 'must be `next` of an earlier response'],
    [
      'users',
      `namePrefix=a&after=${Buffer.from(`${randomUUID()}a\0`).toString('base64url')}`,
      'after',
      'must be `next` of an earlier response',
    ],
  ])('refuses %s?%s', async ([list, query, path, detail], { manage }) => {
    const { key } = await manage.newKey()
    const { statusCode, body } = await manage.send(key, 'GET', `${list}?${query}`)
    const [error] = JSON.parse(body).errors
    expect([statusCode, error.path]).toEqual([400, path])
    expect(error.detail).toContain(detail)
  })

  it.for([
    ['emailPrefix=', 'emailPrefix', 'must not be blank'],
    ['emailPrefix=%00', 'emailPrefix', ''],
    [`emailPrefix=a&after=${randomUUID()}`, 'after', 'must be `next` of an earlier response'],
    ['emailPrefix=a&after=eA', 'after', 'must be `next` of an earlier response'],
    ['emailPrefix=a&email=a@example.com', 'emailPrefix', 'is a second filter'],
    ['disabled=1', 'disabled', 'must be true or false'],
    ['tenant=engines', 'tenant', 'must be a UUID'],
    ['ids=', 'ids', 'must be 1 to 100 UUIDs'],
    [`ids=${Array.from({ length: 101 }, () => randomUUID())}`, 'ids', 'must be 1 to 100 UUIDs'],
    ['emial=ada@example.com', 'query', 'emial'],
    ['limit=0', 'limit', 'must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit', 'must be a whole number from 1 to 1000'],
    ['after=1', 'after', 'must be `next` of an earlier response'],
    ['email=ada', 'email', 'must be an email address'],
    [`email=ada@example.com&tenant=${randomUUID()}`, 'tenant', 'is a second filter'],
  ])('refuses %s', async ([query, path, detail], { manage }) => {
    const { key } = await manage.newKey()
    const { statusCode, body } = await manage.send(key, 'GET', `users?${query}`)
    const [error] = JSON.parse(body).errors
    expect([statusCode, error.path]).toEqual([400, path])
    expect(error.detail).toContain(detail)
  })
})
