import type { Store } from '../store.js'
import {
  type Claim,
  type ClaimedStream,
  type DatabaseKey,
  type DueMessage,
  messageColumns,
} from './deliveries.js'

type Queries = Pick<Store, 'query'>

/** A claimed stream, with its first event if the event is due. */
export type ClaimedFirst = { streamId: string; version: number; isEmpty: boolean } & (
  | (Omit<DueMessage, 'stream'> & { isDue: true })
  | { isDue: false }
)

/**
 * Claims streams that are due: up to half of them are the most recent ones whose first event is new, the others are
 * those that are due for the longest time. So a new event waits neither for events that a receiver rejects nor for those
 * of users who have many. Postpones a stream whose first event is not due, because it is retried later or waits for the
 * operator.
 *
 * @param claim.lookAgain when to look again at an event that waits for the operator
 * @param limit an even number of streams
 */
export const claimStreams = (
  store: Queries,
  { databaseId, now, until, lookAgain }: Claim & { lookAgain: Date },
  limit: number,
) => store.query<ClaimedFirst>(claimStreamsStatement(limit), [databaseId, now, until, lookAgain])

const dueStreams = (limit: number, order: string, condition = '') => `
    SELECT id FROM usher.outbox_stream
    WHERE database_id = $1::uuid AND due_at <= $2::timestamptz AND due_at > '-infinity'${condition}
    ORDER BY due_at ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED`

const claimStreamsStatement = (limit: number) => `
  WITH newest AS MATERIALIZED (${dueStreams(limit / 2, 'DESC', ' AND NOT has_failed')}
  ), oldest AS MATERIALIZED (${dueStreams(limit, 'ASC')}
  ), due AS MATERIALIZED (
    SELECT id FROM (SELECT id, 1 AS turn FROM newest UNION ALL SELECT id, 2 FROM oldest) AS either
    GROUP BY id ORDER BY min(turn) LIMIT ${limit}
  ), head AS MATERIALIZED (
    SELECT due.id AS stream_id, first.*
    FROM due LEFT JOIN LATERAL (
      (SELECT m.* FROM usher.outbox AS m
      WHERE m.database_id = $1::uuid AND m.user_id = due.id AND m.kind = 'webhook'
      ORDER BY m.stored_at, m.id LIMIT 1)
      UNION ALL
      (SELECT m.* FROM usher.outbox AS m
      WHERE m.database_id = $1::uuid AND m.id = due.id AND m.user_id IS NULL AND m.kind = 'webhook')
      LIMIT 1
    ) AS first ON true
  ), claimed AS (
    UPDATE usher.outbox_stream AS stream SET due_at = CASE
      WHEN head.id IS NULL OR head.due_at <= $2::timestamptz THEN $3::timestamptz
      ELSE COALESCE(head.due_at, $4::timestamptz)
    END
    FROM head WHERE stream.database_id = $1::uuid AND stream.id = ANY (ARRAY(SELECT id FROM due))
      AND stream.id = head.stream_id
    RETURNING stream.id, stream.version
  )
  SELECT claimed.id AS "streamId", claimed.version, head.id IS NULL AS "isEmpty",
    COALESCE(head.due_at <= $2::timestamptz, false) AS "isDue", ${messageColumns('head')}
  FROM claimed JOIN head ON head.stream_id = claimed.id`

/** Deletes a delivered event, and lets the next one of its stream be claimed. */
export async function completeEvent(
  store: Queries,
  { databaseId, id, stream }: DatabaseKey & { id: string; stream: ClaimedStream },
  now: Date,
) {
  const values = [databaseId, stream.id, stream.version, id]
  const [ended] = await store.query(deleteAndEndStatement, values)
  if (!ended) await lookAtStream(store, { databaseId, id: stream.id }, now)
}

/** Deletes an empty stream, unless an event was added meanwhile. */
export async function endStream(
  store: Queries,
  { databaseId, id, version }: DatabaseKey & ClaimedStream,
  now: Date,
) {
  const [ended] = await store.query(`${endStatement()} RETURNING 1`, [databaseId, id, version])
  if (!ended) await lookAtStream(store, { databaseId, id }, now)
}

// If the version is still the same, no message was added since the claim. It is compared with the locked row, not
// with the snapshot of the statement. Messages that were added before the claim are visible. ORDER BY lets Postgres use
// the index of events. For NOT EXISTS it reads the whole table if most waiting events are those of one user.
const endStatement = (but = '') => `
  DELETE FROM usher.outbox_stream AS stream
  WHERE stream.database_id = $1::uuid AND stream.id = $2::uuid AND stream.version = $3::integer AND (
    SELECT other.id FROM usher.outbox AS other
    WHERE other.database_id = $1::uuid AND other.user_id = $2::uuid AND other.kind = 'webhook'${but}
    ORDER BY other.stored_at, other.id LIMIT 1) IS NULL`

const deleteAndEndStatement = `
  WITH done AS (DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $4::uuid)
  ${endStatement(' AND other.id <> $4::uuid')} RETURNING 1`

/** An event that has waited for longer is not new any more. */
const newMilliseconds = 10_000

/** Makes a stream due: at the time of its first event if that is new, otherwise after all that are due. */
export const lookAtStream = (store: Queries, { databaseId, id }: DatabaseKey & { id: string }, now: Date) =>
  store.query(lookAtStreamStatement, [databaseId, id, now, new Date(now.getTime() - newMilliseconds)])

// The column has_failed means that the first event is not new.
const lookAtStreamStatement = `
  WITH first AS (
    SELECT max(created_at) AS created_at FROM (
      SELECT created_at FROM usher.outbox
      WHERE database_id = $1::uuid AND user_id = $2::uuid AND kind = 'webhook'
      ORDER BY stored_at, id LIMIT 1) AS event
  )
  UPDATE usher.outbox_stream AS stream SET
    due_at = CASE WHEN first.created_at > $4::timestamptz THEN LEAST(first.created_at, $3::timestamptz)
      ELSE $3::timestamptz END,
    has_failed = COALESCE(first.created_at <= $4::timestamptz, false)
  FROM first WHERE stream.database_id = $1::uuid AND stream.id = $2::uuid`
