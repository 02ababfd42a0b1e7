import type { DatabasePath } from '@usher/contract'
import { ifStoreUnavailable } from '../../store/errors.js'
import { findSigningKeys } from '../../store/queries/keys.js'
import { listDatabaseRows } from '../../store/queries/management/databases.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'

/**
 * Returns databases with the slug of their workspace, ordered by path. `signingKeys` is undefined if the node of a
 * distributed store that has them cannot be reached.
 */
export async function listDatabases(
  store: Store,
  page: Page<DatabasePath>,
  workspaceIds?: readonly string[] | null,
) {
  const rows = await listDatabaseRows(store, page, workspaceIds)
  // A query per database uses one node of a distributed store. A join would use all nodes.
  const keysOf = ({ id }: { id: string }) => findSigningKeys(store, id).catch(ifStoreUnavailable(undefined))
  return Promise.all(rows.map(async (row) => ({ ...row, signingKeys: await keysOf(row) })))
}
