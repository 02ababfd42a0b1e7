import { expect } from 'vitest'
import { it } from '../support/api.js'
import { password, start } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { keptEvents } from '../support/tenants.js'

it('deletes the user, the sessions, and the tenants that have no other user', async ({ usher, database }) => {
  const email = 'ada@example.com'
  const user = await database.opened({ email, newTenant: 'Own' })
  const other = await database.signedUp({ newTenant: 'Shared' })
  const [own = ''] = user.tenants
  const [shared = ''] = other.tenants
  const databaseId = database.id
  const { membership, tenant, session } = usher.store.prisma
  const joinedAt = new Date(start)
  await membership.createMany({ data: [{ databaseId, userId: user.id, tenantId: shared, joinedAt }] })
  const response = await database.as(user.token.jwt, 'POST', 'me/deletion', { password })
  expect([response.statusCode, response.body]).toEqual([204, ''])
  const deletedOf = (tenantId: string) =>
    `"audit":"tenant.deleted","databaseId":"${databaseId}","tenantId":"${tenantId}","actorId":"${user.id}"`
  await expect.poll(usher.logged).toContain(deletedOf(own))
  expect(usher.logged()).not.toContain(deletedOf(shared))
  expect((await database.me(user.token.jwt)).json().code).toBe('token_invalid')
  expect((await database.refresh(user.refreshToken.value)).json().code).toBe('session_ended')
  expect((await database.login({ email, password })).statusCode).toBe(401)
  const left = await tenant.findMany({ where: { databaseId, id: { in: [own, shared] } } })
  expect(left.map(({ name }) => name)).toEqual(['Shared'])
  expect(await session.count({ where: { databaseId, userId: user.id } })).toBe(0)
  expect((await database.me(other.token.jwt)).json().tenants).toEqual([shared])
  expect((await database.signedUp({ email })).id).not.toBe(user.id)
})

it('deleting a user without tenants causes no event of a tenant', async ({ usher, database }) => {
  await setDatabase(usher.store, database, { eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  const user = await database.signedUp()
  await database.as(user.token.jwt, 'POST', 'me/deletion', { password })
  expect(await keptEvents(usher, database.id)).toEqual([
    { type: 'user.created', userId: user.id },
    { type: 'user.deleted', userId: user.id },
  ])
})

it('deleting a user causes events of the tenants that are deleted too', async ({ usher }) => {
  const database = await usher.newDatabase()
  await setDatabase(usher.store, database, { eventsKept: 1 })
  const { id: userId, tenants, token } = await database.signedUp({ newTenant: 'Engines' })
  const [tenantId] = tenants
  await database.as(token.jwt, 'POST', 'me/deletion', { password })
  expect(await keptEvents(usher, database.id)).toEqual([
    { type: 'tenant.created', userId, tenantId },
    { type: 'tenant.deleted', tenantId },
    { type: 'tenant.user_added', userId, tenantId },
    { type: 'user.created', userId },
    { type: 'user.deleted', userId },
  ])
})

it('deleteMe requires the password', async ({ usher, database }) => {
  const user = await database.signedUp()
  const remove = async (body: object) => {
    const response = await database.as(user.token.jwt, 'POST', 'me/deletion', body)
    return [response.statusCode, response.json().code]
  }
  expect(await remove({ password: 'wrong password' })).toEqual([400, 'validation_failed'])
  expect(await remove({})).toEqual([400, 'validation_failed'])
  const elsewhere = await usher.newDatabase()
  const response = await elsewhere.as(user.token.jwt, 'POST', 'me/deletion', { password })
  expect(response.json().code).toBe('token_invalid')
  expect((await database.me(user.token.jwt)).statusCode).toBe(200)
})
