import type { DatabasePath } from '@usher/contract'
import { deleteAllRows } from '../../store/queries/delete-database.js'
import { deleteSigningKeys } from '../../store/queries/keys.js'
import { deleteDatabaseRow } from '../../store/queries/management/databases.js'
import type { Store } from '../../store/store.js'
import { findDatabaseRow, refuseOperators } from '../databases/find-database.js'
import { databaseNotFound } from './names.js'

/**
 * Deletes a database: first its keys, because no server finds a database without keys, then all rows in batches. Running an
 * interrupted deletion again completes it.
 *
 * @param until when to stop, in milliseconds of `performance.now()`
 * @throws {Problem} `operators_database`
 */
export async function deleteDatabase(store: Store, path: DatabasePath, until = Number.POSITIVE_INFINITY) {
  const row = await findDatabaseRow(store, path)
  if (!row) throw await databaseNotFound(store, path)
  refuseOperators(row, 'cannot be deleted')
  const { id } = row
  await deleteSigningKeys(store, id)
  const { users, isComplete } = await deleteAllRows(store, id, until)
  if (!isComplete) return { id, users, isComplete }
  // ON DELETE CASCADE also deletes rows that servers with a cached database have written meanwhile.
  await deleteDatabaseRow(store, id)
  return { id, users, isComplete }
}
