import { randomUUID } from 'node:crypto'
import { defaultSettings, notices } from '@usher/contract/settings'
import { expect, it, vi } from 'vitest'
import { createDatabaseLookup } from '../../server/domain/databases/find-database.js'
import { settingsOf } from '../../server/domain/databases/settings.js'
import { createDatabase } from '../../server/domain/management/databases.js'
import { createWorkspace } from '../../server/domain/management/workspaces.js'
import { rotateKeys } from '../support/operator-changes.js'
import { openTestStore } from '../support/store.js'

it('the columns of settings have the defaults of a new database, but for what an upgrade must not turn on', async () => {
  const store = await openTestStore()
  const workspaceId = randomUUID()
  const createdAt = new Date()
  await store.prisma.workspace.create({ data: { id: workspaceId, slug: 'defaults', createdAt } })
  const data = { id: randomUUID(), workspaceId, name: 'app', createdAt }
  // A column that a migration adds turns on no rights or mails for users of existing databases.
  const expected = {
    ...defaultSettings,
    tenantOperations: false,
    ...Object.fromEntries(Object.keys(notices).map((name) => [name, false])),
    secondFactor: 'off',
    botCheck: 'off',
  }
  expect(settingsOf(await store.prisma.database.create({ data }))).toEqual(expected)
  await store.close()
})

it('reads a database again after five seconds, and keeps its opened keys', async () => {
  const store = await openTestStore()
  const path = { workspaceSlug: 'kept', databaseName: 'app' }
  await createWorkspace(store, path.workspaceSlug, new Date())
  await createDatabase({ store, now: new Date() }, path, {})
  let cacheNow = 1
  const settings = { baseUrl: 'https://id.example.com', tokenMaxAgeSeconds: 3600 }
  const find = createDatabaseLookup(store, settings, { cacheNow: () => cacheNow })
  const before = await find(path)
  await store.prisma.database.updateMany({ where: { id: before.id }, data: { tokenMaxAge: 60 } })
  expect(await find(path)).toBe(before)
  cacheNow += 5_000
  expect(await find(path)).toBe(before)
  cacheNow += 1
  const after = await find(path)
  expect(after.tokenMaxAgeSeconds).toBe(60)
  expect(after.keys[0]?.verify).toBe(before.keys[0]?.verify)
  await rotateKeys({ store, now: new Date() }, path, 0)
  cacheNow += 5_001
  const { keys } = await find(path)
  expect(keys.map(({ verify }) => verify)).toEqual([expect.any(Function), before.keys[0]?.verify])
  expect(keys[0]?.verify).not.toBe(before.keys[0]?.verify)
  await store.close()
})

it.for([
  [true, 1],
  [false, 3],
] as const)(
  'reads databases of concurrent requests in one statement, and their keys in one each only on Citus',
  async ([readsAcrossDatabases, statements]) => {
    const store = { ...(await openTestStore()), readsAcrossDatabases: () => readsAcrossDatabases }
    const now = new Date()
    await createWorkspace(store, 'many', now)
    const paths = ['one', 'two', 'three'].map((databaseName) => ({ workspaceSlug: 'many', databaseName }))
    for (const path of paths) await createDatabase({ store, now }, path, {})
    const query = vi.spyOn(store, 'query')
    const find = createDatabaseLookup(store, { baseUrl: 'https://id.example.com', tokenMaxAgeSeconds: 3600 })
    const unknown = { workspaceSlug: 'one', databaseName: 'many' }
    const refused = expect(find(unknown)).rejects.toMatchObject({ code: 'database_not_found' })
    const found = await Promise.all(paths.map(find))
    await refused
    expect(found).toMatchObject(paths.map((path) => ({ ...path, keys: [{}], dummyHashes: [] })))
    expect(query).toHaveBeenCalledTimes(1 + statements)
    await store.close()
  },
)
