import { LRUCache } from 'lru-cache'
import { entryLimit } from '../entry-limit.js'
import type { Queries, Store, Transactions } from '../store.js'
import { type AnyNodeWork, createNodes, type NodeSettings } from './nodes.js'
import { createShardReads } from './shard-reads.js'
import { hasCitus, isDistributed } from './tables.js'
import { createTurns, type Place } from './turns.js'

// With one pool for all workers, a worker that no longer responds would hold every connection. So would, among the
// connections for its worker, a shard whose writes Citus blocks while it is moved or divided.

/** How long a store on Citus counts as not distributed: `usher store distribute` may run at any time. */
const undistributedMilliseconds = 60_000

export interface Connections {
  /** Maximum number of connections of the store. */
  connections: number
  /** How to use the node that has the rows. Undefined if all statements go through the node of DATABASE_URL. */
  nodes?: NodeSettings | undefined
}

/** The place of all databases of a store that is not distributed. */
const undistributed: Place = { worker: '', shard: '' }

/** Runs a statement or a transaction through a node. */
type Work<Result> = (queries: Transactions, limit?: number) => Promise<Result>

/** The same on the node that has the rows. */
type OwnNodeWork<Result> = (queries: Transactions, limit: number, place: Place) => Promise<Result>

/**
 * Returns a store on which the statements and transactions of one worker take at most half of the connections, or all of
 * those to its node if there are any, and those of one shard at most half of these. While a worker or a shard does not
 * respond, they fail within 2 s. Without Citus, and before the store is distributed, nothing changes.
 *
 * @param store its statements on distributed tables must have the database's id as `$1`
 */
export function shareByWorker(store: Store, { connections, nodes: settings }: Connections): Store {
  if (!store.connections) return store
  const inTurnOf = createTurns(Math.max(1, Math.floor(connections / 2)))
  const nodes = settings && createNodes(store, settings)
  const onAnyNode: <Result>(work: AnyNodeWork<Result>) => Promise<Result> =
    nodes?.onAnyNode ?? ((work) => work(store))
  const placements = createPlacements((databaseId) =>
    onAnyNode((queries) => placementOf(queries, databaseId)),
  )
  let undistributedUntil = 0
  let citus: Promise<boolean> | undefined
  let isWithoutCitus = false

  async function placeOf(databaseId: string) {
    if (performance.now() < undistributedUntil) return undistributed
    const place = await placements.fetch(databaseId)
    if (place || (await onAnyNode(isDistributed))) return place
    undistributedUntil = performance.now() + undistributedMilliseconds
    return undistributed
  }

  async function inTurn<Result>(
    databaseId: unknown,
    work: Work<Result>,
    ownNodeWork: OwnNodeWork<Result> = work,
  ): Promise<Result> {
    citus ??= onAnyNode(hasCitus)
    const isOnCitus = await citus.catch((error) => {
      citus = undefined
      throw error
    })
    isWithoutCitus = !isOnCitus
    if (!isOnCitus || typeof databaseId !== 'string') return onAnyNode(work)
    const place = (await placeOf(databaseId)) ?? { worker: '', shard: '' }
    if (place === undistributed) return onAnyNode(work)
    const inItsTurn = () => inTurnOf(place, (limit) => onAnyNode((queries) => work(queries, limit)))
    if (!nodes || place.worker === '') return inItsTurn()
    return nodes.onNodeOf(place, (queries, limit) => ownNodeWork(queries, limit, place), inItsTurn)
  }

  const readShard = createShardReads((databaseId) => placements.delete(databaseId))
  return {
    ...store,
    query: <Row>(text: string, values: unknown[], milliseconds?: number) =>
      inTurn<Row[]>(
        values[0],
        (queries, limit = milliseconds) => queries.query(text, values, limit),
        (queries, limit, place) => readShard(queries, place, { text, values, limit }),
      ),
    transaction: (databaseId, work) =>
      inTurn(databaseId, (queries, limit) => queries.transaction(databaseId, work, limit)),
    readsAcrossDatabases: () => isWithoutCitus,
    isReadOnly: () => onAnyNode(async ({ isReadOnly }) => (await isReadOnly?.()) ?? false),
    ...(nodes && { connections: nodes.connections }),
    async close() {
      await Promise.all([store.close(), nodes?.close()])
    },
  }
}

/**
 * How long placements are cached. Shards move rarely, and by a stale entry a statement only counts for the wrong shard,
 * or goes to a node that passes it on.
 */
const placementMilliseconds = 60_000
const placementEntries = 10_000

/** Returns a cache of the places of databases. */
const createPlacements = (findPlace: (databaseId: string) => Promise<Place | undefined>) =>
  new LRUCache<string, Place>({
    ...entryLimit(placementEntries),
    ttl: placementMilliseconds,
    fetchMethod: (databaseId) => findPlace(databaseId),
  })

/** Returns the place of a database. */
async function placementOf({ query }: Queries, databaseId: string) {
  const [row] = await query<Place>(
    `SELECT nodename || ':' || nodeport AS worker, shardid AS shard
    FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE noderole = 'primary'
      AND shardid = get_shard_id_for_distribution_column('usher."user"', $1::uuid)`,
    [databaseId],
  )
  return row
}
