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
}

export type NumberedRow = Pick<KeptEvent, 'id' | 'payload' | 'createdAt'> & { seq: number }

/** Rows that one transaction numbers at most. */
const batchRows = 1000

/** Rows that one statement deletes at most. */
const deletedRows = 250

/** A list and its statements. */
export type NumberedList = ReturnType<typeof listOf>

/** Returns the list of a table. Both tables have the columns of kept_event and event_cursor. */
function listOf(table: string, cursorTable: string) {
  const [rows, cursor] = [`usher.${table}`, `usher.${cursorTable}`]
  // The order makes Postgres use the index of rows without number, not read the table until it finds one.
  const lastPlace = (databaseId: string) => `lineage, last_seq AS seq, (
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
    RETURNING 1
  ) SELECT count(*)::int AS count FROM numbered`,
    move: `UPDATE ${cursor} SET last_seq = $2::bigint WHERE database_id = $1::uuid`,
    findAfter: `
  SELECT id, seq, payload, created_at AS "createdAt" FROM ${rows}
  WHERE database_id = $1::uuid AND seq > $2::bigint ORDER BY seq LIMIT $3::integer`,
    findAny: `SELECT 1 FROM ${rows} WHERE database_id = $1::uuid ORDER BY id LIMIT 1`,
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
    const [place] = await query<Place>(list.lock, [databaseId])
    if (!place) return undefined
    const [{ count = 0 } = {}] = await query<{ count: number }>(list.number, [databaseId, place.seq])
    if (count > 0) await query(list.move, [databaseId, place.seq + count])
    return { lineage: place.lineage, seq: place.seq + count, hasMore: count === batchRows }
  })

/** Returns the rows that follow a number, in order. */
export const findRowsAfter = (
  store: Queries,
  { list, databaseId }: ListOfDatabase,
  { seq, limit }: { seq: number; limit: number },
) => store.query<NumberedRow>(list.findAfter, [databaseId, seq, limit])

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
  const first = await findRowsAfter(store, of, { seq: 0, limit: deletedRows })
  const kept = first.findIndex(({ createdAt }) => createdAt >= createdBefore)
  const ended = kept < 0 ? first : first.slice(0, kept)
  const last = ended.at(-1)
  if (last) await store.query(of.list.deleteFirst, [of.databaseId, last.seq])
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
