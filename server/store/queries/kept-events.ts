import type { KeptEvent } from '../generated/client.js'
import type { Store } from '../store.js'

// Kept events get their numbers after they are committed: a writer inserts them without one, and a reader that has locked
// the cursor row of the database numbers those that it sees. So the numbers have no gaps, a smaller one never appears after
// a larger one, and writers do not wait for each other.

type Queries = Pick<Store, 'query'>
type Transactions = Pick<Store, 'query' | 'transaction'>

/** The last number that the events of a database have. */
export interface EventPlace {
  /** A random text, which changes when all cursors must expire. */
  lineage: string
  seq: number
}

export type NumberedEvent = Pick<KeptEvent, 'id' | 'payload' | 'createdAt'> & { seq: number }

/** Events that one transaction numbers at most. */
const batchRows = 1000

/** Returns the place after the last numbered event, and whether there are events without number. Undefined if no reader came before. */
export async function findLastPlace(store: Queries, databaseId: string) {
  const [place] = await store.query<EventPlace & { hasMore: boolean }>(findLastPlaceStatement, [databaseId])
  return place
}

// The order makes Postgres use the index of events without number, not read the table until it finds one.
const findLastPlaceStatement = `
  SELECT lineage, last_seq AS seq, (
    SELECT id FROM usher.kept_event WHERE database_id = $1::uuid AND seq IS NULL ORDER BY stored_at, id LIMIT 1
  ) IS NOT NULL AS "hasMore"
  FROM usher.event_cursor WHERE database_id = $1::uuid`

/** Creates the cursor row of a database, unless it exists. */
export const createLineage = (store: Queries, databaseId: string, lineage: string) =>
  store.query(
    `INSERT INTO usher.event_cursor (database_id, lineage) VALUES ($1::uuid, $2)
    ON CONFLICT (database_id) DO NOTHING`,
    [databaseId, lineage],
  )

/** Lets all cursors of a database expire. Returns whether there can be any. */
export async function replaceLineage(store: Queries, databaseId: string, lineage: string) {
  const rows = await store.query(
    'UPDATE usher.event_cursor SET lineage = $2 WHERE database_id = $1::uuid RETURNING 1',
    [databaseId, lineage],
  )
  return rows.length > 0
}

/**
 * Numbers committed events, at most 1,000, by the time at which they were stored.
 *
 * @returns the place after the last event and whether there may be more; undefined while another reader numbers them
 */
export const numberEvents = (store: Transactions, databaseId: string) =>
  store.transaction(databaseId, async (query) => {
    // A statement of its own, because only a later one sees what the reader before has committed. It does not wait: a frozen
    // server that holds the lock must not take the connections of the others.
    const [place] = await query<EventPlace>(lockPlaceStatement, [databaseId])
    if (!place) return undefined
    const [{ count = 0 } = {}] = await query<{ count: number }>(numberStatement, [databaseId, place.seq])
    if (count > 0) await query(movePlaceStatement, [databaseId, place.seq + count])
    return { lineage: place.lineage, seq: place.seq + count, hasMore: count === batchRows }
  })

const lockPlaceStatement = `
  SELECT lineage, last_seq AS seq FROM usher.event_cursor WHERE database_id = $1::uuid FOR UPDATE SKIP LOCKED`

const numberStatement = `
  WITH numbered AS (
    UPDATE usher.kept_event AS event SET seq = next.seq
    FROM (
      SELECT id, $2::bigint + row_number() OVER (ORDER BY stored_at, id) AS seq FROM (
        SELECT id, stored_at FROM usher.kept_event
        WHERE database_id = $1::uuid AND seq IS NULL ORDER BY stored_at, id LIMIT ${batchRows}
      ) AS first
    ) AS next
    WHERE event.database_id = $1::uuid AND event.id = next.id
    RETURNING 1
  ) SELECT count(*)::int AS count FROM numbered`

const movePlaceStatement = 'UPDATE usher.event_cursor SET last_seq = $2::bigint WHERE database_id = $1::uuid'

/** Returns the events that follow a number, in order. */
export const findEventsAfter = (
  store: Queries,
  databaseId: string,
  { seq, limit }: { seq: number; limit: number },
) => store.query<NumberedEvent>(findAfterStatement, [databaseId, seq, limit])

const findAfterStatement = `
  SELECT id, seq, payload, created_at AS "createdAt" FROM usher.kept_event
  WHERE database_id = $1::uuid AND seq > $2::bigint ORDER BY seq LIMIT $3::integer`

/** Returns for how many days the events of a database are kept, and whether any is stored. */
export async function findDaysOfEvents(store: Queries, databaseId: string) {
  const [database] = await store.query<{ days: number }>(
    // An array, because a store on Citus takes a string for the id of a database.
    'SELECT events_kept AS days FROM usher.database WHERE id = ($1::uuid[])[1]',
    [[databaseId]],
  )
  const [event] = await store.query(anyEventStatement, [databaseId])
  return { days: database?.days ?? 0, hasEvents: event !== undefined }
}

const anyEventStatement = 'SELECT 1 FROM usher.kept_event WHERE database_id = $1::uuid ORDER BY id LIMIT 1'

/** Events that one statement deletes at most. */
const deletedRows = 250

/**
 * Deletes the first numbered events, up to the first one that was created later. So the rest has no gap.
 *
 * @returns whether there may be more to delete
 */
export async function deleteFirstEvents(store: Queries, databaseId: string, createdBefore: Date) {
  const first = await findEventsAfter(store, databaseId, { seq: 0, limit: deletedRows })
  const kept = first.findIndex(({ createdAt }) => createdAt >= createdBefore)
  const ended = kept < 0 ? first : first.slice(0, kept)
  const last = ended.at(-1)
  if (last) await store.query(deleteFirstStatement, [databaseId, last.seq])
  return ended.length === deletedRows
}

const deleteFirstStatement = 'DELETE FROM usher.kept_event WHERE database_id = $1::uuid AND seq <= $2::bigint'
