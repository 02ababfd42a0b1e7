import { describe, expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { start, validUser } from '../support/app.js'

const it = apiTest.extend(
  'signUp',
  ({ usher, database }) =>
    (key: string, body: object, users = database.users) =>
      usher.send({ method: 'POST', url: users, payload: body, headers: { 'idempotency-key': key } }),
)

describe('a sign-up sent again under its key', () => {
  it('gets the same user and tenant, and a token of its own', async ({ usher, database, signUp }) => {
    const body = validUser({ newTenant: 'Engines' })
    const [first, again] = [await signUp('again', body), await signUp('again', body)]
    expect([first.statusCode, again.statusCode]).toEqual([201, 201])
    expect(again.json()).toMatchObject({ id: first.json().id, tenants: first.json().tenants })
    expect(again.json().token.jwt).not.toBe(first.json().token.jwt)
    expect((await database.me(again.json().token.jwt)).json().id).toBe(first.json().id)
    const where = { databaseId: database.id, name: 'Engines' }
    expect(await usher.store.prisma.tenant.count({ where })).toBe(1)
  })

  it('is the same with its address in other letter case', async ({ signUp }) => {
    const body = validUser({ email: 'Case@example.com' })
    await signUp('case', body)
    expect((await signUp('case', { ...body, email: 'case@EXAMPLE.com' })).statusCode).toBe(201)
  })

  it.for([
    ['email', { email: 'other@example.com' }],
    ['tenant', { newTenant: 'Other' }],
    ['password', { password: 'another password' }],
  ] as const)('with another %s is refused and changes nothing', async ([what, change], { usher, signUp }) => {
    const body = validUser({ newTenant: 'Engines' })
    await signUp(`other ${what}`, body)
    const before = await usher.store.prisma.user.count()
    const response = await signUp(`other ${what}`, { ...body, ...change })
    expect(response.statusCode).toBe(422)
    expect(response.json().code).toBe('idempotency_key_reused')
    expect(await usher.store.prisma.user.count()).toBe(before)
  })

  it('is refused once its user is disabled', async ({ usher, database, signUp }) => {
    const body = validUser()
    const { id } = (await signUp('disabled', body)).json()
    await usher.store.prisma.user.updateMany({
      where: { databaseId: database.id, id },
      data: { disabledAt: new Date() },
    })
    expect((await signUp('disabled', body)).statusCode).toBe(422)
  })

  it('makes a new user once the first is deleted', async ({ usher, database, signUp }) => {
    const body = validUser()
    const { id } = (await signUp('deleted', body)).json()
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id } })
    const response = await signUp('deleted', body)
    expect(response.statusCode).toBe(201)
    expect(response.json().id).not.toBe(id)
  })

  it('lists the tenants of now', async ({ usher, database, signUp }) => {
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

describe('a key', () => {
  it('is kept for 24 hours', async ({ signUp, clock }) => {
    const body = validUser()
    await signUp('day', body)
    clock.now = start + 24 * 3_600_000
    expect((await signUp('day', body)).statusCode).toBe(201)
    clock.now += 1
    expect((await signUp('day', body)).json().code).toBe('email_taken')
  })

  it('may be used for another sign-up after that', async ({ signUp, clock }) => {
    await signUp('reused', validUser())
    clock.now = start + 24 * 3_600_000 + 1
    expect((await signUp('reused', validUser())).statusCode).toBe(201)
  })

  it('is of one database alone', async ({ usher, signUp }) => {
    const other = await usher.newDatabase()
    const first = await signUp('shared', validUser())
    const second = await signUp('shared', validUser(), other.users)
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
  })

  it('does not turn a taken address into another’s account', async ({ database, signUp }) => {
    const body = validUser()
    await database.createUser(body)
    expect((await signUp('late', body)).json().code).toBe('email_taken')
  })

  it.for([
    ['0', '', 'blank'],
    ['256', 'x'.repeat(256), 'too_long'],
  ] as const)('of %s characters is refused', async ([, key, code], { signUp }) => {
    const response = await signUp(key, validUser())
    expect(response.statusCode).toBe(400)
    expect(response.json().errors).toMatchObject([{ path: 'idempotency-key', code }])
  })

  it('is not stored as it came', async ({ usher, signUp }) => {
    await signUp('a key to look for', validUser())
    const rows = await usher.store.prisma.idempotencyKey.findMany()
    expect(rows.map(({ key }) => Buffer.from(key).toString('latin1')).join()).not.toContain('look for')
  })
})

describe('ten at once', () => {
  it('with one key and one body make one user and get ten equal answers', async ({
    usher,
    database,
    signUp,
  }) => {
    const body = validUser({ newTenant: 'Race' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUp('race', body)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(201))
    const users = answers.map((answer) => JSON.stringify([answer.json().id, answer.json().tenants]))
    expect(new Set(users).size).toBe(1)
    expect(await usher.store.prisma.tenant.count({ where: { databaseId: database.id, name: 'Race' } })).toBe(
      1,
    )
  })

  it('with one key and other addresses make one user, the others are refused', async ({ signUp }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUp('race of bodies', validUser())))
    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(422)])
  })
})
