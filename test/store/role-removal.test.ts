import { expect, vi } from 'vitest'
import { lockWaits } from '../support/lock-waits.js'
import { setDatabase } from '../support/operator-changes.js'
import type { TestStore } from '../support/store.js'
import { it as tenantTest } from '../support/tenants.js'

const it = tenantTest.extend('storeKind', { scope: 'worker' }, 'postgres')

/** Waits until a number of statements wait for a lock, or a change has ended that should have been among them. */
const waitingOrEnded = (store: TestStore, count: number, change?: Promise<unknown>) =>
  Promise.race([
    vi.waitFor(async () => expect(await lockWaits(store)).toBe(count), { timeout: 4_000 }),
    ...(change ? [change.catch(() => undefined)] : []),
  ])

it('a role that a member is getting cannot be removed', async ({ usher, store, tenants }) => {
  const { database, founder, joined, roles } = tenants
  await setDatabase(store, database, { roles: ['billing'] })
  const { owner, id } = await founder()
  const member = await joined(id)
  const [change, removal] = await store.prisma.$transaction(
    async (transaction) => {
      // The change waits for the member after it has checked the role.
      await transaction.$queryRaw`SELECT FROM usher.membership
        WHERE database_id = ${database.id}::uuid AND user_id = ${member.id}::uuid FOR UPDATE`
      const begun = owner.as('PATCH', `${id}/members/${member.id}`, { role: 'billing' })
      await waitingOrEnded(store, 1)
      const second = setDatabase(usher.store, database, { roles: [] }).catch((error) => error.code)
      await waitingOrEnded(store, 2, second)
      return [begun, second] as const
    },
    { timeout: 20_000 },
  )
  expect([(await change)[0], await removal]).toEqual([200, 'role_in_use'])
  expect((await roles(id)).get(member.id)).toBe('billing')
})

it('a role that is being removed cannot be given', async ({ store, tenants }) => {
  const { database, founder, joined, roles } = tenants
  await setDatabase(store, database, { roles: ['billing'] })
  const { owner, id } = await founder()
  const member = await joined(id)
  const [removal, change] = await store.prisma.$transaction(
    async (transaction) => {
      // The removal waits for the database after it has found that no one has the role.
      await transaction.$queryRaw`SELECT FROM usher.database WHERE id = ${database.id}::uuid FOR UPDATE`
      const begun = setDatabase(store, database, { roles: [] })
      await waitingOrEnded(store, 1)
      const second = owner.as('PATCH', `${id}/members/${member.id}`, { role: 'billing' })
      await waitingOrEnded(store, 2, second)
      return [begun, second] as const
    },
    { timeout: 20_000 },
  )
  expect([(await removal).roles, (await change)[0]]).toEqual([[], 400])
  expect((await roles(id)).get(member.id)).toBe('member')
})
