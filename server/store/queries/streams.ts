import type { Store } from '../store.js'
import {
  type Claim,
  type ClaimedStream,
  type DatabaseKey,
  type DueMessage,
  messageColumns,
} from './deliveries.js'
import type { Transactions } from './outbox.js'

type Queries = Pick<Store, 'query'>

/** A claimed stream, with its first event if the event is due. */
export type ClaimedFirst = { streamId: string; version: number; isEmpty: boolean } & (
  | (Omit<DueMessage, 'stream'> & { isDue: true })
  | { isDue: false }
)

/**
 * Claims streams that are due. Half of them are the longest due ones and half the most recent ones, so that a new
 * event need not wait for all events that a receiver rejects. Postpones a stream whose first event is not due,
 * because a version without streams has claimed it or because it waits for the operator.
 *
 * @param claim.lookAgain when to look again at an event that waits for the operator, because a command of another
 * version may have changed it
 * @param limit an even number of streams
 */
export const claimStreams = (
  store: Queries,
  { databaseId, now, until, lookAgain }: Claim & { lookAgain: Date },
  limit: number,
) => store.query<ClaimedFirst>(claimStreamsStatement(limit), [databaseId, now, until, lookAgain])

const dueStreams = (order: string, limit: number) => `
    SELECT id FROM usher.outbox_stream
    WHERE database_id = $1::uuid AND due_at <= $2::timestamptz AND due_at > '-infinity'
    ORDER BY due_at ${order} LIMIT ${limit / 2} FOR UPDATE SKIP LOCKED`

const claimStreamsStatement = (limit: number) => `
  WITH oldest AS MATERIALIZED (${dueStreams('ASC', limit)}
  ), newest AS MATERIALIZED (${dueStreams('DESC', limit)}
  ), due AS MATERIALIZED (SELECT id FROM oldest UNION SELECT id FROM newest
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

/** Deletes a delivered event, or keeps it for `usher events tail`, and lets the next one of its stream be claimed. */
export async function completeEvent(
  store: Queries,
  { databaseId, id, stream }: DatabaseKey & { id: string; stream: ClaimedStream },
  { isTailed, now }: { isTailed: boolean; now: Date },
) {
  const values = [databaseId, stream.id, stream.version, id]
  const [ended] = await store.query(isTailed ? keepAndEndStatement : deleteAndEndStatement, values)
  if (!ended) await store.query(lookAtStreamStatement, [databaseId, stream.id, now])
}

/** Deletes an empty stream, unless an event was added meanwhile. */
export async function endStream(
  store: Queries,
  { databaseId, id, version }: DatabaseKey & ClaimedStream,
  now: Date,
) {
  const [ended] = await store.query(`${endStatement()} RETURNING 1`, [databaseId, id, version])
  if (!ended) await store.query(lookAtStreamStatement, [databaseId, id, now])
}

// If the version is still the same, no message was added since the claim. It is compared with the locked row, not
// with the snapshot of the statement. Messages that were added before the claim are visible.
const endStatement = (but = '') => `
  DELETE FROM usher.outbox_stream AS stream
  WHERE stream.database_id = $1::uuid AND stream.id = $2::uuid AND stream.version = $3::integer AND NOT EXISTS (
    SELECT FROM usher.outbox AS other
    WHERE other.database_id = $1::uuid AND other.user_id = $2::uuid AND other.kind = 'webhook'${but})`

const andEnd = (done: string) => `
  WITH done AS (${done})${endStatement(' AND other.id <> $4::uuid')} RETURNING 1`

const deleteAndEndStatement = andEnd(`
    DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $4::uuid`)
const keepAndEndStatement = andEnd(`
    UPDATE usher.outbox SET kind = 'tail', due_at = NULL, last_error = NULL
    WHERE database_id = $1::uuid AND id = $4::uuid`)

const lookAtStreamStatement = `
  UPDATE usher.outbox_stream SET due_at = $3::timestamptz WHERE database_id = $1::uuid AND id = $2::uuid`

/** Number of events whose streams one transaction creates. */
const adoptedMessages = 1000

/**
 * Creates the streams of events that versions without streams have stored, for a limited number of events at a time.
 *
 * @returns whether there may be more
 */
export const adoptMessages = (store: Transactions, databaseId: string, now: Date) =>
  store.transaction(databaseId, async (query) => {
    const found = await query<{ id: string; streamId: string }>(findWithoutStreamStatement, [databaseId])
    // In the order in which all transactions lock them, and before the messages, as claims do.
    const streams = [...new Set(found.map(({ streamId }) => streamId))].sort()
    if (streams.length === 0) return false
    await query(createStreamsStatement, [databaseId, streams, now])
    await query(adoptStatement, [databaseId, found.map(({ id }) => id)])
    return found.length === adoptedMessages
  })

const findWithoutStreamStatement = `
  SELECT id, COALESCE(user_id, id) AS "streamId" FROM usher.outbox
  WHERE database_id = $1::uuid AND kind = 'webhook' AND NOT in_stream ORDER BY due_at LIMIT ${adoptedMessages}`

const createStreamsStatement = `
  INSERT INTO usher.outbox_stream AS stream (database_id, id, due_at)
  SELECT $1::uuid, id, $3::timestamptz FROM unnest($2::uuid[]) AS id ORDER BY id
  ON CONFLICT (database_id, id) DO UPDATE SET version = stream.version + 1`

const adoptStatement = `
  UPDATE usher.outbox SET in_stream = true WHERE database_id = $1::uuid AND id = ANY ($2::uuid[])`
