import type { Message } from '../generated/client.js'
import type { JsonObject, Store } from '../store.js'

// A message is written with the change that causes it, or not at all. A message of the kind `kept` becomes a row of
// kept_event instead, for the list of events of the management API. Events of a user that wait for a webhook form a
// stream (a row of outbox_stream), which the same transaction creates or locks.

type Queries = Pick<Store, 'query'>

export type NewMessage = Omit<Message, 'storedAt' | 'attempts' | 'lastError' | 'payload' | 'recipient'> & {
  payload: JsonObject
  /** The address of a mail. By default that of its user when it is sent. */
  recipient?: string
  /** Not stored if the last waiting message of its stream is the same and no server has claimed it. */
  isMerged?: boolean
}

const columns = 'database_id, id, kind, user_id, payload, created_at, due_at'

function valuesOf({ id, kind, userId, payload, createdAt, dueAt, recipient }: NewMessage) {
  if (kind === 'kept') return [id, JSON.stringify(payload), createdAt]
  const values: unknown[] = [id, kind, userId, JSON.stringify(payload), createdAt, dueAt]
  return kind === 'mail' ? [...values, recipient ?? null] : values
}

function insertAfter(last: number, { kind }: Pick<NewMessage, 'kind'>) {
  if (kind === 'kept')
    return `INSERT INTO usher.kept_event (database_id, id, payload, created_at)
    VALUES ($1::uuid, $${last + 1}::uuid, $${last + 2}::jsonb, $${last + 3}::timestamptz)`
  const [column, value] = kind === 'mail' ? [', recipient', `, $${last + 7}::text`] : ['', '']
  return `INSERT INTO usher.outbox (${columns}${column})
    VALUES ($1::uuid, $${last + 1}::uuid, $${last + 2}::text, $${last + 3}::uuid, $${last + 4}::jsonb,
      $${last + 5}::timestamptz, $${last + 6}::timestamptz${value})`
}

/** Creates or locks a stream, so that no server finds it empty before the transaction ends. */
const streamAfter = (last: number) => `
  INSERT INTO usher.outbox_stream AS stream (database_id, id, due_at)
  VALUES ($1::uuid, $${last + 1}::uuid, $${last + 2}::timestamptz)
  ON CONFLICT (database_id, id) DO UPDATE SET version = stream.version + 1`

type StreamMember = Pick<NewMessage, 'kind' | 'id' | 'userId'>

const streamIdOf = ({ id, userId }: StreamMember) => userId ?? id

const byStream = (one: StreamMember, other: StreamMember) => (streamIdOf(one) < streamIdOf(other) ? -1 : 1)

/** Returns parts of a statement that insert messages of one user, whose values follow the parameter `last`. */
export function messageParts(messages: readonly NewMessage[], last: number) {
  let given = last
  const rows = messages.map((message) => {
    const part = insertAfter(given, message)
    given += valuesOf(message).length
    return part
  })
  return messages.some(isEvent) ? [...rows, streamAfter(given)] : rows
}

export function messageValues(messages: readonly NewMessage[]) {
  const first = messages.find(isEvent)
  return [...messages.flatMap(valuesOf), ...(first ? [streamIdOf(first), first.dueAt] : [])]
}

const isEvent = ({ kind }: NewMessage) => kind === 'webhook'

/** Inserts messages, within the transaction of the change that causes them or within a separate one. */
export async function insertMessages({ query }: Queries, messages: readonly NewMessage[]) {
  // Transactions that lock several streams must lock them in one order. Messages of one stream keep their order.
  const sorted = [...messages].sort((one, other) =>
    streamIdOf(one) === streamIdOf(other) ? 0 : byStream(one, other),
  )
  for (const message of sorted)
    await query(insertStatements[message.kind as keyof typeof insertStatements], [
      message.databaseId,
      ...messageValues([message]),
    ])
}

const insertStatements = {
  mail: insertAfter(1, { kind: 'mail' }),
  kept: insertAfter(1, { kind: 'kept' }),
  webhook: `
  WITH message AS (${insertAfter(1, { kind: 'webhook' })}), stream AS (${streamAfter(7)}
  ) SELECT 1`,
}

/** Returns the messages without those that are merged with a waiting one. */
async function withoutMerged(store: Queries, messages: readonly NewMessage[]) {
  const kept: NewMessage[] = []
  for (const message of messages)
    if (!(message.isMerged && message.kind === 'webhook' && (await isWaiting(store, message))))
      kept.push(message)
  return kept
}

/**
 * Returns whether the last waiting message of a stream is the same and no server has claimed it. No server can claim it
 * before the transaction ends.
 */
async function isWaiting(store: Queries, message: NewMessage) {
  const { databaseId, userId, payload } = message
  // A separate statement, because only a later one sees the changes of the transaction that the lock waited for.
  await store.query(lockStreamStatement, [databaseId, streamIdOf(message)])
  const [last] = await store.query<{ isSame: boolean }>(lastMessageStatement, [
    databaseId,
    userId,
    JSON.stringify(payload),
  ])
  return last?.isSame ?? false
}

const lockStreamStatement = `
  SELECT 1 FROM usher.outbox_stream WHERE database_id = $1::uuid AND id = $2::uuid FOR UPDATE`

const lastMessageStatement = `
  SELECT attempts = 0 AND payload = $3::jsonb AS "isSame" FROM usher.outbox
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND kind = 'webhook'
  ORDER BY stored_at DESC, id DESC LIMIT 1 FOR UPDATE`

/** Inserts the messages of a change in its transaction, without those that are merged with a waiting one. */
export const storeMessages = async (transaction: Queries, messages: readonly NewMessage[]) =>
  insertMessages(transaction, await withoutMerged(transaction, messages))
