import { NIL } from 'uuid'

// Finds the databases that have due messages without reading each database. A recursive query jumps through an index,
// from one database with waiting messages to the next. So it costs nothing while no messages wait, and a database
// with a million waiting messages costs the same as one with a single message.

/** Databases with waiting messages that one search visits by each index. The next search continues after them. */
const visitedDatabases = 2_000

/** A database with waiting messages. */
export interface Visited {
  channel: 'mail' | 'webhook'
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

/** The id of the database after which the search of each channel continues. */
export type SearchPosition = Record<Visited['channel'], string>

export const searchStart: SearchPosition = { mail: NIL, webhook: NIL }

/** SQL expressions of a search: where it continues, and the current time. */
export type SearchValues = SearchPosition & { now: string }

/** Returns a statement that finds the databases with due messages in some tables. */
export function searchStatement(tables: readonly SearchedTables[], values: SearchValues) {
  const limit = Math.ceil(visitedDatabases / tables.length)
  const hops = tables.flatMap(({ outbox, stream }, index) => [
    hopOver(`mail_${index}`, `${outbox} WHERE kind = 'mail'`, values.mail),
    hopOver(`webhook_${index}`, `${stream} WHERE due_at > '-infinity'`, values.webhook),
  ])
  const pages = tables.flatMap((_, index) => [pageOf('mail', index, limit), pageOf('webhook', index, limit)])
  return `
  WITH RECURSIVE ${hops.join(', ')}
  SELECT channel, database_id AS "databaseId", due_at AS "dueAt", is_last AS "isLast"
  FROM (${pages.join('\n    UNION ALL')}) AS visited
  WHERE due_at <= ${values.now} OR is_last`
}

const hopOver = (name: string, table: string, after: string) => `${name} AS (
    (SELECT database_id, due_at FROM ${table} AND database_id > ${after}
    ORDER BY database_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM ${name} AS last, LATERAL (
      SELECT database_id, due_at FROM ${table} AND database_id > last.database_id
      ORDER BY database_id, due_at LIMIT 1) AS next)`

const pageOf = (channel: Visited['channel'], index: number, limit: number) => `
    (SELECT '${channel}' AS channel, database_id, due_at, row_number() OVER () = ${limit} AS is_last
    FROM ${channel}_${index} LIMIT ${limit})`

/** Maximum number of messages of each kind that are counted, so that the count costs little. */
const countedMessages = 1_000

/** Returns a statement that counts the messages that wait for the operator, by kind, and finds a database that has some. */
export function notRetriedStatement(tables: readonly SearchedTables[]) {
  const limit = Math.ceil(countedMessages / tables.length)
  const counts = tables.flatMap(({ outbox }) =>
    ['mail', 'webhook'].map(
      (kind) => `
    SELECT '${kind}' AS kind, count(*) AS counted, (array_agg(database_id))[1] AS first
    FROM (
      SELECT database_id FROM ${outbox} WHERE kind = '${kind}' AND due_at IS NULL ORDER BY database_id LIMIT ${limit}
    ) AS few`,
    ),
  )
  return `SELECT kind, sum(counted)::integer AS count, (array_agg(first ORDER BY first))[1] AS "databaseId"
  FROM (${counts.join(' UNION ALL')}) AS counts GROUP BY kind`
}
