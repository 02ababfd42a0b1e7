import { LRUCache } from 'lru-cache'
import type { Store } from '../store.js'
import { createTurns } from './turns.js'

// With one pool for all workers, a worker that no longer responds would hold every connection. So would, among the
// connections for its worker, a shard whose writes Citus blocks while it is moved or divided.

const answerMilliseconds = 1_300

/**
 * How long placements are cached. Shards move rarely, and a stale entry only counts a statement for the wrong shard.
 */
const placementMilliseconds = 60_000
const placementEntries = 10_000

/** Where the rows of a database are. */
interface Placement {
  worker: string
  shard: string
}

/**
 * Returns a store on which the statements and transactions of one worker take at most half of the connections, and those
 * of one shard at most half of these. While a worker or a shard does not respond, they fail within 2 s. Without Citus
 * nothing changes.
 *
 * @param store its statements on distributed tables must have the database's id as `$1`
 */
export function shareByWorker(store: Store, connections: number): Store {
  if (!store.connections) return store
  const inTurnOf = createTurns(Math.max(1, Math.floor(connections / 2)))
  const placements = new LRUCache<string, Placement>({
    max: placementEntries,
    ttl: placementMilliseconds,
    fetchMethod: (databaseId) => placementOf(store, databaseId),
  })
  let distributed: Promise<boolean> | undefined

  async function inTurn<Result>(
    databaseId: unknown,
    work: (milliseconds?: number) => Promise<Result>,
  ): Promise<Result> {
    distributed ??= hasPlacements(store)
    const isDistributed = await distributed.catch((error) => {
      distributed = undefined
      throw error
    })
    if (!isDistributed || typeof databaseId !== 'string') return work()
    const placement = (await placements.fetch(databaseId)) ?? { worker: '', shard: '' }
    return inTurnOf(placement, () => work(answerMilliseconds))
  }
  return {
    ...store,
    query: (text, values, limit) =>
      inTurn(values[0], (milliseconds = limit) => store.query(text, values, milliseconds)),
    transaction: (databaseId, work) =>
      inTurn(databaseId, (milliseconds) => store.transaction(databaseId, work, milliseconds)),
  }
}

/** Returns whether the server has Citus, by the catalog of Postgres. */
export async function hasPlacements({ query }: Pick<Store, 'query'>) {
  const [row] = await query<{ found: boolean }>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`,
    [],
  )
  return row?.found ?? false
}

async function placementOf({ query }: Store, databaseId: string) {
  const [row] = await query<Placement>(
    `SELECT nodename || ':' || nodeport AS worker, shardid AS shard
    FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE noderole = 'primary'
      AND shardid = get_shard_id_for_distribution_column('usher."user"', $1::uuid)`,
    [databaseId],
  )
  return row
}
