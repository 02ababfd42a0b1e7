import type { KeptEvent } from '../generated/client.js'
import type { Store } from '../store.js'

// The rows of a numbered list get their numbers after they are committed: a writer inserts them without one, and a reader
// that has locked the cursor row of the database numbers those that it sees. So the numbers have no gaps, a smaller one never
// appears after a larger one, and writers do not wait for each other.

type Queries = Pick<Store, 'query'>
type Transactions = Pick<Store, 'query' | 'transaction'>

/** The last number that the rows of a database have. */
export interface Place {
  /** A random text, which changes when all cursors must expire. */
  lineage: string
  seq: number
  /**
   * A part of the random id of the row that has the number. After a restore from a backup, another row may get the number. Null if
   * there is no such row, or for a cursor of a server without stamps.
   */
  stamp: string | null
}

export type NumberedRow = Pick<KeptEvent, 'id' | 'payload' | 'createdAt'> & { seq: number; stamp: string }

/** Rows that one transaction numbers at most. */
const batchRows = 1000

/** Rows that one statement deletes at most. */
const deletedRows = 250

/** A list and its statements. */
export type NumberedList = ReturnType<typeof listOf>

/** Returns the stamp of a row: 48 random bits, also of a UUID that begins with a time. @param id the SQL of its id */
const stampOf = (id: string) => `right((${id})::text, 12)`

/** Returns the list of a table. Both tables have the columns of kept_event and event_cursor. */
function listOf(table: string, cursorTable: string) {
  const [rows, cursor] = [`usher.${table}`, `usher.${cursorTable}`]
  // The order makes Postgres use the index of rows without number, not read the table until it finds one.
  const lastPlace = (databaseId: string) => `lineage, last_seq AS seq,
    coalesce(
      ${stampOf(`SELECT id FROM ${rows} WHERE database_id = ${databaseId} AND seq = last_seq`)},
      CASE WHEN deleted_seq = last_seq THEN deleted_stamp END
    ) AS stamp, deleted_seq AS "deletedSeq", deleted_stamp AS "deletedStamp", (
    SELECT id FROM ${rows} WHERE database_id = ${databaseId} AND seq IS NULL ORDER BY stored_at, id LIMIT 1
  ) IS NOT NULL AS "hasMore"`
  return {
    findLast: `
  SELECT ${lastPlace('$1::uuid')}
  FROM ${cursor} WHERE database_id = $1::uuid`,
    // OFFSET 0 keeps the subquery separate. Otherwise Postgres might read all rows of a small table.
    findLastOfDatabases: `
  SELECT wanted.id AS "databaseId", ${lastPlace('wanted.id')}
  FROM unnest((SELECT $1::uuid[])::uuid[]) AS wanted (id)
  CROSS JOIN LATERAL (SELECT * FROM ${cursor} WHERE database_id = wanted.id OFFSET 0) AS cursor`,
    createLineage: `
  INSERT INTO ${cursor} (database_id, lineage) VALUES ($1::uuid, $2) ON CONFLICT (database_id) DO NOTHING`,
    replaceLineage: `UPDATE ${cursor} SET lineage = $2 WHERE database_id = $1::uuid RETURNING 1`,
    lock: `
  SELECT lineage, last_seq AS seq FROM ${cursor} WHERE database_id = $1::uuid FOR UPDATE SKIP LOCKED`,
    number: `
  WITH numbered AS (
    UPDATE ${rows} AS each SET seq = next.seq
    FROM (
      SELECT id, $2::bigint + row_number() OVER (ORDER BY stored_at, id) AS seq FROM (
        SELECT id, stored_at FROM ${rows}
        WHERE database_id = $1::uuid AND seq IS NULL ORDER BY stored_at, id LIMIT ${batchRows}
      ) AS first
    ) AS next
    WHERE each.database_id = $1::uuid AND each.id = next.id
    RETURNING each.id, each.seq
  ) SELECT count(*)::int AS count, ${stampOf('(array_agg(id ORDER BY seq DESC))[1]')} AS stamp FROM numbered`,
    move: `UPDATE ${cursor} SET last_seq = $2::bigint WHERE database_id = $1::uuid`,
    findFrom: `
  SELECT id, seq, payload, created_at AS "createdAt", ${stampOf('id')} AS stamp FROM ${rows}
  WHERE database_id = $1::uuid AND seq >= $2::bigint ORDER BY seq LIMIT $3::integer`,
    findAny: `SELECT 1 FROM ${rows} WHERE database_id = $1::uuid ORDER BY id LIMIT 1`,
    // It skips a locked row, as a reader does.
    markDeleted: `
  UPDATE ${cursor} SET deleted_seq = $2::bigint, deleted_stamp = $3
  WHERE database_id = $1::uuid AND coalesce(deleted_seq, 0) < $2::bigint AND database_id IN (
    SELECT database_id FROM ${cursor} WHERE database_id = $1::uuid FOR UPDATE SKIP LOCKED
  ) RETURNING 1`,
    deleteFirst: `DELETE FROM ${rows} WHERE database_id = $1::uuid AND seq <= $2::bigint`,
  }
}

/** The events that the management API lists. */
export const keptEvents = listOf('kept_event', 'event_cursor')

/** The revocations that backends follow. */
export const revocations = listOf('revocation', 'revocation_cursor')

/** A list of a database. */
export interface ListOfDatabase {
  list: NumberedList
  databaseId: string
}

/** The place after the last numbered row of a database. */
export interface LastPlace extends Place {
  /** The last number whose row was deleted, and its stamp. Null if none was, or by a server without stamps. */
  deletedSeq: number | null
  deletedStamp: string | null
  /** Whether there are rows that have no number yet. */
  hasMore: boolean
}

/** Returns the last place of a database. Undefined if no reader came before. */
export async function findLastPlace(store: Queries, { list, databaseId }: ListOfDatabase) {
  const [place] = await store.query<LastPlace>(list.findLast, [databaseId])
  return place
}

/** Returns for each database what {@link findLastPlace} does. On Citus, finds that of one database. */
export async function findLastPlaces(store: Queries, list: NumberedList, databaseIds: readonly string[]) {
  const [databaseId] = databaseIds
  if (databaseId && databaseIds.length === 1) return [await findLastPlace(store, { list, databaseId })]
  type Row = LastPlace & { databaseId: string }
  const rows = await store.query<Row>(list.findLastOfDatabases, [databaseIds])
  const places = new Map(rows.map((row) => [row.databaseId, row]))
  return databaseIds.map((id) => places.get(id))
}

/** Creates the cursor row of a database, unless it exists. */
export const createLineage = (store: Queries, { list, databaseId }: ListOfDatabase, lineage: string) =>
  store.query(list.createLineage, [databaseId, lineage])

/** Lets all cursors of a database expire. Returns whether there can be any. */
export async function replaceLineage(store: Queries, { list, databaseId }: ListOfDatabase, lineage: string) {
  const rows = await store.query(list.replaceLineage, [databaseId, lineage])
  return rows.length > 0
}

/**
 * Numbers committed rows, at most 1,000, by the time at which they were stored.
 *
 * @returns the place after the last row and whether there may be more; undefined while another reader numbers them
 */
export const numberRows = (store: Transactions, { list, databaseId }: ListOfDatabase) =>
  store.transaction(databaseId, async (query) => {
    // A separate statement, because only a later one sees what the previous reader has committed. It does not wait, because a
    // frozen server that holds the lock would then take the connections of the others.
    const [place] = await query<Pick<Place, 'lineage' | 'seq'>>(list.lock, [databaseId])
    if (!place) return undefined
    const [{ count, stamp } = { count: 0, stamp: null }] = await query<{
      count: number
      stamp: string | null
    }>(list.number, [databaseId, place.seq])
    // Another reader has numbered the rows.
    if (count === 0) return findLastPlace({ query: query as Queries['query'] }, { list, databaseId })
    await query(list.move, [databaseId, place.seq + count])
    const none = { deletedSeq: null, deletedStamp: null }
    return { lineage: place.lineage, seq: place.seq + count, stamp, ...none, hasMore: count === batchRows }
  })

/** Returns the rows from a number on, in order. */
export const findRowsFrom = (
  store: Queries,
  { list, databaseId }: ListOfDatabase,
  { seq, limit }: { seq: number; limit: number },
) => store.query<NumberedRow>(list.findFrom, [databaseId, seq, limit])

/** Returns whether a database has any row. */
export async function hasRows(store: Queries, { list, databaseId }: ListOfDatabase) {
  return (await store.query(list.findAny, [databaseId])).length > 0
}

/**
 * Deletes the first numbered rows, up to the first one that was created later. So the rest has no gap.
 *
 * @returns whether there may be more to delete
 */
export async function deleteFirstRows(store: Queries, of: ListOfDatabase, createdBefore: Date) {
  const first = await findRowsFrom(store, of, { seq: 0, limit: deletedRows })
  const kept = first.findIndex(({ createdAt }) => createdAt >= createdBefore)
  const ended = kept < 0 ? first : first.slice(0, kept)
  const last = ended.at(-1)
  if (!last) return false
  // First, so that no cursor finds neither the row nor the mark.
  const marked = await store.query(of.list.markDeleted, [of.databaseId, last.seq, last.stamp])
  if (marked.length === 0) return false
  await store.query(of.list.deleteFirst, [of.databaseId, last.seq])
  return ended.length === deletedRows
}

/** Returns for how many days the events of a database are kept. */
export async function findDaysOfEvents(store: Queries, databaseId: string) {
  const [database] = await store.query<{ days: number }>(
    // An array, because a store on Citus takes a string for the id of a database.
    'SELECT events_kept AS days FROM usher.database WHERE id = ($1::uuid[])[1]',
    [[databaseId]],
  )
  return database?.days ?? 0
}
