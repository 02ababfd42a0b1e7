import type { DatabasePath } from '@usher/contract'
import { deleteAllLoginFailures, deleteAllTenants, deleteAllUsers } from '../../store/queries/databases.js'
import type { Store } from '../../store/store.js'
import { findDatabaseRow } from '../databases/find-database.js'
import { OperatorError } from './operator-error.js'

/**
 * Deletes a database with everything in it. Its keys go first: without them no server finds it, so no client sees
 * the rest disappear batch by batch. If it is interrupted, running it again finishes it.
 *
 * @returns the database's id, and the number of users deleted
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
  // Rows that servers with a cached database have written meanwhile are deleted by the foreign keys' cascade.
  await store.prisma.database.deleteMany({ where: { id } })
  return { id, users }
}
