import type { DatabasePath } from '@usher/contract'
import { pagesOfDatabases } from '../../store/queries/databases.js'
import { keptEvents, replaceLineage, revocations } from '../../store/queries/numbered-lists.js'
import type { Store } from '../../store/store.js'
import { newLineage } from '../numbered-lists/cursor.js'
import { requireDatabase } from './databases.js'

/**
 * Expires the cursors of events and revocations of a database, or of all databases.
 *
 * @returns the number of databases that had cursors
 * @throws {Problem} if the database does not exist
 */
export async function expireCursors(store: Store, path: DatabasePath | undefined) {
  if (path) {
    const { id } = await requireDatabase(store, path)
    return { databaseId: id, databases: (await expire(store, id)) ? 1 : 0 }
  }
  let databases = 0
  for await (const page of pagesOfDatabases(store))
    for (const { id } of page) if (await expire(store, id)) databases += 1
  return { databases }
}

async function expire(store: Store, databaseId: string) {
  const hadEvents = await replaceLineage(store, { list: keptEvents, databaseId }, newLineage())
  const hadRevocations = await replaceLineage(store, { list: revocations, databaseId }, newLineage())
  return hadEvents || hadRevocations
}
