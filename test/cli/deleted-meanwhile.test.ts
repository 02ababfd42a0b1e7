import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { lockWaits } from '../support/lock-waits.js'
import type { OpenStore } from '../support/open-store.js'
import { it } from '../support/operator.js'
import { createTenant, deleteTenant, deleteUser, putMember } from '../support/operator-changes.js'

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
  const transaction: OpenStore['transaction'] = async (...parameters) => {
    if (isFirst) {
      isFirst = false
      await work()
    }
    return store.transaction(...parameters)
  }
  return { ...store, prisma: changed, loadPrisma: async () => changed, transaction }
}

it('a user whom another command deletes meanwhile counts as deleted once', async ({ usher, database }) => {
  const { store } = usher
  const { id } = await database.signedUp()
  const now = new Date()
  const remove = (on: OpenStore) => deleteUser({ store: on, now }, database, id)
  const second = remove(storeAfter(store, () => remove(store)))
  await expect(second).rejects.toThrow(`User ${id} does not exist in ${database.path}`)
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
  await expect(second).rejects.toThrow(`Tenant ${id} does not exist in ${database.path}`)
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
  await expect(added).rejects.toThrow(`Tenant ${id} does not exist in ${database.path}`)
})

/**
 * What the import does, the statement for whose locks it waits, the deletion that follows, the outcome, and how many users are
 * added.
 */
const deletions = [
  [
    'creates a tenant again that is deleted meanwhile',
    'SELECT FROM usher.tenant WHERE database_id = $1::uuid FOR UPDATE',
    'DELETE FROM usher.tenant WHERE database_id = $1::uuid',
    /^0 Added 1 user\./,
    1,
  ],
  [
    'reports that the database does not exist if it is deleted meanwhile',
    // On Citus only a write locks the row on the node that has the users.
    'DELETE FROM usher.database WHERE id = $1::uuid',
    undefined,
    /^3 usher: database .* does not exist/,
    0,
  ],
  [
    'adds no user to a database whose deletion begins meanwhile',
    'SELECT FROM usher.tenant WHERE database_id = $1::uuid FOR UPDATE',
    `WITH keys AS (DELETE FROM usher.signing_key WHERE database_id = $1::uuid)
      DELETE FROM usher.tenant WHERE database_id = $1::uuid`,
    /^1 usher: database .* is being deleted/,
    0,
  ],
] as const

it.for(deletions)(
  'user import %s',
  async ([, lock, deletion, outcome, added], { usher, database, onTestFinished }) => {
    const { store } = usher
    const { tenants } = await database.signedUp({ newTenant: 'Engines' })
    const folder = await mkdtemp(join(tmpdir(), 'usher-deleted-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'users.ndjson')
    const line = { email: 'grace@example.com', tenants: [{ id: tenants[0], name: 'Engines' }] }
    await writeFile(file, JSON.stringify(line))
    const [running] = await store.transaction(database.id, async (query) => {
      await query(lock, [database.id])
      const imported = usher.outcome(`user import ${database.path} ${file}`)
      await expect.poll(() => lockWaits(store), { timeout: 30_000 }).toBe(1)
      if (deletion) await query(deletion, [database.id])
      return [imported]
    })
    expect(await running).toMatch(outcome)
    const where = { databaseId: database.id, email: line.email }
    expect(await store.prisma.user.count({ where })).toBe(added)
  },
)
