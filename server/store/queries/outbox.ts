import type { Message, Prisma } from '../generated/client.js'
import type { ServerStore } from '../store.js'

// A message is written with the change that causes it, or not at all. Servers claim it for a time, so that no
// connection is held while it is delivered; a claim that is not completed ends by itself.

type Queries = Pick<ServerStore, 'query'>

/** What {@link changeWithMessages} needs. */
export type Transactions = Pick<ServerStore, 'query' | 'transaction'>

export type NewMessage = Omit<Message, 'storedAt' | 'attempts' | 'lastError' | 'payload'> & {
  payload: Prisma.InputJsonObject
}

const columns = 'database_id, id, kind, user_id, payload, created_at, due_at'

const valuesOf = ({ id, kind, userId, payload, createdAt, dueAt }: NewMessage) => [
  id,
  kind,
  userId,
  JSON.stringify(payload),
  createdAt,
  dueAt,
]

const rowAfter = (last: number) =>
  `($1::uuid, $${last + 1}::uuid, $${last + 2}, $${last + 3}::uuid, $${last + 4}::jsonb,
    $${last + 5}::timestamptz, $${last + 6}::timestamptz)`

const rowParameters = 6

/** Returns parts of a statement that insert messages, whose values follow the parameter `last`. */
export const messageParts = (count: number, last: number) =>
  Array.from(
    { length: count },
    (_, index) => `
  INSERT INTO usher.outbox (${columns}) VALUES ${rowAfter(last + index * rowParameters)}`,
  )

export const messageValues = (messages: readonly NewMessage[]) => messages.flatMap(valuesOf)

/** Inserts messages within a transaction of Prisma, with the change that causes them. */
export const insertMessages = (transaction: Prisma.TransactionClient, messages: readonly NewMessage[]) =>
  insertEach((text, values) => transaction.$executeRawUnsafe(text, ...values), messages)

export const insertMessage = (store: Queries, message: NewMessage) => insertEach(store.query, [message])

/** @param run runs a statement of the transaction that has the change */
export async function insertEach(
  run: (text: string, values: unknown[]) => Promise<unknown>,
  messages: readonly NewMessage[],
) {
  for (const message of messages) await run(insertStatement, [message.databaseId, ...valuesOf(message)])
}

const insertStatement = `INSERT INTO usher.outbox (${columns}) VALUES ${rowAfter(1)}`

/** Messages of a change, or a function that returns them by the first row that the change returns. */
export type MessagesOf<Row> = readonly NewMessage[] | ((row: Row) => readonly NewMessage[])

/**
 * Runs a change and, if it returns a row, inserts the messages that it causes: both or neither. Without messages it is
 * one statement. With them it is a transaction, because no part of a statement may insert what another part selects.
 */
export function changeWithMessages<Row>(
  store: Transactions,
  text: string,
  values: unknown[],
  messages: MessagesOf<Row>,
): Promise<Row[]> {
  if (typeof messages !== 'function' && messages.length === 0) return store.query<Row>(text, values)
  const [databaseId] = values
  return store.transaction(String(databaseId), async (query) => {
    const rows = await query<Row>(text, values)
    const [row] = rows
    if (row) await insertEach(query, typeof messages === 'function' ? messages(row) : messages)
    return rows
  })
}

export type ClaimedMessage = Pick<Message, 'id' | 'kind' | 'userId' | 'payload' | 'createdAt' | 'attempts'>

/**
 * Returns messages of one kind that are due, and counts an attempt of each. Nobody else gets them until `claimedUntil`.
 * Of the webhook messages of one user only the first is returned, and only if none before it is waiting.
 */
export const claimMessages = (
  store: Queries,
  databaseId: string,
  kind: string,
  now: Date,
  claimedUntil: Date,
  limit: number,
) => store.query<ClaimedMessage>(claimStatement, [databaseId, now, claimedUntil, limit, kind])

const claimStatement = `
  UPDATE usher.outbox SET attempts = attempts + 1, due_at = $3::timestamptz
  WHERE database_id = $1::uuid AND id IN (
    SELECT id FROM usher.outbox AS message
    WHERE database_id = $1::uuid AND kind = $5 AND due_at <= $2::timestamptz AND NOT EXISTS (
      SELECT FROM usher.outbox AS earlier
      WHERE earlier.database_id = $1::uuid AND earlier.user_id = message.user_id
        AND (earlier.stored_at, earlier.id) < (message.stored_at, message.id)
        AND earlier.kind = 'webhook' AND message.kind = 'webhook')
    ORDER BY due_at, id LIMIT $4::integer FOR UPDATE SKIP LOCKED)
  RETURNING id, kind, user_id AS "userId", payload, created_at AS "createdAt", attempts`

/** Deletes a delivered message. */
export const deleteMessage = (store: Queries, databaseId: string, id: string) =>
  store.query('DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid', [databaseId, id])

/** Keeps a delivered event for `usher events tail`. */
export const keepForTail = (store: Queries, databaseId: string, id: string) =>
  store.query(
    `UPDATE usher.outbox SET kind = 'tail', due_at = NULL WHERE database_id = $1::uuid AND id = $2::uuid`,
    [databaseId, id],
  )

/** @param dueAt when to try again; null to let the message rest. Does nothing if somebody else has claimed it since */
export const failMessage = (
  store: Queries,
  databaseId: string,
  { id, attempts }: Pick<Message, 'id' | 'attempts'>,
  lastError: string,
  dueAt: Date | null,
) => store.query(failStatement, [databaseId, id, attempts, lastError, dueAt])

const failStatement = `
  UPDATE usher.outbox SET last_error = $4, due_at = $5::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid AND attempts = $3::integer`

export async function hasDueMessages(store: Queries, databaseId: string, now: Date) {
  const rows = await store.query(
    'SELECT 1 FROM usher.outbox WHERE database_id = $1::uuid AND due_at <= $2::timestamptz ORDER BY due_at LIMIT 1',
    [databaseId, now],
  )
  return rows.length > 0
}

/** Returns the ids of databases that follow one, in a circle. */
export async function findDatabasesAfter(store: Queries, id: string, limit: number) {
  // An array, because a store on Citus takes a string for the id of a database.
  const rows = await store.query<{ id: string }>(
    'SELECT id FROM usher.database WHERE id > ($1::uuid[])[1] ORDER BY id LIMIT $2::integer',
    [[id], limit],
  )
  return rows.map((row) => row.id)
}

/** How the messages of a database are delivered. */
export interface Delivery {
  appUrl: string | null
  webhookUrl: string | null
  sealedWebhookSecret: Uint8Array | null
  eventsTailedUntil: Date | null
}

export async function findDelivery(store: Queries, databaseId: string) {
  const [delivery] = await store.query<Delivery>(
    `SELECT app_url AS "appUrl", webhook_url AS "webhookUrl", sealed_webhook_secret AS "sealedWebhookSecret",
      events_tailed_until AS "eventsTailedUntil"
    FROM usher.database WHERE id = $1::uuid`,
    [databaseId],
  )
  return delivery
}

/** Returns the events of a database from one id on, delivered or not, oldest first. */
export const findEvents = (store: Queries, databaseId: string, fromId: string) =>
  store.query<Pick<Message, 'id' | 'payload' | 'createdAt'>>(
    `SELECT id, payload, created_at AS "createdAt" FROM usher.outbox
    WHERE database_id = $1::uuid AND id >= $2::uuid AND kind IN ('webhook', 'tail') ORDER BY stored_at, id`,
    [databaseId, fromId],
  )

/** Deletes the events before an id that were kept only for `usher events tail`. */
export const deleteTailedEvents = (store: Queries, databaseId: string, beforeId: string) =>
  store.query(`DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id < $2::uuid AND kind = 'tail'`, [
    databaseId,
    beforeId,
  ])
