import { UnavailableError } from '../errors.js'
import {
  notRetriedStatement,
  type SearchedTables,
  type SearchPosition,
  searchStatement,
  type Visited,
} from '../queries/search.js'
import type { Queries } from '../store.js'
import { hasCitus } from './tables.js'

// A query over all shards of a distributed store fails while one worker does not respond. So each worker is searched
// by a separate statement, which names the worker's shards and which Citus passes to the worker unchanged.

/** A part of the store that one statement searches: the whole store, or one worker of a distributed store. */
export interface SearchPlace {
  name: string
  /** Undefined for the whole store. */
  shards: SearchedTables[] | undefined
}

/**
 * Time limit of the search of a worker: longer than a search takes, and short enough to notice that it does not
 * respond.
 */
const searchMilliseconds = 1_300

/** Returns the places of a store. On Citus it reads the catalog of the node that the server uses. */
export async function findSearchPlaces(store: Queries): Promise<SearchPlace[]> {
  const workers = (await hasCitus(store)) ? await store.query<SearchPlace>(workersStatement, []) : []
  return workers.length > 0 ? workers : [{ name: '', shards: undefined }]
}

const shardsOf = (table: string) => `
    SELECT shardid, shardminvalue, format('usher.%I', '${table}_' || shardid) AS name
    FROM pg_dist_shard WHERE logicalrelid = 'usher.${table}'::regclass AND shardminvalue IS NOT NULL`

const workersStatement = `
  SELECT nodename || ':' || nodeport AS name,
    json_agg(json_build_object('outbox', message.name, 'stream', stream.name)) AS shards
  FROM (${shardsOf('outbox')}) AS message
  JOIN (${shardsOf('outbox_stream')}) AS stream USING (shardminvalue)
  JOIN pg_dist_placement AS placement ON placement.shardid = message.shardid
  JOIN pg_dist_node AS node USING (groupid)
  WHERE node.noderole = 'primary' GROUP BY 1`

/** Returns the databases of a place that have due messages, and where the next search continues. */
export async function searchPlace(
  store: Queries,
  place: SearchPlace,
  { mail, webhook, now }: SearchPosition & { now: Date },
): Promise<Visited[]> {
  const values = [mail, webhook, now.toISOString()]
  const found = await runAt<Omit<Visited, 'dueAt'> & { dueAt: Date | string | null }>(store, place, {
    values,
    statementOf: (tables, expressions) => searchStatement(tables, typed(expressions)),
  })
  return found.map((each) => ({ ...each, dueAt: each.dueAt === null ? null : new Date(each.dueAt) }))
}

/** Messages of a kind that wait for the operator, and a database that has some. */
export interface NotRetried {
  kind: 'mail' | 'webhook'
  count: number
  databaseId: string | null
}

/** Returns how many messages of each kind wait for the operator. Stops counting at some thousands. */
export const countNotRetried = (store: Queries, place: SearchPlace) =>
  runAt<NotRetried>(store, place, {
    values: [],
    statementOf: notRetriedStatement,
  })

/** A statement that can run at any place. */
interface PlacedStatement {
  values: string[]
  /** Returns the text. It gets SQL expressions for the values. */
  statementOf: (tables: readonly SearchedTables[], expressions: string[]) => string
}

/** Runs a statement at a place. */
async function runAt<Row>(
  store: Queries,
  { name, shards }: SearchPlace,
  { values, statementOf }: PlacedStatement,
): Promise<Row[]> {
  // An array, because a store on Citus would take a string for the id of a database.
  if (!shards) {
    const parameters = values.map((_, index) => `($1::text[])[${index + 1}]`)
    return store.query<Row>(statementOf([storeTables], parameters), values.length ? [values] : [])
  }
  // A command for a worker has no parameters. Its values are ids and a timestamp, which need no escaping.
  const command = statementOf(
    shards,
    values.map((value) => `'${value}'`),
  )
  const at = name.lastIndexOf(':')
  const [row] = await store.query<{ success: boolean; result: string }>(
    workerStatement,
    [
      [
        name.slice(0, at),
        name.slice(at + 1),
        `SELECT COALESCE(json_agg(found), '[]') FROM (${command}) AS found`,
      ],
    ],
    searchMilliseconds,
  )
  if (row?.success) return JSON.parse(row.result)
  const reason = `worker ${name} was not searched: ${row?.result}`
  throw /connect/.test(reason) ? new UnavailableError(reason) : new Error(reason)
}

const storeTables = { outbox: 'usher.outbox', stream: 'usher.outbox_stream' }

const workerStatement = `
  SELECT success, result FROM master_run_on_worker(
    ARRAY[($1::text[])[1]], ARRAY[($1::text[])[2]::integer], ARRAY[($1::text[])[3]], false)`

const typed = ([mail, webhook, now]: string[]) => ({
  mail: `${mail}::uuid`,
  webhook: `${webhook}::uuid`,
  now: `${now}::timestamptz`,
})
