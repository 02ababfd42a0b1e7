import type { Queries } from '../store.js'
import type { StoredPasskey } from './factors.js'
import { membershipsOf } from './user-tenants.js'
import { type UserWithPassword, userColumns } from './users.js'

/** A passkey with what verifies its signatures. */
export type Passkey = StoredPasskey & { id: string; userId: string }

/** Returns the passkey with an ID of a credential, or undefined. */
export async function findPasskey({ query }: Queries, databaseId: string, credentialId: Uint8Array) {
  const [passkey] = await query<Passkey>(findStatement, [databaseId, credentialId])
  return passkey
}

const passkeyColumns = `
  f.user_id AS "userId", f.credential_id AS "credentialId", f.public_key AS "publicKey", f.user_handle AS "userHandle", f.domain,
  f.transports, f.sign_count AS "signCount", f.is_synced AS "isSynced", f.logs_in AS "logsIn"`

const findStatement = `
  SELECT f.id, ${passkeyColumns} FROM usher.factor AS f
  WHERE f.database_id = $1::uuid AND f.credential_id = $2::bytea`

/** A passkey with its user, who may be disabled. */
export interface PasskeyLogin {
  passkey: Passkey
  user: Omit<UserWithPassword, 'passwordHash'>
  /** When the user last logged in from the network. Null if never. */
  networkKnownAt: Date | null
}

/** Returns the passkey with an ID of a credential, and its user, or undefined. */
export async function findPasskeyLogin(
  { query }: Queries,
  databaseId: string,
  { credentialId, network }: { credentialId: Uint8Array; network: Uint8Array },
): Promise<PasskeyLogin | undefined> {
  type Row = Omit<Passkey, 'id'> & PasskeyLogin['user'] & { factorId: string; networkKnownAt: Date | null }
  const [row] = await query<Row>(findLoginStatement, [databaseId, credentialId, network])
  return row && { passkey: { ...row, id: row.factorId }, user: row, networkKnownAt: row.networkKnownAt }
}

const findLoginStatement = `
  SELECT f.id AS "factorId", ${passkeyColumns}, ${userColumns}, ${membershipsOf('u.id')}, u.disabled_at AS "disabledAt",
    known.last_login_at AS "networkKnownAt"
  FROM usher.factor AS f
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = f.user_id
  LEFT JOIN usher.known_network AS known ON known.database_id = $1::uuid
    AND known.user_id = f.user_id AND known.network = $3::bytea
  WHERE f.database_id = $1::uuid AND f.credential_id = $2::bytea`

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
