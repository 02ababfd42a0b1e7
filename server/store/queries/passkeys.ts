import type { Queries } from '../store.js'
import type { NewPasskey } from './factors.js'

/** A passkey with what verifies its signatures. */
export type Passkey = NewPasskey & { id: string; userId: string }

/** Returns the passkey with an ID of a credential, or undefined. */
export async function findPasskey({ query }: Queries, databaseId: string, credentialId: Uint8Array) {
  const [passkey] = await query<Passkey>(findStatement, [databaseId, credentialId])
  return passkey
}

const findStatement = `
  SELECT id, user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", user_handle AS "userHandle", domain,
    transports, sign_count AS "signCount", is_synced AS "isSynced", logs_in AS "logsIn"
  FROM usher.factor WHERE database_id = $1::uuid AND credential_id = $2::bytea`

/** A signature of a passkey that was verified. */
export interface VerifiedSignature {
  databaseId: string
  challenge: { id: string; expiresAt: number }
  factorId: string
  signCount: number
  now: Date
}

/**
 * Accepts a signature in one statement: once for each challenge, and only if the counter has risen. A passkey that other devices can
 * have, and one without counter, need no higher one.
 *
 * @returns whether the challenge was unused, and whether the signature was accepted
 */
export async function acceptSignature(
  { query }: Queries,
  { databaseId, challenge, factorId, signCount, now }: VerifiedSignature,
) {
  const values = [databaseId, challenge.id, new Date(challenge.expiresAt), factorId, signCount, now]
  const [row] = await query<{ isUnused: boolean; isAccepted: boolean }>(acceptStatement, values)
  return row as { isUnused: boolean; isAccepted: boolean }
}

const acceptStatement = `
  WITH used AS (
    INSERT INTO usher.used_challenge (database_id, id, expires_at)
    VALUES ($1::uuid, $2::uuid, $3::timestamptz) ON CONFLICT DO NOTHING RETURNING 1
  ), accepted AS (
    UPDATE usher.factor
    SET sign_count = $5::bigint, last_used_on = ($6::timestamptz AT TIME ZONE 'UTC')::date
    WHERE database_id = $1::uuid AND id = $4::uuid AND EXISTS (SELECT FROM used)
      AND (is_synced OR sign_count < $5::bigint OR (sign_count = 0 AND $5::bigint = 0))
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM used) AS "isUnused", EXISTS (SELECT FROM accepted) AS "isAccepted"`

/** Returns whether a user of a database has a passkey of a domain. */
export async function hasPasskeysOf({ query }: Queries, databaseId: string, domain: string) {
  return (await query(hasPasskeysStatement, [databaseId, domain])).length > 0
}

const hasPasskeysStatement = 'SELECT 1 FROM usher.factor WHERE database_id = $1::uuid AND domain = $2 LIMIT 1'
