import { NIL } from 'uuid'
import type { Store } from '../store.js'
import { lookAtStream } from './streams.js'

type Queries = Pick<Store, 'query'>

/** Messages that are not delivered yet: one of them, or a batch of those that wait for the operator. */
export interface ChosenMessages {
  databaseId: string
  /** Undefined for those that wait for the operator. */
  id: string | undefined
  /** The last message of the batch before. */
  after: string | undefined
  now: Date
}

// Each change also makes the streams of its messages due. It locks them before the messages, as claims do.

/** Makes messages due, and allows all attempts again. */
export const retryMessages = (transaction: Queries, chosen: ChosenMessages) =>
  changeMessages(transaction, chosen, (databaseId, id) =>
    transaction.query(retryStatement, [databaseId, id, chosen.now]),
  )

const retryStatement = `
  UPDATE usher.outbox SET due_at = $3::timestamptz, attempts = 0
  WHERE database_id = $1::uuid AND id = $2::uuid RETURNING 1`

/** Deletes messages. */
export const dropMessages = (transaction: Queries, chosen: ChosenMessages) =>
  changeMessages(transaction, chosen, (databaseId, id) => transaction.query(dropStatement, [databaseId, id]))

const dropStatement = `
  DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid RETURNING 1`

/** Number of messages that one transaction changes. */
const batchRows = 1_000

/** Returns the number of changed messages, and the last one of the batch if more may follow. */
async function changeMessages(
  { query }: Queries,
  { databaseId, id, after = NIL, now }: ChosenMessages,
  change: (databaseId: string, id: string) => Promise<unknown[]>,
) {
  const condition = id === undefined ? 'id > $2::uuid AND due_at IS NULL' : 'id = $2::uuid'
  const findStatement = `
    SELECT id, COALESCE(user_id, id) AS "streamId" FROM usher.outbox
    WHERE database_id = $1::uuid AND ${condition} ORDER BY id LIMIT ${batchRows}`
  const found = await query<{ id: string; streamId: string }>(findStatement, [databaseId, id ?? after])
  const streams = [...new Set(found.map(({ streamId }) => streamId))].sort()
  for (const stream of streams) await lookAtStream({ query }, { databaseId, id: stream }, now)
  let messages = 0
  for (const row of found) messages += (await change(databaseId, row.id)).length
  return { messages, last: found[batchRows - 1]?.id }
}

/** Returns the id of the last event that waits for the webhook of a database, or undefined. */
export async function findLastWaitingEvent({ query }: Queries, databaseId: string) {
  const [row] = await query<{ id: string }>(findLastWaitingStatement, [databaseId])
  return row?.id
}

const findLastWaitingStatement = `
  SELECT id FROM usher.outbox WHERE database_id = $1::uuid AND kind = 'webhook' ORDER BY id DESC LIMIT 1`

/**
 * Deletes the events that wait for the webhook of a database, up to an id. Servers delete the empty streams later.
 */
export async function deleteWaitingEvents(store: Queries, databaseId: string, lastId: string) {
  let after: string = NIL
  for (;;) {
    const [row] = await store.query<{ last: string }>(findLastEventStatement, [databaseId, after, lastId])
    if (!row) return
    await store.query(deleteEventsStatement, [databaseId, after, row.last])
    after = row.last
  }
}

const findLastEventStatement = `
  SELECT id AS last FROM (
    SELECT id FROM usher.outbox
    WHERE database_id = $1::uuid AND id > $2::uuid AND id <= $3::uuid AND kind = 'webhook'
    ORDER BY id LIMIT ${batchRows}) AS batch
  ORDER BY id DESC LIMIT 1`

const deleteEventsStatement = `
  DELETE FROM usher.outbox
  WHERE database_id = $1::uuid AND id > $2::uuid AND id <= $3::uuid AND kind = 'webhook'`
