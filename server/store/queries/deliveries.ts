import type { Database, Message } from '../generated/client.js'
import type { Store } from '../store.js'

// Servers claim messages for a limited time, so that no connection is held while they are delivered. A claim that is
// not completed expires. The cost of a claim depends only on the claimed messages, not on the waiting ones: mails are
// found by their index, and events by their stream, of which only the first event is read. Rows of the outbox are
// changed one by one. For several rows, Postgres may plan to read the whole database, because most databases have
// few.

type Queries = Pick<Store, 'query'>

/** A message that is due. `attempts` counts the earlier attempts. */
export type DueMessage = Pick<
  Message,
  'id' | 'kind' | 'userId' | 'payload' | 'recipient' | 'createdAt' | 'attempts'
> & {
  /** The stream of an event. */
  stream?: ClaimedStream
}

export interface ClaimedStream {
  id: string
  version: number
}

/** Identifies the database of a row. */
export interface DatabaseKey {
  databaseId: string
}

/** A claim. No other server gets the claimed message or stream until `until`. */
export interface Claim extends DatabaseKey {
  now: Date
  until: Date
}

/** Returns the columns of a {@link DueMessage}. @param m the table or its alias */
export const messageColumns = (m = 'outbox') =>
  `${m}.id, ${m}.kind, ${m}.user_id AS "userId", ${m}.payload, ${m}.recipient,
  ${m}.created_at AS "createdAt", ${m}.attempts`

/** Returns the mails that are due for the longest time. */
export const findDueMails = (
  store: Queries,
  { databaseId, now }: Pick<Claim, 'databaseId' | 'now'>,
  limit: number,
) => store.query<DueMessage>(findDueMailsStatement(limit), [databaseId, now])

// The limits are literals, because the planner assumes that a parameter limits to a tenth of all rows.

const findDueMailsStatement = (limit: number) => `
  SELECT ${messageColumns()} FROM usher.outbox
  WHERE database_id = $1::uuid AND kind = 'mail' AND due_at <= $2::timestamptz
  ORDER BY due_at LIMIT ${limit}`

/** Claims a message that is due. Returns false if another server has claimed it since it was read. */
export async function claimMessage(
  store: Queries,
  { id, attempts }: Pick<DueMessage, 'id' | 'attempts'>,
  { databaseId, now, until }: Claim,
) {
  return (await store.query(claimMessageStatement, [databaseId, id, attempts, now, until])).length > 0
}

const claimMessageStatement = `
  UPDATE usher.outbox SET attempts = attempts + 1, due_at = $5::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid AND attempts = $3::integer AND due_at <= $4::timestamptz
  RETURNING 1`

/** Deletes a delivered mail. */
export const deleteMessage = (store: Queries, databaseId: string, id: string) =>
  store.query(deleteStatement, [databaseId, id])

const deleteStatement = 'DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid'

/** Why a message was not delivered, and when it is retried: null if it waits for the operator. */
export interface Failure {
  lastError: string
  dueAt: Date | null
  /** When to look again at a stream whose first event waits for the operator. */
  lookAgain: Date
}

/**
 * Records that a message was not delivered. Does nothing if another server has claimed it since.
 *
 * @param message its `attempts` includes the failed one
 */
export const failMessage = (
  store: Queries,
  { databaseId, id, attempts, stream }: Pick<DueMessage, 'id' | 'attempts' | 'stream'> & DatabaseKey,
  { lastError, dueAt, lookAgain }: Failure,
) =>
  stream
    ? store.query(failEventStatement, [
        databaseId,
        id,
        attempts,
        lastError,
        dueAt,
        stream.id,
        dueAt ?? lookAgain,
      ])
    : store.query(failStatement, [databaseId, id, attempts, lastError, dueAt])

const failStatement = `
  UPDATE usher.outbox SET last_error = $4, due_at = $5::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid AND attempts = $3::integer`

// The stream is locked before the event, as a change of the user does that merges its event with a waiting one.
const failEventStatement = `
  WITH stream AS (
    SELECT id FROM usher.outbox_stream WHERE database_id = $1::uuid AND id = $6::uuid FOR UPDATE
  ), failed AS (${failStatement} AND (SELECT count(*) FROM stream) >= 0 RETURNING 1)
  UPDATE usher.outbox_stream SET due_at = $7::timestamptz, has_failed = true
  WHERE database_id = $1::uuid AND id = $6::uuid AND EXISTS (SELECT FROM failed)`

/** Where the messages of a database are delivered. */
export interface Delivery extends Pick<Database, 'appUrl' | 'signUp' | 'loginMail'> {
  webhookUrl: string | null
  sealedWebhookSecret: Uint8Array | null
}

export async function findDelivery(store: Queries, databaseId: string) {
  const [delivery] = await store.query<Delivery>(
    `SELECT app_url AS "appUrl", sign_up AS "signUp", login_mail AS "loginMail", webhook_url AS "webhookUrl", sealed_webhook_secret AS "sealedWebhookSecret"
    FROM usher.database WHERE id = $1::uuid`,
    [databaseId],
  )
  return delivery
}
