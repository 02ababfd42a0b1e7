import type { Session } from '../generated/client.js'
import type { Queries } from '../store.js'
import { change, isOpen, type ReadUser, type Revoked, revoking } from './revocations.js'
import { isShareTaken, revokeBy, storeRevocation } from './stored-revocations.js'
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
 * Runs a statement that ends sessions of one user, and stores the revocations.
 *
 * @param end.sessionId a session of the user
 */
export async function endAndStore(
  { query }: Queries,
  { text, values }: { text: string; values: [string, ...unknown[]] },
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<EndedSessions> {
  const [databaseId] = values
  // The user first, as a deletion of the user does. The lock also makes the count of the user's share exact.
  const [user] = await query<Pick<ReadUser, 'id' | 'generation'>>(lockOwnerStatement, [databaseId, sessionId])
  if (!user) return { ended: [] }
  const ended = await query<EndedSession>(text, values)
  return { ended, revoked: await storeEnded({ query }, { ...user, databaseId, now }, ended) }
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
async function storeEnded(transaction: Queries, user: SessionOwner, sessions: readonly EndedSession[]) {
  const origin = { databaseId: user.databaseId, now: user.now, actorId: user.id }
  for (const session of sessions) {
    if (await isShareTaken(transaction, origin)) return (await revokeOthers(transaction, user))?.revoked
    await storeRevocation(transaction, origin, { type: 'session-revoked', ...session })
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
  { query }: Queries,
  { databaseId, id, generation, now, sessionId = null }: SessionOwner & { sessionId?: string | null },
) {
  const values: [string, string, ...unknown[]] = [databaseId, id, now.getTime(), generation]
  const [revoked] = await revokeBy<Revoked>({ query }, { text: revokeStatement, values, now })
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

/** The sessions of a user except the `kept` most recently used ones. */
interface UnusedSessions extends Pick<Session, 'databaseId' | 'userId'> {
  kept: number
  now: Date
}

/** Deletes the sessions of a user that a revocation has ended. Returns the id of an unused one, or undefined. */
export async function findUnusedSession(store: Queries, { databaseId, userId, kept, now }: UnusedSessions) {
  const values = [databaseId, userId, now, kept]
  const [unused] = await store.query<Pick<Session, 'id'>>(deleteRevokedAndFindUnusedStatement, values)
  return unused?.id
}

/** Ends the unused sessions of a user. @param sessionId one of them */
export const endUnusedSessions = (
  transaction: Queries,
  { databaseId, userId, kept, now }: UnusedSessions,
  sessionId: string,
) =>
  endAndStore(
    transaction,
    { text: endUnusedStatement, values: [databaseId, userId, now, kept] },
    { sessionId, now },
  )

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

/** Ends a session. @param session.userId the user to whom it must belong. Without it, it may be of any user */
export const endOpenSession = (
  transaction: Queries,
  { databaseId, id, userId = null }: Pick<Session, 'databaseId' | 'id'> & { userId?: string | null },
  now: Date,
) =>
  endAndStore(
    transaction,
    { text: endStatement, values: [databaseId, id, now, userId] },
    { sessionId: id, now },
  )

const endStatement = `
  UPDATE usher.session AS s SET ${ending('$3')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.ended_at IS NULL
    AND ($4::uuid IS NULL OR s.user_id = $4::uuid)
  ${returningEnded}`
