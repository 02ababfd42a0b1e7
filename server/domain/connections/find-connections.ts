import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import { findConnections } from '../../store/queries/connections.js'
import type { Queries } from '../../store/store.js'
import { type Clock, systemClock } from '../clock.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { type Connection, connectionOf } from './connection.js'

/** Maximum time until this process notices a change by another one. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/**
 * Creates a lookup of the enabled connections of a database, which caches them for a few seconds. They are in the order in which
 * they were added.
 */
export function createConnectionLookup(store: Queries, { cacheNow }: Pick<Clock, 'cacheNow'> = systemClock) {
  const cache = new LRUCache<string, readonly Connection[]>({
    ...entryLimit(cacheEntries),
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    fetchMethod: async (databaseId) =>
      (await findConnections(store, databaseId)).flatMap((row) =>
        row.isEnabled ? (connectionOf(row) ?? []) : [],
      ),
  })
  return async (databaseId: string): Promise<readonly Connection[]> => (await cache.fetch(databaseId)) ?? []
}

/** Returns an enabled connection of a database. @throws {Problem} `connection_not_found` */
export async function requireConnection(
  { findConnections }: Pick<AppContext, 'findConnections'>,
  databaseId: string,
  name: string,
): Promise<Connection> {
  const connection = (await findConnections(databaseId)).find((each) => each.name === name)
  if (!connection) throw new Problem('connection_not_found')
  return connection
}
