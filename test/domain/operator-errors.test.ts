import { exitCodeOf } from '@usher/contract'
import { expect } from 'vitest'
import { createDatabase, requireDatabase } from '../../server/domain/management/databases.js'
import { createWorkspace, deleteWorkspace } from '../../server/domain/management/workspaces.js'
import { Problem } from '../../server/domain/problem.js'
import { changeTenant } from '../../server/domain/tenants/tenants.js'
import type { TestApi, TestDatabase } from '../support/app.js'
import { it } from '../support/operator.js'
import {
  changeMessages,
  disableUser,
  removeFromTenant,
  retireKey,
  rotateKeys,
  runAsOperator,
  sendReset,
  setDatabase,
} from '../support/operator-changes.js'

const unknownId = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'

/** A request of an operator that fails. */
type Failing = (
  operation: { store: TestApi['store']; now: Date },
  database: TestDatabase,
  usher: TestApi,
) => Promise<unknown>

it.for<[name: string, request: Failing, exitCode: number]>([
  ['a name that no path may have', ({ store, now }) => createWorkspace(store, 'a/b', now), 2],
  ['what is neither an id nor an address', (one, database) => disableUser(one, database, 'ada'), 2],
  [
    'an unknown database',
    ({ store }, { workspaceSlug }) => requireDatabase(store, { workspaceSlug, databaseName: 'none' }),
    3,
  ],
  ['an unknown user', (one, database) => disableUser(one, database, unknownId), 3],
  [
    'an unknown tenant',
    (one, database) =>
      runAsOperator(one, database, (change) =>
        changeTenant(change, { tenantId: unknownId, changes: { name: 'Engines' } }),
      ),
    3,
  ],
  ['an unknown key', (one, database) => retireKey(one, database, 'none'), 3],
  [
    'an unknown message',
    (one, database) => changeMessages(one, database, { type: 'outbox.dropped', id: unknownId }),
    3,
  ],
  ['an unknown workspace', ({ store }) => deleteWorkspace(store, 'none'), 3],
  [
    'a user who is no member',
    async (one, database) => {
      const { tenants } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
      await database.signedUp({ email: 'grace@example.com' })
      await removeFromTenant(one, database, { tenantId: tenants[0] ?? '', userRef: 'grace@example.com' })
    },
    3,
  ],
  ['a database of a taken name', (one, database) => createDatabase(one, database, {}), 4],
  [
    'a workspace of a taken name',
    ({ store, now }, { workspaceSlug }) => createWorkspace(store, workspaceSlug, now),
    4,
  ],
  [
    'a workspace that has databases',
    ({ store }, { workspaceSlug }) => deleteWorkspace(store, workspaceSlug),
    1,
  ],
  [
    'a second pending key',
    async (one, database) => {
      await rotateKeys(one, database, 60)
      await rotateKeys(one, database, 60)
    },
    1,
  ],
  [
    'a reset of a disabled user',
    async (one, database) => {
      const { id } = await database.signedUp()
      await setDatabase(one.store, database, { appUrl: 'https://app.example.com' })
      await disableUser(one, database, id)
      await sendReset(one, database, id)
    },
    1,
  ],
  [
    'a reset without app URL',
    async (one, database) => {
      const { id } = await database.signedUp()
      await sendReset(one, database, id)
    },
    1,
  ],
])(
  'the request of an operator fails with its exit code for %s',
  async ([, request, exitCode], { usher, database }) => {
    const operation = { store: usher.store, now: new Date(usher.clock.now) }
    const error = await request(operation, database, usher).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(Problem)
    expect(exitCodeOf((error as Problem).code)).toBe(exitCode)
  },
)
