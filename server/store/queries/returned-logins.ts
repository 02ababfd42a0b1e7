import type { LoginAttempt } from '../generated/client.js'
import type { Queries } from '../store.js'

type AttemptKey = Pick<LoginAttempt, 'databaseId' | 'id'>

/** What a provider has returned for a login. */
type ReturnedClaims = Pick<LoginAttempt, 'email' | 'canonicalEmail' | 'expiresAt'> & { claims: object }

/** A login at a provider that has returned. Its claims are stored later, unless they are known. */
type ReturnedLogin = AttemptKey &
  Pick<LoginAttempt, 'challenge' | 'connection' | 'expiresAt'> &
  Partial<ReturnedClaims>

/** Stores a login that has returned from a provider. Returns whether it has returned for the first time. */
export async function insertReturned(
  { query }: Queries,
  { databaseId, id, challenge, connection, expiresAt, claims, email, canonicalEmail }: ReturnedLogin,
) {
  const known = [claims && JSON.stringify(claims), email, canonicalEmail].map((value) => value ?? null)
  const rows = await query(insertStatement, [databaseId, id, challenge, connection, expiresAt, ...known])
  return rows.length > 0
}

const insertStatement = `
  INSERT INTO usher.login_attempt (database_id, id, kind, challenge, connection, expires_at, claims, email, email_key)
  VALUES ($1::uuid, $2::uuid, 'external', $3, $4, $5::timestamptz, $6::jsonb, $7, $8)
  ON CONFLICT DO NOTHING RETURNING 1`

/** Stores what a provider has returned for a login. */
export const storeClaims = (
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { claims, email, canonicalEmail, expiresAt }: ReturnedClaims,
) => query(storeStatement, [databaseId, id, JSON.stringify(claims), email, canonicalEmail, expiresAt])

const storeStatement = `
  UPDATE usher.login_attempt SET claims = $3::jsonb, email = $4, email_key = $5, expires_at = $6::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid`
