import type { Store } from '../store.js'
import type { Transactions } from './outbox.js'

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
  changeMessages(store, { ...chosen, now }, (query, databaseId, ids) =>
    query(retryStatement, [databaseId, ids, now]),
  )

const retryStatement = `
  UPDATE usher.outbox SET due_at = $3::timestamptz, attempts = 0
  WHERE database_id = $1::uuid AND id = ANY ($2::uuid[]) AND kind <> 'tail' RETURNING 1`

/** Deletes messages. Returns their number. */
export const dropMessages = (store: Transactions, chosen: ChosenMessages, now: Date) =>
  changeMessages(store, { ...chosen, now }, (query, databaseId, ids) =>
    query(dropStatement, [databaseId, ids]),
  )

const dropStatement = `
  DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = ANY ($2::uuid[]) AND kind <> 'tail' RETURNING 1`

/** Number of messages that one transaction changes. */
const batchRows = 1_000

async function changeMessages(
  store: Transactions,
  { databaseId, id, now }: ChosenMessages & { now: Date },
  change: (query: Store['query'], databaseId: string, ids: string[]) => Promise<unknown[]>,
) {
  const condition = id === undefined ? 'due_at IS NULL' : 'id = $2::uuid'
  let changed = 0
  for (;;) {
    const { length } = await store.transaction(databaseId, async (query) => {
      const rows = await query<{ id: string; streamId: string }>(
        `SELECT id, COALESCE(user_id, id) AS "streamId" FROM usher.outbox
        WHERE database_id = $1::uuid AND kind <> 'tail' AND ${condition} ORDER BY id LIMIT ${batchRows}`,
        [databaseId, ...(id === undefined ? [] : [id])],
      )
      const streams = [...new Set(rows.map(({ streamId }) => streamId))].sort()
      await query(lookAtStreamsStatement, [databaseId, streams, now])
      return change(
        query,
        databaseId,
        rows.map((row) => row.id),
      )
    })
    changed += length
    if (length < batchRows) return changed
  }
}

const lookAtStreamsStatement = `
  UPDATE usher.outbox_stream SET due_at = $3::timestamptz
  WHERE database_id = $1::uuid AND id = ANY ($2::uuid[])`

/**
 * Deletes the events that wait for the webhook of a database. Servers delete the empty streams later.
 */
export async function deleteWaitingEvents(store: Pick<Transactions, 'query'>, databaseId: string) {
  for (;;) {
    const { length } = await store.query(
      `DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = ANY (ARRAY(
        SELECT id FROM usher.outbox WHERE database_id = $1::uuid AND kind = 'webhook' ORDER BY id LIMIT ${batchRows}))
      RETURNING 1`,
      [databaseId],
    )
    if (length < batchRows) return
  }
}
