import type { ConnectionList } from '@usher/contract'
import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import { findConnections } from '../../store/queries/connections.js'
import type { Queries } from '../../store/store.js'
import type { Change } from '../change.js'
import { type Clock, systemClock } from '../clock.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { type Connection, connectionOf, titleOf } from './connection.js'

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
    fetchMethod: (databaseId) => findEnabled(store, databaseId),
  })
  return async (databaseId: string): Promise<readonly Connection[]> => (await cache.fetch(databaseId)) ?? []
}

/** Returns the enabled connections of a database as they are now. */
export const findEnabled = async (store: Queries, databaseId: string): Promise<readonly Connection[]> =>
  (await findConnections(store, databaseId)).flatMap((row) =>
    row.isEnabled ? (connectionOf(row) ?? []) : [],
  )

/**
 * Returns a connection in the transaction that finishes a login there.
 *
 * @throws {Problem} the code, if the connection was disabled or removed since the login has returned
 */
export async function requireEnabled(
  change: Change,
  name: string,
  code: 'code_invalid' | 'challenge_invalid' = 'code_invalid',
): Promise<Connection> {
  const connection = (await findEnabled(change, change.database.id)).find((each) => each.name === name)
  if (!connection) throw new Problem(code)
  return connection
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

/** Returns the enabled connections of the database. */
export async function listConnections(
  { findConnections }: AppContext,
  { database }: DatabaseRequest,
): Promise<ConnectionList> {
  const connections = await findConnections(database.id)
  return {
    connections: connections.map((each) => ({ name: each.name, title: titleOf(each), preset: each.preset })),
  }
}
