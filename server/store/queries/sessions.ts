import type { Session } from '../generated/client.js'
import type { Store } from '../store.js'
import { changeWithMessages, type MessagesOf, type Transactions, within } from './outbox.js'
import { isOpen, isUnchanged, type ReadUser } from './revocations.js'
import { storeRevocation } from './stored-revocations.js'
import { unindexed } from './unindexed.js'

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
    WHERE database_id = $1::uuid AND user_id = $3::uuid AND ended_at IS NULL AND ${unindexed('expires_at > $5::timestamptz')}
  ) AS others FROM added`

/**
 * Ends the sessions of a user except the most recently used ones, and deletes those that a revocation has ended. Returns
 * the ids of the ended sessions.
 */
export async function endUnusedSessions(
  store: Transactions,
  { databaseId, userId }: Pick<Session, 'databaseId' | 'userId'>,
  { kept, now }: { kept: number; now: Date },
) {
  const values = [databaseId, userId, now, kept]
  // Usually there are none. Then this is the only statement.
  const unused = await store.query(deleteRevokedAndFindUnusedStatement, values)
  if (unused.length === 0) return []
  return store.transaction(databaseId, async (query) => {
    const ended = await query<Pick<Session, 'id'>>(endUnusedStatement, values)
    for (const { id: sessionId } of ended)
      await storeRevocation({ query }, { databaseId, now }, { type: 'session-revoked', userId, sessionId })
    return ended.map(({ id }) => id)
  })
}

const findUnusedStatement = `
  SELECT s.id FROM usher.session AS s
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = s.user_id
  WHERE s.database_id = $1::uuid AND s.user_id = $2::uuid AND ${isOpen('$3')}
  ORDER BY s.refreshed_at DESC, s.id OFFSET $4::integer`

// The generation in the tokens of a revoked session is enough to reject them. Without this, a program that logs in and
// revokes all sessions in turn would leave a row for each login until the session expires. Skips rows that another
// transaction has locked, because waiting for them could deadlock.
const deleteRevokedAndFindUnusedStatement = `
  WITH revoked AS (
    DELETE FROM usher.session WHERE database_id = $1::uuid AND id IN (
      SELECT id FROM usher.session
      WHERE database_id = $1::uuid AND user_id = $2::uuid
        AND generation < (SELECT generation FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid)
      LIMIT 1000 FOR UPDATE SKIP LOCKED)
  )${findUnusedStatement}`

/**
 * Returns assignments that end session `s`. It also expires, because its row is deleted a day after that. Not before the
 * time of the store: a frozen server may end it late, and its last token may be younger than `now`.
 */
export const ending = (now: string) => `ended_at = ${now}::timestamptz,
    expires_at = LEAST(s.expires_at, GREATEST(${now}::timestamptz, store.time))`

const fromStore = 'FROM (SELECT now() AS time) AS store'

const endUnusedStatement = `
  UPDATE usher.session AS s SET ${ending('$3')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.ended_at IS NULL AND s.id IN (${findUnusedStatement}
  )
  RETURNING s.id`

/** The user whose session was ended. */
export type EndedSession = Pick<Session, 'userId'>

/** Runs a statement that ends a session, and stores the revocation and the messages. */
export async function endAndStore(
  transaction: Transactions,
  { text, values }: { text: string; values: unknown[] },
  { sessionId, now, messages = [] }: { sessionId: string; now: Date; messages?: MessagesOf<EndedSession> },
) {
  const [ended] = await changeWithMessages<EndedSession>(transaction, { text, values }, messages)
  const origin = { databaseId: String(values[0]), now }
  if (ended) await storeRevocation(transaction, origin, { type: 'session-revoked', sessionId, ...ended })
  return ended
}

/** Ends a session. Returns its user, or undefined if it had already ended. */
export const endSession = (
  store: Transactions,
  { databaseId, id }: Pick<Session, 'databaseId' | 'id'>,
  now: Date,
) => {
  const values = [databaseId, id, now]
  return store.transaction(databaseId, (query) =>
    endAndStore(within(query), { text: endStatement, values }, { sessionId: id, now }),
  )
}

const endStatement = `
  UPDATE usher.session AS s SET ${ending('$3')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.ended_at IS NULL
  RETURNING s.user_id AS "userId"`

/** Ends a session of a user. Returns undefined if the user has no such session or it had already ended. */
export const endSessionOf = (
  store: Transactions,
  { databaseId, userId, id }: Pick<Session, 'databaseId' | 'userId' | 'id'>,
  now: Date,
) => {
  const values = [databaseId, id, userId, now]
  return store.transaction(databaseId, (query) =>
    endAndStore(within(query), { text: endOfUserStatement, values }, { sessionId: id, now }),
  )
}

const endOfUserStatement = `
  UPDATE usher.session AS s SET ${ending('$4')} ${fromStore}
  WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.user_id = $3::uuid AND s.ended_at IS NULL
  RETURNING s.user_id AS "userId"`

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
