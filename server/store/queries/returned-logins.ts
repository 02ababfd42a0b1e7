import type { LoginAttempt } from '../generated/client.js'
import type { Queries } from '../store.js'

type AttemptKey = Pick<LoginAttempt, 'databaseId' | 'id'>

/** A login at a provider that has returned. Its claims are stored later, unless they are known. */
type ReturnedLogin = AttemptKey &
  Pick<LoginAttempt, 'challenge' | 'connection' | 'expiresAt'> & { claims?: object }

/** Stores a login that has returned from a provider. Returns whether it has returned for the first time. */
export async function insertReturned(
  { query }: Queries,
  { databaseId, id, challenge, connection, expiresAt, claims }: ReturnedLogin,
) {
  const known = claims ? JSON.stringify(claims) : null
  const rows = await query(insertStatement, [databaseId, id, challenge, connection, expiresAt, known])
  return rows.length > 0
}

const insertStatement = `
  INSERT INTO usher.login_attempt (database_id, id, kind, challenge, connection, expires_at, claims)
  VALUES ($1::uuid, $2::uuid, 'external', $3, $4, $5::timestamptz, $6::jsonb)
  ON CONFLICT DO NOTHING RETURNING 1`

/** Stores what a provider has returned for a login. */
export const storeClaims = (
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { claims, expiresAt }: { claims: object; expiresAt: Date },
) => query(storeStatement, [databaseId, id, JSON.stringify(claims), expiresAt])

const storeStatement = `
  UPDATE usher.login_attempt SET claims = $3::jsonb, expires_at = $4::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid`
