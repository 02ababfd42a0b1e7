import { describe, expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { start, validUser } from '../support/app.js'

const it = apiTest.extend(
  'signUp',
  ({ usher, database }) =>
    (key: string, body: object, users = database.users) =>
      usher.send({ method: 'POST', url: users, payload: body, headers: { 'idempotency-key': key } }),
)

describe('replayed sign-ups', () => {
  it('returns the same user and tenant, and a new token', async ({ usher, database, signUp }) => {
    const body = validUser({ newTenant: 'Engines' })
    const [first, again] = [await signUp('again', body), await signUp('again', body)]
    expect([first.statusCode, again.statusCode]).toEqual([201, 201])
    expect(again.json()).toMatchObject({ id: first.json().id, tenants: first.json().tenants })
    expect(again.json().token.jwt).not.toBe(first.json().token.jwt)
    expect((await database.me(again.json().token.jwt)).json().id).toBe(first.json().id)
    const where = { databaseId: database.id, name: 'Engines' }
    expect(await usher.store.prisma.tenant.count({ where })).toBe(1)
  })

  it('accepts a replay whose email differs only in letter case', async ({ signUp }) => {
    const body = validUser({ email: 'Case@example.com' })
    await signUp('case', body)
    expect((await signUp('case', { ...body, email: 'case@EXAMPLE.com' })).statusCode).toBe(201)
  })

  it.for([
    ['email', { email: 'other@example.com' }],
    ['tenant', { newTenant: 'Other' }],
    ['password', { password: 'another password' }],
  ] as const)(
    'returns 422 and stores nothing when a replay has another %s',
    async ([field, change], { usher, signUp }) => {
      const body = validUser({ newTenant: 'Engines' })
      await signUp(`other ${field}`, body)
      const before = await usher.store.prisma.user.count()
      const response = await signUp(`other ${field}`, { ...body, ...change })
      expect(response.statusCode).toBe(422)
      expect(response.json().code).toBe('idempotency_key_reused')
      expect(await usher.store.prisma.user.count()).toBe(before)
    },
  )

  it('returns 422 when the user of a replay is disabled', async ({ usher, database, signUp }) => {
    const body = validUser()
    const { id } = (await signUp('disabled', body)).json()
    await usher.store.prisma.user.updateMany({
      where: { databaseId: database.id, id },
      data: { disabledAt: new Date() },
    })
    expect((await signUp('disabled', body)).statusCode).toBe(422)
  })

  it('creates a new user when the user of a replay was deleted', async ({ usher, database, signUp }) => {
    const body = validUser()
    const { id } = (await signUp('deleted', body)).json()
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id } })
    const response = await signUp('deleted', body)
    expect(response.statusCode).toBe(201)
    expect(response.json().id).not.toBe(id)
  })

  it('returns the current tenants of the user', async ({ usher, database, signUp }) => {
    const body = validUser()
    const { id } = (await signUp('tenants', body)).json()
    const tenant = { databaseId: database.id, id: crypto.randomUUID(), name: 'T', createdAt: new Date(start) }
    await usher.store.prisma.tenant.create({ data: tenant })
    await usher.store.prisma.membership.create({
      data: { databaseId: database.id, userId: id, tenantId: tenant.id, joinedAt: new Date(start) },
    })
    expect((await signUp('tenants', body)).json().tenants).toEqual([tenant.id])
  })
})

describe('idempotency keys', () => {
  it('keeps a key for 24 hours', async ({ signUp, clock }) => {
    const body = validUser()
    await signUp('day', body)
    clock.now = start + 24 * 3_600_000
    expect((await signUp('day', body)).statusCode).toBe(201)
    clock.now += 1
    expect((await signUp('day', body)).json().code).toBe('email_taken')
  })

  it('accepts a key for another sign-up after 24 hours', async ({ signUp, clock }) => {
    await signUp('reused', validUser())
    clock.now = start + 24 * 3_600_000 + 1
    expect((await signUp('reused', validUser())).statusCode).toBe(201)
  })

  it('keeps the keys of different databases separate', async ({ usher, signUp }) => {
    const other = await usher.newDatabase()
    const first = await signUp('shared', validUser())
    const second = await signUp('shared', validUser(), other.users)
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
  })

  it('returns email_taken when a new key is sent with an existing email', async ({ database, signUp }) => {
    const body = validUser()
    await database.createUser(body)
    expect((await signUp('late', body)).json().code).toBe('email_taken')
  })

  it.for([
    ['0', '', 'blank'],
    ['256', 'x'.repeat(256), 'too_long'],
  ] as const)('rejects a key of %s characters', async ([, key, code], { signUp }) => {
    const response = await signUp(key, validUser())
    expect(response.statusCode).toBe(400)
    expect(response.json().errors).toMatchObject([{ path: 'idempotency-key', code }])
  })

  it('stores no key in plain text', async ({ usher, signUp }) => {
    await signUp('a key to look for', validUser())
    const rows = await usher.store.prisma.idempotencyKey.findMany()
    expect(rows.map(({ key }) => Buffer.from(key).toString('latin1')).join()).not.toContain('look for')
  })
})

describe('concurrent sign-ups with one key', () => {
  it('creates one user and returns it ten times when ten equal sign-ups share a key', async ({
    usher,
    database,
    signUp,
  }) => {
    const body = validUser({ newTenant: 'Race' })
    const responses = await Promise.all(Array.from({ length: 10 }, () => signUp('race', body)))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(201))
    const users = responses.map((response) => JSON.stringify([response.json().id, response.json().tenants]))
    expect(new Set(users).size).toBe(1)
    expect(await usher.store.prisma.tenant.count({ where: { databaseId: database.id, name: 'Race' } })).toBe(
      1,
    )
  })

  it('creates one user and returns 422 nine times when ten different sign-ups share a key', async ({
    signUp,
  }) => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => signUp('race of bodies', validUser())),
    )
    const statuses = responses.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(422)])
  })
})
