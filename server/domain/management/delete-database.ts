import type { DatabasePath } from '@usher/contract'
import { deleteAllRows } from '../../store/queries/delete-database.js'
import { deleteSigningKeys } from '../../store/queries/keys.js'
import { deleteDatabaseRow } from '../../store/queries/management/databases.js'
import type { Store } from '../../store/store.js'
import { findDatabaseRow } from '../databases/find-database.js'
import { databaseNotFound } from './names.js'

/**
 * Deletes a database: first its keys, because no server finds a database without keys, then all rows in batches. Running an
 * interrupted deletion again completes it.
 */
export async function deleteDatabase(store: Store, path: DatabasePath) {
  const row = await findDatabaseRow(store, path)
  if (!row) throw await databaseNotFound(store, path)
  const { id } = row
  await deleteSigningKeys(store, id)
  const users = await deleteAllRows(store, id)
  // ON DELETE CASCADE also deletes rows that servers with a cached database have written meanwhile.
  await deleteDatabaseRow(store, id)
  return { id, users }
}
