import { LRUCache } from 'lru-cache'
import { entryLimit } from '../entry-limit.js'
import type { Queries } from '../store.js'
import type { Place } from './turns.js'

/**
 * How long placements are cached. Shards move rarely, and by a stale entry a statement only counts for the wrong shard,
 * or goes to a node that passes it on.
 */
const placementMilliseconds = 60_000
const placementEntries = 10_000

/** Returns a cache of the places of databases. */
export const createPlacements = (findPlace: (databaseId: string) => Promise<Place | undefined>) =>
  new LRUCache<string, Place>({
    ...entryLimit(placementEntries),
    ttl: placementMilliseconds,
    fetchMethod: (databaseId) => findPlace(databaseId),
  })

/** Returns the place of a database. */
export async function placementOf({ query }: Queries, databaseId: string) {
  const [row] = await query<Place>(
    `SELECT nodename || ':' || nodeport AS worker, shardid AS shard
    FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE noderole = 'primary'
      AND shardid = get_shard_id_for_distribution_column('usher."user"', $1::uuid)`,
    [databaseId],
  )
  return row
}
