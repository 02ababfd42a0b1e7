import type { LoginAttempt } from '../generated/client.js'
import type { Queries } from '../store.js'

type AttemptKey = Pick<LoginAttempt, 'databaseId' | 'id'>

/** A login at a provider that has returned, before its claims are known. */
type ReturnedLogin = AttemptKey & Pick<LoginAttempt, 'challenge' | 'connection' | 'expiresAt'>

/** Stores a login that has returned from a provider. Returns whether it has returned for the first time. */
export async function insertReturned(
  { query }: Queries,
  { databaseId, id, challenge, connection, expiresAt }: ReturnedLogin,
) {
  const rows = await query(insertStatement, [databaseId, id, challenge, connection, expiresAt])
  return rows.length > 0
}

const insertStatement = `
  INSERT INTO usher.login_attempt (database_id, id, kind, challenge, connection, expires_at)
  VALUES ($1::uuid, $2::uuid, 'external', $3, $4, $5::timestamptz)
  ON CONFLICT DO NOTHING RETURNING 1`

/** What a provider has returned for a login. */
type ReturnedClaims = Pick<LoginAttempt, 'email' | 'canonicalEmail' | 'expiresAt'> & { claims: object }

/** Stores what a provider has returned for a login. */
export const storeClaims = (
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { claims, email, canonicalEmail, expiresAt }: ReturnedClaims,
) => query(storeStatement, [databaseId, id, JSON.stringify(claims), email, canonicalEmail, expiresAt])

const storeStatement = `
  UPDATE usher.login_attempt SET claims = $3::jsonb, email = $4, email_key = $5, expires_at = $6::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid`
