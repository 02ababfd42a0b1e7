import type { Session } from '../generated/client.js'
import type { Store } from '../store.js'
import { changeWithMessages, type MessagesOf, type Transactions } from './outbox.js'
import { after, isOpen, isUnchanged, type ReadUser } from './revocations.js'
import { tenantsOf } from './users.js'

type Queries = Pick<Store, 'query'>

/** A session to add. */
export interface NewSession extends Pick<Session, 'databaseId' | 'id' | 'userId' | 'label' | 'expiresAt'> {
  /** Time of the login, by the clock of the server that issued its token. */
  loginAt: Date
  /** The generation of the user when the request read it, like `tokensValidAfter`. */
  generation: number
  tokensValidAfter: Date | null
}

/** A session that was added. */
export interface AddedSession {
  /**
   * The time that counts as the login: not later than the store's time, because a server of the previous version
   * revokes by time.
   */
  authenticatedAt: Date
  /**
   * Number of other sessions of the user when the statement began. It may include sessions that a revocation has
   * ended.
   */
  others: number
}

/** Adds a session. Returns undefined if the database has a session with that id. */
export async function insertSession(
  store: Queries,
  { databaseId, id, userId, loginAt, generation, tokensValidAfter, label, expiresAt }: NewSession,
  now: Date,
) {
  const times = [loginAt, now, expiresAt, tokensValidAfter]
  const values = [databaseId, id, userId, ...times, label, generation]
  const [session] = await store.query<AddedSession>(insertStatement, values)
  return session
}

const insertStatement = `
  WITH added AS (
    INSERT INTO usher.session (
      database_id, id, user_id, authenticated_at, created_at, refreshed_at, expires_at, label, generation)
    VALUES ($1::uuid, $2::uuid, $3::uuid, LEAST($4::timestamptz, GREATEST(now(), $7::timestamptz)),
      $4::timestamptz, now(), $6::timestamptz, $8, $9::bigint)
    ON CONFLICT (database_id, id) DO NOTHING
    RETURNING authenticated_at
  )
  SELECT authenticated_at AS "authenticatedAt", (
    SELECT count(*)::int FROM usher.session
    WHERE database_id = $1::uuid AND user_id = $3::uuid AND ended_at IS NULL AND expires_at > $5::timestamptz
  ) AS others FROM added`

/** Ends the sessions of a user except the most recently used ones. Returns the ids of the ended sessions. */
export async function endUnusedSessions(
  store: Queries,
  { databaseId, userId }: Pick<Session, 'databaseId' | 'userId'>,
  { kept, now }: { kept: number; now: Date },
) {
  const values = [databaseId, userId, now, kept]
  const ended = await store.query<Pick<Session, 'id'>>(endUnusedStatement, values)
  return ended.map(({ id }) => id)
}

const endUnusedStatement = `
  UPDATE usher.session SET ended_at = $3::timestamptz
  WHERE database_id = $1::uuid AND ended_at IS NULL AND id IN (
    SELECT s.id FROM usher.session AS s
    JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = s.user_id
    WHERE s.database_id = $1::uuid AND s.user_id = $2::uuid AND ${isOpen('$3')}
    ORDER BY s.refreshed_at DESC, s.id OFFSET $4::integer
  )
  RETURNING id`

/** The parameters of a refresh. */
export interface Refresh {
  databaseId: string
  sessionId: string
  /** The number in the refresh token. */
  refreshes: number
  now: Date
  /** How long a refresh token is accepted again after it was used, by the store's clock. */
  repeatableSeconds: number
  idleSeconds: number
  maxSeconds: number
}

/** A session after a refresh, with its user. */
export type RefreshedSession = Pick<
  Session,
  'userId' | 'refreshes' | 'authenticatedAt' | 'endedAt' | 'expiresAt'
> & {
  generation: number
  tokensValidAfter: Date | null
  emailVerifiedAt: Date | null
  /** In the order of joining. */
  tenants: string[]
}

/**
 * Counts a refresh with the current refresh token. The previous refresh token changes nothing for
 * `repeatableSeconds`. After that it ends the session, as every earlier one does.
 *
 * @returns undefined if there is no such session, or if it had already ended
 */
export async function refreshSession(
  store: Transactions,
  { databaseId, sessionId, refreshes, now, repeatableSeconds, idleSeconds, maxSeconds }: Refresh,
  messages: MessagesOf<RefreshedSession>,
): Promise<RefreshedSession | undefined> {
  const values = [databaseId, sessionId, refreshes, now, repeatableSeconds, idleSeconds, maxSeconds]
  const [session] = await changeWithMessages(store, { text: refreshStatement, values }, messages)
  return session
}

// Concurrent refreshes of one session wait for its row, and Postgres evaluates each one with the row that the
// previous one wrote. The time between two refreshes is measured between the arrivals of their statements at the
// store, without the clocks of servers and the waits for the row.
const refreshStatement = `
  UPDATE usher.session AS s SET
    generation = COALESCE(s.generation, u.generation),
    refreshes = CASE WHEN s.refreshes = $3::int THEN s.refreshes + 1 ELSE s.refreshes END,
    refreshed_at = CASE WHEN s.refreshes = $3::int THEN store.time ELSE s.refreshed_at END,
    expires_at = LEAST(${after('$4::timestamptz', '$6')}, ${after('s.created_at', '$7')}),
    ended_at = CASE
      WHEN s.refreshes = $3::int OR s.refreshes = $3::int + 1 AND ${after('s.refreshed_at', '$5')} > store.time
      THEN NULL
      ELSE $4::timestamptz
    END
  FROM usher."user" AS u, (SELECT statement_timestamp() AS time) AS store
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.refreshes >= $3::int AND ${isOpen('$4')}
    AND ${after('s.created_at', '$7')} > $4::timestamptz
    AND u.database_id = $1::uuid AND u.id = s.user_id AND u.disabled_at IS NULL
  RETURNING s.user_id AS "userId", s.refreshes, s.authenticated_at AS "authenticatedAt", s.ended_at AS "endedAt",
    s.expires_at AS "expiresAt", u.generation, u.tokens_valid_after AS "tokensValidAfter",
    u.email_verified_at AS "emailVerifiedAt", ${tenantsOf('s.user_id')}`

/** Ends a session. Returns its user, or undefined if it had already ended. */
export async function endSession(
  store: Queries,
  { databaseId, id }: Pick<Session, 'databaseId' | 'id'>,
  now: Date,
) {
  const [session] = await store.query<{ userId: string }>(
    `UPDATE usher.session SET ended_at = $3::timestamptz
    WHERE database_id = $1::uuid AND id = $2::uuid AND ended_at IS NULL
    RETURNING user_id AS "userId"`,
    [databaseId, id, now],
  )
  return session?.userId
}

/** Ends a session of a user. Returns false if the user has no such session or it had already ended. */
export async function endSessionOf(
  store: Queries,
  { databaseId, userId, id }: Pick<Session, 'databaseId' | 'userId' | 'id'>,
  now: Date,
) {
  const ended = await store.query(endSessionOfStatement, [databaseId, id, userId, now])
  return ended.length > 0
}

const endSessionOfStatement = `
  UPDATE usher.session SET ended_at = $4::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid AND user_id = $3::uuid AND ended_at IS NULL
  RETURNING 1`

/** A session in the list of its user. */
export type ListedSession = Pick<Session, 'id' | 'createdAt' | 'refreshedAt' | 'label'>

/**
 * Returns the sessions of a user that have not ended, at most 100: the given one first, then the most recently
 * refreshed.
 *
 * @returns undefined if the user has changed since the request read it
 */
export async function findSessions(
  store: Queries,
  { databaseId, id, generation, tokensValidAfter }: ReadUser & Pick<Session, 'databaseId'>,
  { currentId, now }: { currentId: string; now: Date },
) {
  const values = [databaseId, id, now, currentId, generation, tokensValidAfter]
  const rows = await store.query<ListedSession | { id: null }>(findSessionsStatement, values)
  return rows.length > 0 ? rows.filter((row): row is ListedSession => row.id !== null) : undefined
}

// A user without sessions is one row without a session.
const findSessionsStatement = `
  SELECT s.id, s.created_at AS "createdAt", s.refreshed_at AS "refreshedAt", s.label
  FROM usher."user" AS u
  LEFT JOIN usher.session AS s ON s.database_id = $1::uuid AND s.user_id = u.id AND ${isOpen('$3')}
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isUnchanged('$5', '$6')}
  ORDER BY s.id = $4::uuid DESC, s.refreshed_at DESC, s.id LIMIT 100`
