import { NIL } from 'uuid'

// Finds the databases that have due messages without reading each database. A recursive query jumps through an index,
// from one database with waiting messages to the next. So it costs nothing while no messages wait, and a database
// with a million waiting messages costs the same as one with a single message.

/** Databases with waiting messages that one search visits by each index. The next search continues after them. */
const visitedDatabases = 2_000

/** A database with waiting messages. */
export interface Visited {
  /** `stream`: events in streams. `webhook`: events stored by versions without streams. `tail`: nothing to deliver. */
  kind: 'stream' | 'mail' | 'webhook' | 'tail'
  databaseId: string
  /** When the first message is due. Null if it waits for the operator. */
  dueAt: Date | null
  /** Whether the search ended with this database. The next one continues after it. */
  isLast: boolean
}

/** The tables that a search reads: those of the store, or one shard of each. */
export interface SearchedTables {
  outbox: string
  stream: string
}

/** Where a search continues. */
export interface SearchPosition {
  message: { kind: string; databaseId: string }
  stream: string
}

export const searchStart: SearchPosition = { message: { kind: '', databaseId: NIL }, stream: NIL }

/** SQL expressions of a search: where it continues, and the current time. */
export interface SearchValues {
  kind: string
  databaseId: string
  streamDatabaseId: string
  now: string
}

/** Returns a statement that finds the databases with due messages in some tables. */
export function searchStatement(tables: readonly SearchedTables[], values: SearchValues) {
  const limit = Math.ceil(visitedDatabases / tables.length)
  const hops = tables.flatMap(({ outbox, stream }, index) => [
    hopOver(`message_${index}`, {
      table: `${outbox} WHERE NOT in_stream`,
      columns: 'kind, database_id',
      after: `${values.kind}, ${values.databaseId}`,
    }),
    hopOver(`stream_${index}`, {
      table: `${stream} WHERE due_at > '-infinity'`,
      columns: 'database_id',
      after: values.streamDatabaseId,
    }),
  ])
  const pages = tables.flatMap((_, index) => [
    pageOf(`message_${index}`, 'kind', limit),
    pageOf(`stream_${index}`, `'stream' AS kind`, limit),
  ])
  return `
  WITH RECURSIVE ${hops.join(', ')}
  SELECT kind, database_id AS "databaseId", due_at AS "dueAt", is_last AS "isLast"
  FROM (${pages.join('\n    UNION ALL')}) AS visited
  WHERE due_at <= ${values.now} AND kind <> 'tail' OR kind = 'webhook' OR is_last`
}

interface Hop {
  table: string
  columns: string
  after: string
}

const hopOver = (name: string, { table, columns, after }: Hop) => `${name} AS (
    (SELECT ${columns}, due_at FROM ${table} AND (${columns}) > (${after})
    ORDER BY ${columns}, due_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM ${name} AS last, LATERAL (
      SELECT ${columns}, due_at FROM ${table} AND (${columns}) > (${columns.replace(/\w+/g, 'last.$&')})
      ORDER BY ${columns}, due_at LIMIT 1) AS next)`

const pageOf = (name: string, kind: string, limit: number) => `
    (SELECT ${kind}, database_id, due_at, row_number() OVER () = ${limit} AS is_last FROM ${name} LIMIT ${limit})`

/** Maximum number of messages of each kind that are counted, so that the count costs little. */
const countedMessages = 1_000

/** Returns a statement that counts the messages that wait for the operator, by kind. */
export function notRetriedStatement(tables: readonly SearchedTables[]) {
  const limit = Math.ceil(countedMessages / tables.length)
  const counts = tables.flatMap(({ outbox }) =>
    ['mail', 'webhook'].map(
      (kind) => `
    SELECT '${kind}' AS kind, count(*) AS counted
    FROM (
      SELECT FROM ${outbox} WHERE kind = '${kind}' AND due_at IS NULL ORDER BY database_id LIMIT ${limit}
    ) AS few`,
    ),
  )
  return `SELECT kind, sum(counted)::integer AS count FROM (${counts.join(' UNION ALL')}) AS counts GROUP BY kind`
}
