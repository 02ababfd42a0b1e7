import { NIL } from 'uuid'
import type { Store } from '../store.js'
import type { Transactions } from './outbox.js'
import { lookAtStream } from './streams.js'

/** Messages that are not delivered yet: one of them, or all that wait for the operator. */
export interface ChosenMessages {
  databaseId: string
  /** Undefined for all that wait for the operator. */
  id: string | undefined
}

// Each change also makes the streams of its messages due. It locks them before the messages, as claims do. Messages of
// versions without streams have none, which does not matter, because the search creates them.

/** Makes messages due, and allows all attempts again. Returns their number. */
export const retryMessages = (store: Transactions, chosen: ChosenMessages, now: Date) =>
  changeMessages(store, { ...chosen, now }, (query, databaseId, id) =>
    query(retryStatement, [databaseId, id, now]),
  )

const retryStatement = `
  UPDATE usher.outbox SET due_at = $3::timestamptz, attempts = 0
  WHERE database_id = $1::uuid AND id = $2::uuid AND kind <> 'tail' RETURNING 1`

/** Deletes messages. Returns their number. */
export const dropMessages = (store: Transactions, chosen: ChosenMessages, now: Date) =>
  changeMessages(store, { ...chosen, now }, (query, databaseId, id) => query(dropStatement, [databaseId, id]))

const dropStatement = `
  DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid AND kind <> 'tail' RETURNING 1`

/** Number of messages that one transaction changes. */
const batchRows = 1_000

async function changeMessages(
  store: Transactions,
  { databaseId, id, now }: ChosenMessages & { now: Date },
  change: (query: Store['query'], databaseId: string, id: string) => Promise<unknown[]>,
) {
  const condition = id === undefined ? 'id > $2::uuid AND due_at IS NULL' : 'id = $2::uuid'
  const findStatement = `
    SELECT id, COALESCE(user_id, id) AS "streamId" FROM usher.outbox
    WHERE database_id = $1::uuid AND kind <> 'tail' AND ${condition} ORDER BY id LIMIT ${batchRows}`
  let changed = 0
  let after: string = id ?? NIL
  for (;;) {
    const rows = await store.transaction(databaseId, async (query) => {
      const found = await query<{ id: string; streamId: string }>(findStatement, [databaseId, after])
      const streams = [...new Set(found.map(({ streamId }) => streamId))].sort()
      for (const stream of streams) await lookAtStream({ query }, { databaseId, id: stream }, now)
      for (const row of found) changed += (await change(query, databaseId, row.id)).length
      return found
    })
    const last = rows[batchRows - 1]
    if (!last) return changed
    after = last.id
  }
}

/** Returns the id of the last event that waits for the webhook of a database, or undefined. */
export async function findLastWaitingEvent({ query }: Pick<Transactions, 'query'>, databaseId: string) {
  const [row] = await query<{ id: string }>(findLastWaitingStatement, [databaseId])
  return row?.id
}

const findLastWaitingStatement = `
  SELECT id FROM usher.outbox WHERE database_id = $1::uuid AND kind = 'webhook' ORDER BY id DESC LIMIT 1`

/**
 * Deletes the events that wait for the webhook of a database, up to an id. Servers delete the empty streams later.
 */
export async function deleteWaitingEvents(
  store: Pick<Transactions, 'query'>,
  databaseId: string,
  lastId: string,
) {
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
