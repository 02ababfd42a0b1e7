import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { addBystanders } from '../store/bystanders.js'
import { it as managementTest } from '../support/management.js'
import { everyOperation } from '../support/operations.js'
import { setDatabase } from '../support/operator-changes.js'
import type { Scene } from '../support/scene.js'

/** `it` with a user and a tenant of the database of the key, and the ids of rows of another database. */
const it = managementTest.extend('ids', async ({ usher, store, manage }) => {
  await setDatabase(store, manage.database, { appUrl: 'https://app.example.com' })
  const other = await usher.newDatabase()
  const where = { databaseId: other.id }
  const expectUnchanged = await addBystanders(store, { ...where, now: new Date(usher.clock.now) })
  const { id: invitationId, tenantId } = await store.prisma.invitation.findFirstOrThrow({ where })
  const { id: userId } = await store.prisma.user.findFirstOrThrow({ where })
  const { key } = await manage.newKey()
  const own = { userId: (await manage.database.signedUp()).id, tenantId: '' }
  own.tenantId = (await manage.send(key, 'POST', 'tenants', { name: 'Engines' })).json().id
  const send = (method: Method, path: string, payload?: object) => manage.send(key, method, path, payload)
  const user = await manage.database.signedUp()
  const scene = { user: { ...user, email: 'ada@example.com' }, invitedEmail: 'grace@example.com' } as Scene
  return { own, foreign: { invitationId, tenantId, userId }, send, expectUnchanged, scene }
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const names = ['userId', 'tenantId', 'invitationId'] as const
/** The operations on ids, once for each id of their path. */
const cases = everyOperation
  .filter(({ api }) => api === 'management')
  .flatMap(({ name: operation, route: { path, method }, operation: { body } }) =>
    names
      .filter((name) => path.includes(`:${name}`))
      .map((name) => ({ operation, name, method, path: path.split('/management/')[1] ?? '', body })),
  )

it('every operation treats an id of another database like an unknown one, and changes nothing there', async ({
  ids,
}) => {
  for (const { operation, method, path, name, body } of cases) {
    const outcome = async (id: string) => {
      const given: Record<string, string | undefined> = { ...ids.own, [name]: id }
      const filled = path.replace(/:(\w+)/g, (_, each) => given[each] ?? randomUUID())
      const response = await ids.send(method, filled, await body?.(ids.scene))
      return { operation, name, status: response.statusCode, code: response.body && response.json().code }
    }
    const unknown = await outcome(randomUUID())
    expect([404, 204], operation).toContain(unknown.status)
    expect(await outcome(ids.foreign[name])).toEqual(unknown)
  }
  await ids.expectUnchanged()
})

it('no filter and no tenant of a new user finds what another database has', async ({ ids }) => {
  const { userId, tenantId } = ids.foreign
  expect((await ids.send('GET', `users?ids=${userId}`)).json().users).toEqual([])
  expect((await ids.send('GET', `users?tenant=${tenantId}`)).json().code).toBe('tenant_not_found')
  const added = { email: 'grace@example.com', tenants: [{ id: tenantId }] }
  expect((await ids.send('POST', 'users', added)).json().code).toBe('tenant_not_found')
  await ids.expectUnchanged()
})
