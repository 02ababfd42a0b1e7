import type { DatabasePath } from '@usher/contract'
import {
  deleteAllLoginFailures,
  deleteAllMessageStreams,
  deleteAllMessages,
  deleteAllTenants,
  deleteAllUsers,
} from '../../../store/queries/databases.js'
import { deleteDatabaseRow } from '../../../store/queries/management/databases.js'
import { deleteSigningKeys } from '../../../store/queries/management/keys.js'
import type { Store } from '../../../store/store.js'
import { findDatabaseRow } from '../../databases/find-database.js'
import { databaseNotFound } from '../not-found.js'

/**
 * Deletes the keys first, because no server finds a database without keys, and then all rows in batches. Running an
 * interrupted deletion again completes it.
 */
export async function deleteDatabase(store: Store, path: DatabasePath) {
  const row = await findDatabaseRow(store, path)
  if (!row) throw await databaseNotFound(store, path)
  const { id } = row
  await deleteSigningKeys(store, id)
  const users = await deleteAllUsers(store, id)
  await deleteAllTenants(store, id)
  await deleteAllLoginFailures(store, id)
  await deleteAllMessages(store, id)
  await deleteAllMessageStreams(store, id)
  // ON DELETE CASCADE deletes rows written meanwhile by servers that have the database cached.
  await deleteDatabaseRow(store, id)
  return { id, users }
}
