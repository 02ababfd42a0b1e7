import { hasState } from '../errors.js'
import { placeOfRead, readsOfTokens, type TablesOfTokens } from '../queries/users-of-tokens.js'
import type { Queries } from '../store.js'
import type { Place } from './turns.js'

// Citus plans a statement of several tables at each execution, which takes longer than reading the user of a token. A
// statement that names the tables of a shard concerns only Postgres, which plans it once per connection.

interface Statement {
  text: string
  values: unknown[]
  /** Time limit in milliseconds. */
  limit: number
}

/**
 * Maximum number of shards of a node that are read so. Each connection keeps up to two plans for each of them, of some
 * 300 KiB each.
 */
const maxShards = 32

/**
 * Returns a function that runs a statement on the node which has the shard. It reads the user of a token from the tables
 * of the shard; if the node does not have them any more, and in all other cases, it runs the statement as it is.
 *
 * @param isMoved called with the id of a database whose shard the node does not have
 */
export function createShardReads(isMoved: (databaseId: string) => void) {
  const nodes = new Map<string, Map<string, Promise<string[]>>>()

  function textsOf(node: Queries, { worker, shard }: Place) {
    const shards = nodes.get(worker) ?? new Map<string, Promise<string[]>>()
    nodes.set(worker, shards)
    const known = shards.get(shard)
    if (known || shards.size >= maxShards) return known
    // A shard that was split has no tables. Then the statement runs as it is.
    const texts = findTables(node, shard).then((tables) =>
      tables ? readsOfTokens(tables).map((text) => whileHere(shard, text)) : [],
    )
    shards.set(shard, texts)
    texts.catch(() => shards.delete(shard))
    return texts
  }

  return async <Row>(node: Queries, place: Place, { text, values, limit }: Statement): Promise<Row[]> => {
    const index = placeOfRead(text)
    const onShard = index < 0 ? undefined : (await textsOf(node, place))?.[index]
    if (!onShard) return node.query<Row>(text, values, limit)
    type FoundRow = Row & { isRow: true | null }
    const rows = await node.query<FoundRow>(onShard, values, limit).catch(ifTableMissing)
    if (rows.length > 0) return rows.filter(({ isRow }) => isRow)
    nodes.get(place.worker)?.delete(place.shard)
    isMoved(String(values[0]))
    return node.query<Row>(text, values, limit)
  }
}

/** Citus drops the tables of a shard that has been moved. */
function ifTableMissing(error: unknown): never[] {
  if (hasState(error, '42P01')) return []
  throw error
}

/** Returns the shard of each table that has the same databases. @param shard the number of one of the table `user` */
async function findTables({ query }: Queries, shard: string): Promise<TablesOfTokens | null | undefined> {
  const [row] = await query<{ tables: TablesOfTokens | null }>(
    `SELECT json_object_agg(relname, format('usher.%I', relname || '_' || other.shardid)) AS tables
    FROM pg_dist_shard AS own
    JOIN pg_dist_shard AS other ON other.shardminvalue = own.shardminvalue
    JOIN pg_class ON pg_class.oid = other.logicalrelid
    WHERE own.shardid = ($1::bigint[])[1] AND relnamespace = 'usher'::regnamespace`,
    [[shard]],
  )
  return row?.tables
}

/**
 * Returns a statement that has no row if the node does not have the shard, by the same snapshot. Citus moves a shard and
 * changes this catalog before it accepts writes elsewhere. If no row is found, `isRow` is null.
 */
const whileHere = (shard: string, text: string) => `
  SELECT found.*
  FROM pg_dist_placement AS placement
  LEFT JOIN (SELECT true AS "isRow", rows.* FROM (${text}) AS rows) AS found ON true
  WHERE placement.shardid = ${shard} AND placement.groupid = (SELECT groupid FROM pg_dist_local_group)`
