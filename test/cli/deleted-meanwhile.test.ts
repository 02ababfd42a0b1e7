import { expect } from 'vitest'
import { putMember } from '../../server/domain/management/members.js'
import { createTenant, deleteTenant } from '../../server/domain/management/tenants.js'
import { deleteUser } from '../../server/domain/management/users/change-user.js'
import type { OpenStore } from '../support/open-store.js'
import { it } from '../support/operator.js'

/** Returns a store that does something else before its first transaction. */
function storeAfter({ prisma, ...store }: OpenStore, work: () => Promise<unknown>): OpenStore {
  let isFirst = true
  const late = async (...parameters: unknown[]) => {
    if (isFirst) {
      isFirst = false
      await work()
    }
    return Reflect.apply(prisma.$transaction, prisma, parameters)
  }
  const get = (target: typeof prisma, name: string) =>
    name === '$transaction' ? late : Reflect.get(target, name)
  const changed = new Proxy(prisma, { get: get as never })
  return { ...store, prisma: changed, loadPrisma: async () => changed }
}

it('a user whom another command deletes meanwhile counts as deleted once', async ({ usher, database }) => {
  const { store } = usher
  const { id } = await database.signedUp()
  const now = new Date()
  const remove = (on: OpenStore) =>
    deleteUser({ store: on, throttle: usher.context.throttle, now }, database, id)
  const second = remove(storeAfter(store, () => remove(store)))
  await expect(second).rejects.toThrow(`user ${id} does not exist in ${database.path}`)
})

it('a tenant that another command deletes meanwhile counts as deleted once', async ({ usher, database }) => {
  const { store } = usher
  const now = new Date()
  const { id } = await createTenant({ store, now }, database, { name: 'Engines' })
  const second = deleteTenant(
    { store: storeAfter(store, () => deleteTenant({ store, now }, database, id)), now },
    database,
    id,
  )
  await expect(second).rejects.toThrow(`tenant ${id} does not exist in ${database.path}`)
})

it('a user is not added to a tenant that is deleted meanwhile', async ({ usher, database }) => {
  const { store } = usher
  const now = new Date()
  const user = await database.signedUp()
  const { id } = await createTenant({ store, now }, database, { name: 'Engines' })
  const added = putMember(
    { store: storeAfter(store, () => deleteTenant({ store, now }, database, id)), now },
    database,
    { tenantId: id, userRef: user.id },
  )
  await expect(added).rejects.toThrow(`tenant ${id} does not exist in ${database.path}`)
})
