import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { ifStoreUnavailable } from '../../../store/errors.js'
import {
  insertDatabase,
  listDatabaseRows,
  updateDatabase,
} from '../../../store/queries/management/databases.js'
import { insertSigningKey, listKeyIds } from '../../../store/queries/management/keys.js'
import type { Page } from '../../../store/queries/management/page.js'
import { inTransaction } from '../../../store/queries/management/transaction.js'
import { findWorkspace } from '../../../store/queries/management/workspaces.js'
import { deleteWaitingEvents } from '../../../store/queries/waiting-messages.js'
import type { Store } from '../../../store/store.js'
import {
  type DatabaseRow,
  findDatabaseRow,
  isBeingDeleted,
  nameOfDatabase,
} from '../../databases/find-database.js'
import { type DatabaseSettings, defaultSettings } from '../../databases/settings.js'
import { lockSealingKey } from '../../keys/database-secrets.js'
import { sealWebhookSecret } from '../../keys/master-key.js'
import { generateSigningKey } from '../../keys/signing-keys.js'
import { sealingKeyOfNewDatabase } from '../keys/require-master-key.js'
import { databaseNotFound, workspaceNotFound } from '../not-found.js'
import type { Operation } from '../operation.js'
import { OperatorError } from '../operator-error.js'
import { requirePathName } from '../path-name.js'

/** @throws {OperatorError} if it does not exist or is being deleted */
export async function requireDatabase(store: Store, path: DatabasePath): Promise<DatabaseRow> {
  const row = await findDatabaseRow(store, path)
  if (!row) throw await databaseNotFound(store, path)
  if (isBeingDeleted(row)) {
    const name = nameOfDatabase(path)
    throw new OperatorError(
      'database_being_deleted',
      `database ${name} is being deleted. To finish: npx @usher/server database delete ${name}`,
    )
  }
  return row
}

/** @throws {OperatorError} if the name is invalid or taken, or the workspace does not exist */
export async function createDatabase(
  { store, now }: Operation,
  path: DatabasePath,
  settings: Partial<DatabaseSettings>,
) {
  const { workspaceSlug, databaseName } = path
  requirePathName('database name', databaseName)
  const workspace = await findWorkspace(store, workspaceSlug)
  if (!workspace) {
    const advice = `Create it with: npx @usher/server workspace create ${workspaceSlug}`
    throw await workspaceNotFound(store, workspaceSlug, advice)
  }
  return inTransaction(store, async (transaction) => {
    const data = {
      id: uuidv7(),
      workspaceId: workspace.id,
      name: databaseName,
      ...defaultSettings,
      ...settings,
      createdAt: now,
    }
    const created = await insertDatabase(transaction, data)
    if (!created)
      throw new OperatorError('database_exists', `database ${nameOfDatabase(path)} already exists`)
    const masterKey = await sealingKeyOfNewDatabase(transaction, store)
    await insertSigningKey(transaction, generateSigningKey(created, masterKey, { now }))
    return created
  })
}

/**
 * Changes the given settings. Servers apply them within 5 s. Without webhook, the events that wait for it are deleted: a
 * later webhook must not get them.
 *
 * @throws {OperatorError} if it does not exist
 */
export async function setDatabase(
  store: Store,
  path: DatabasePath,
  { webhookSecret, ...settings }: Partial<DatabaseSettings> & { webhookSecret?: string | null },
) {
  const { id } = await requireDatabase(store, path)
  await inTransaction(store, async (transaction) => {
    const sealedWebhookSecret =
      typeof webhookSecret === 'string'
        ? sealWebhookSecret(await lockSealingKey(transaction, store, id), webhookSecret, { id })
        : webhookSecret
    await updateDatabase(transaction, id, { ...settings, sealedWebhookSecret })
  })
  if (settings.webhookUrl === null) await deleteWaitingEvents(store, id)
  return requireDatabase(store, path)
}

/**
 * Returns databases with the slug of their workspace, ordered by path. `signingKeys` is undefined if the node of a
 * distributed store that has them cannot be reached.
 */
export async function listDatabases(store: Store, page: Page<DatabasePath>) {
  const rows = await listDatabaseRows(store, page)
  // One query per database uses one node of a distributed store each. A join would use all nodes.
  const keysOf = ({ id }: { id: string }) => listKeyIds(store, id).catch(ifStoreUnavailable(undefined))
  return Promise.all(rows.map(async (row) => ({ ...row, signingKeys: await keysOf(row) })))
}
