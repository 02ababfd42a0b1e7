import type { Session } from '../generated/client.js'
import type { Store } from '../store.js'
import { changeWithMessages, type MessagesOf, type Transactions, within } from './outbox.js'
import { change, isOpen, type ReadUser, type Revoked, revoking } from './revocations.js'
import { isShareTaken, revokeWithMessages, storeRevocation } from './stored-revocations.js'
import { unindexed } from './unindexed.js'

// The functions that end sessions. Each stores what backends that follow revocations need, in the same transaction.

/** A session that was ended. */
export interface EndedSession extends Pick<Session, 'userId'> {
  sessionId: string
}

/** Sessions that were ended. */
export interface EndedSessions {
  ended: readonly EndedSession[]
  /** The values of the user, if all tokens were revoked. The user's open sessions continue. */
  revoked?: Revoked | undefined
}

/** The user of sessions, as locked or read. */
type SessionOwner = Pick<ReadUser, 'id' | 'generation'> & { databaseId: string; now: Date }

/**
 * Runs a statement that ends sessions of one user, and stores the revocations and the messages.
 *
 * @param end.sessionId a session of the user
 */
export const endAndStore = (
  store: Transactions,
  { text, values }: { text: string; values: unknown[] },
  { sessionId, now, messages = [] }: { sessionId: string; now: Date; messages?: MessagesOf<EndedSession> },
): Promise<EndedSessions> => {
  const databaseId = String(values[0])
  return store.transaction(databaseId, async (query) => {
    // The user first, as a deletion of the user does. The lock also makes the count of the user's share exact.
    const [user] = await query<Pick<ReadUser, 'id' | 'generation'>>(lockOwnerStatement, [
      databaseId,
      sessionId,
    ])
    if (!user) return { ended: [] }
    const ended = await changeWithMessages<EndedSession>(within(query), { text, values }, messages)
    return { ended, revoked: await storeEnded(query, { ...user, databaseId, now }, ended) }
  })
}

// FOR UPDATE would let new sessions of the user wait.
const lockOwnerStatement = `
  SELECT u.id, u.generation FROM usher."user" AS u
  WHERE u.database_id = $1::uuid
    AND u.id = (SELECT user_id FROM usher.session WHERE database_id = $1::uuid AND id = $2::uuid)
  FOR NO KEY UPDATE`

/**
 * Stores that sessions have ended. When the user's share of the list is taken, revokes all tokens of the user instead:
 * a backend keeps one such revocation per user.
 */
async function storeEnded(query: Store['query'], user: SessionOwner, sessions: readonly EndedSession[]) {
  const origin = { databaseId: user.databaseId, now: user.now, actorId: user.id }
  for (const session of sessions) {
    if (await isShareTaken({ query }, origin)) return (await revokeOthers(query, user))?.revoked
    await storeRevocation({ query }, origin, { type: 'session-revoked', ...session })
  }
  return undefined
}

/**
 * Revokes all tokens of a user, but lets open sessions continue: a refresh returns a valid token.
 *
 * @param user.sessionId the only session that continues. By default, all open ones do
 * @returns the values of the user and the number of sessions that continue; undefined if the user has another generation
 */
export async function revokeOthers(
  query: Store['query'],
  { databaseId, id, generation, now, sessionId = null }: SessionOwner & { sessionId?: string | null },
) {
  const values = [databaseId, id, now.getTime(), generation]
  const revocation = { now, userId: id, messages: [] }
  const revoked = await revokeWithMessages<Revoked>(
    within(query),
    { text: revokeStatement, values },
    revocation,
  )
  if (!revoked) return undefined
  const kept = await query(keepStatement, [databaseId, id, generation, revoked.generation, now, sessionId])
  await query(deleteRevokedStatement, [databaseId, id])
  return { revoked, kept: kept.length }
}

const revokeStatement = change(revoking('$3'), 'u.generation = $4::bigint')

const keepStatement = `
  UPDATE usher.session SET generation = $4::bigint
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND generation = $3::bigint AND ended_at IS NULL
    AND ${unindexed('expires_at > $5::timestamptz')} AND ($6::uuid IS NULL OR id = $6::uuid)
  RETURNING 1`

// The generation in the tokens of a revoked session is enough to reject them. Without this, a program that logs in and
// revokes all sessions in turn would leave a row for each login until the session expires. Skips rows that another
// transaction has locked, because waiting for them could deadlock.
const deleteRevokedStatement = `
    DELETE FROM usher.session WHERE database_id = $1::uuid AND id IN (
      SELECT id FROM usher.session
      WHERE database_id = $1::uuid AND user_id = $2::uuid
        AND generation < (SELECT generation FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid)
      LIMIT 1000 FOR UPDATE SKIP LOCKED)`

/**
 * Ends the sessions of a user except the most recently used ones, and deletes those that a revocation has ended.
 */
export async function endUnusedSessions(
  store: Transactions,
  { databaseId, userId }: Pick<Session, 'databaseId' | 'userId'>,
  { kept, now }: { kept: number; now: Date },
): Promise<EndedSessions> {
  const values = [databaseId, userId, now, kept]
  // Usually there are none. Then this is the only statement.
  const [unused] = await store.query<Pick<Session, 'id'>>(deleteRevokedAndFindUnusedStatement, values)
  if (!unused) return { ended: [] }
  return endAndStore(store, { text: endUnusedStatement, values }, { sessionId: unused.id, now })
}

const findUnusedStatement = `
  SELECT s.id FROM usher.session AS s
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = s.user_id
  WHERE s.database_id = $1::uuid AND s.user_id = $2::uuid AND ${isOpen('$3')}
  ORDER BY s.refreshed_at DESC, s.id OFFSET $4::integer`

const deleteRevokedAndFindUnusedStatement = `
  WITH revoked AS (${deleteRevokedStatement}
  )${findUnusedStatement}`

/**
 * Returns assignments that end session `s`. It also expires, because its row is deleted a day after that. Not before the
 * time of the store: a frozen server may end it late, and its last token may be younger than `now`.
 */
export const ending = (now: string) => `ended_at = ${now}::timestamptz,
    expires_at = LEAST(s.expires_at, GREATEST(${now}::timestamptz, store.time))`

/** What statements that end sessions return. */
export const returningEnded = `RETURNING s.user_id AS "userId", s.id AS "sessionId"`

const fromStore = 'FROM (SELECT now() AS time) AS store'

const endUnusedStatement = `
  UPDATE usher.session AS s SET ${ending('$3')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.ended_at IS NULL AND s.id IN (${findUnusedStatement}
  )
  ${returningEnded}`

/** Ends a session. */
export const endSession = (
  store: Transactions,
  { databaseId, id }: Pick<Session, 'databaseId' | 'id'>,
  now: Date,
) => endAndStore(store, { text: endStatement, values: [databaseId, id, now] }, { sessionId: id, now })

const endStatement = `
  UPDATE usher.session AS s SET ${ending('$3')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.ended_at IS NULL
  ${returningEnded}`

/** Ends a session of a user. */
export const endSessionOf = (
  store: Transactions,
  { databaseId, userId, id }: Pick<Session, 'databaseId' | 'userId' | 'id'>,
  now: Date,
) => {
  const values = [databaseId, id, userId, now]
  return endAndStore(store, { text: endOfUserStatement, values }, { sessionId: id, now })
}

const endOfUserStatement = `
  UPDATE usher.session AS s SET ${ending('$4')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.user_id = $3::uuid AND s.ended_at IS NULL
  ${returningEnded}`
