import type { Session } from '../generated/client.js'
import type { Queries } from '../store.js'
import { isOpen, isUnchanged, type ReadUser } from './revocations.js'
import { unindexed } from './unindexed.js'

/** When a user has passed the single sign-on of tenants, in seconds since the epoch. */
export type SsoProofs = Readonly<Record<string, number>>

/** A session to add. */
export interface NewSession
  extends Pick<Session, 'databaseId' | 'id' | 'userId' | 'label' | 'expiresAt' | 'provenAt'> {
  amr: readonly string[]
  /** Time of the login, by the clock of the server that issued its token. */
  loginAt: Date
  /** The generation of the user when the request read it. */
  generation: number
  /** Undefined: none. */
  ssoProofs: SsoProofs | undefined
}

/** A session that was added. */
export interface AddedSession {
  /**
   * Number of other sessions of the user when the statement began. It may include sessions that a revocation has
   * ended.
   */
  others: number
}

/** Adds a session. Returns undefined if the database has a session with that id. */
export async function insertSession(
  store: Queries,
  { databaseId, id, userId, loginAt, generation, label, expiresAt, amr, provenAt, ssoProofs }: NewSession,
  now: Date,
) {
  const values = [databaseId, id, userId, loginAt, now, expiresAt, label, generation, amr, provenAt]
  const [session] = ssoProofs
    ? await store.query<AddedSession>(insertWithProofsStatement, [...values, JSON.stringify(ssoProofs)])
    : await store.query<AddedSession>(insertStatement, values)
  return session
}

const inserting = (column = '', value = '') => `
  WITH added AS (
    INSERT INTO usher.session (
      database_id, id, user_id, created_at, refreshed_at, expires_at, label, generation, amr, proven_at${column})
    VALUES ($1::uuid, $2::uuid, $3::uuid, $4::timestamptz, now(), $6::timestamptz, $7, $8::bigint, $9::text[],
      $10::timestamptz${value})
    ON CONFLICT (database_id, id) DO NOTHING
    RETURNING 1
  )
  SELECT (
    SELECT count(*)::int FROM usher.session
    WHERE database_id = $1::uuid AND user_id = $3::uuid AND ended_at IS NULL AND ${unindexed('expires_at > $5::timestamptz')}
  ) AS others FROM added`

const insertStatement = inserting()
const insertWithProofsStatement = inserting(', sso_proofs', ', $11::jsonb')

/** Records what the user of an open session has proven again. Returns the session, or undefined if it is not open. */
export async function stepUpSession(
  { query }: Queries,
  { databaseId, id, user }: Pick<Session, 'databaseId' | 'id'> & { user: ReadUser },
  { amr, provenAt }: { amr: readonly string[]; provenAt: Date },
) {
  const values = [databaseId, id, user.id, user.generation, amr, provenAt]
  const [session] = await query<Pick<Session, 'id' | 'expiresAt'>>(stepUpStatement, values)
  return session
}

const stepUpStatement = `
  UPDATE usher.session SET amr = $5::text[], proven_at = $6::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid AND user_id = $3::uuid AND generation = $4::bigint
    AND ended_at IS NULL AND ${unindexed('expires_at > $6::timestamptz')}
  RETURNING id, expires_at AS "expiresAt"`

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
  { databaseId, id, generation }: ReadUser & Pick<Session, 'databaseId'>,
  { currentId, now }: { currentId: string; now: Date },
) {
  const values = [databaseId, id, now, currentId, generation]
  const rows = await store.query<ListedSession | { id: null }>(findSessionsStatement, values)
  return rows.length > 0 ? rows.filter((row): row is ListedSession => row.id !== null) : undefined
}

// A user without sessions is one row without a session.
const findSessionsStatement = `
  SELECT s.id, s.created_at AS "createdAt", s.refreshed_at AS "refreshedAt", s.label
  FROM usher."user" AS u
  LEFT JOIN usher.session AS s ON s.database_id = $1::uuid AND s.user_id = u.id AND ${isOpen('$3')}
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isUnchanged('$5')}
  ORDER BY s.id = $4::uuid DESC, s.refreshed_at DESC, s.id LIMIT 100`
