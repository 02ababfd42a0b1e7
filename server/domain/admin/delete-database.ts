import type { DatabasePath } from '@usher/contract'
import { deleteAllLoginFailures, deleteAllTenants, deleteAllUsers } from '../../store/queries/databases.js'
import type { Store } from '../../store/store.js'
import { findDatabaseRow } from '../databases/find-database.js'
import { OperatorError } from './operator-error.js'

/**
 * Deletes a database with all its rows in batches. Deletes its keys first, because no server finds a database without
 * keys. Running an interrupted deletion again completes it.
 *
 * @throws {OperatorError} if there is no such database
 */
export async function deleteDatabase(store: Store, path: DatabasePath) {
  const row = await findDatabaseRow(store, path)
  if (!row) throw new OperatorError(`database ${path.workspaceSlug}/${path.databaseName} does not exist`)
  const { id } = row
  await store.prisma.signingKey.deleteMany({ where: { databaseId: id } })
  const users = await deleteAllUsers(store, id)
  await deleteAllTenants(store, id)
  await deleteAllLoginFailures(store, id)
  // ON DELETE CASCADE deletes rows written meanwhile by servers that have the database cached.
  await store.prisma.database.deleteMany({ where: { id } })
  return { id, users }
}
