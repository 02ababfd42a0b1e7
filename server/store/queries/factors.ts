import type { DataKey, Factor, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { change, type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'

interface UserKey {
  databaseId: string
  userId: string
}

/** What identifies the passkey of a user, and what browsers need to find it. */
export interface PasskeyIdentity {
  credentialId: Uint8Array
  /** The domain at which it works. */
  domain: string
  userHandle: Uint8Array
  isSynced: boolean
  transports: string[]
  /** Whether it can log in alone. */
  logsIn: boolean
}

/** A factor in the list of its user. */
export type ListedFactor = Pick<Factor, 'id' | 'name' | 'createdAt' | 'lastUsedOn'> &
  ({ kind: 'totp' } | ({ kind: 'passkey' } & PasskeyIdentity))

const listed = `f.id, f.kind, f.name, f.created_at AS "createdAt", f.last_used_on AS "lastUsedOn",
    f.credential_id AS "credentialId", f.domain, f.user_handle AS "userHandle", f.is_synced AS "isSynced", f.transports,
    f.logs_in AS "logsIn"`

/** Returns the factors of a user, the oldest first. */
export const findFactors = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<ListedFactor>(findFactorsStatement, [databaseId, userId])

const findFactorsStatement = `
  SELECT ${listed} FROM usher.factor AS f
  WHERE f.database_id = $1::uuid AND f.user_id = $2::uuid ORDER BY f.created_at, f.id`

/** A factor with what verifies its codes. */
export type FactorWithSecret = Pick<Factor, 'id' | 'name' | 'createdAt'> & {
  sealedSecret: Uint8Array
  lastStep: number
  /** The data key of the database. */
  sealedKey: DataKey['sealedKey']
}

/** Returns the authenticator apps of a user, with their encrypted secrets and the key of these. */
export const findSecretsOfFactors = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<FactorWithSecret>(findSecretsStatement, [databaseId, userId])

const findSecretsStatement = `
  SELECT f.id, f.name, f.sealed_secret AS "sealedSecret", f.last_step AS "lastStep", f.created_at AS "createdAt",
    k.sealed_key AS "sealedKey"
  FROM usher.factor AS f JOIN usher.data_key AS k ON k.database_id = $1::uuid
  WHERE f.database_id = $1::uuid AND f.user_id = $2::uuid AND f.kind = 'totp' ORDER BY f.created_at, f.id`

type FactorKey = Pick<Factor, 'databaseId' | 'id'>

type OfUser = Pick<Factor, 'databaseId' | 'id' | 'userId' | 'name' | 'createdAt'>

/** An authenticator app to add. */
export type NewTotp = OfUser & { kind: 'totp'; sealedSecret: Uint8Array; lastStep: number }

/** What is stored of a passkey. */
export type StoredPasskey = PasskeyIdentity & { publicKey: Uint8Array; signCount: number }

/** A passkey to add. */
export type NewPasskey = OfUser & { kind: 'passkey' } & StoredPasskey

const valuesOf = ({ databaseId, id, userId, kind, name, createdAt }: NewTotp | NewPasskey) => [
  databaseId,
  id,
  userId,
  kind,
  name,
  createdAt,
]

/** Adds an authenticator app of a locked user. */
export const insertTotp = ({ query }: Queries, factor: NewTotp) =>
  query(insertTotpStatement, [...valuesOf(factor), factor.sealedSecret, factor.lastStep])

/** Adds a passkey of a locked user. @throws a unique violation (SQLSTATE 23505) if a user has the passkey */
export function insertPasskey({ query }: Queries, factor: NewPasskey) {
  const { credentialId, publicKey, userHandle, domain, transports, signCount, isSynced, logsIn } = factor
  const passkey = [credentialId, publicKey, userHandle, domain, transports, signCount, isSynced, logsIn]
  return query(insertPasskeyStatement, [...valuesOf(factor), ...passkey])
}

const insertTotpStatement = `
  INSERT INTO usher.factor (database_id, id, user_id, kind, name, created_at, sealed_secret, last_step)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::timestamptz, $7::bytea, $8::bigint)`

const insertPasskeyStatement = `
  INSERT INTO usher.factor (database_id, id, user_id, kind, name, created_at, credential_id, public_key, user_handle, domain,
    transports, sign_count, is_synced, logs_in)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::timestamptz, $7::bytea, $8::bytea, $9::bytea, $10,
    $11::text[], $12::bigint, $13::boolean, $14::boolean)`

/** Renames a factor of a user. Returns undefined if the user has no such factor. */
export async function renameFactor(
  { query }: Queries,
  { databaseId, userId, id }: UserKey & FactorKey,
  name: string | null,
) {
  const [factor] = await query<ListedFactor>(renameStatement, [databaseId, userId, id, name])
  return factor
}

const renameStatement = `
  UPDATE usher.factor AS f SET name = $4
  WHERE f.database_id = $1::uuid AND f.user_id = $2::uuid AND f.id = $3::uuid RETURNING ${listed}`

/** Deletes a factor of a user. Returns whether there was one. */
export async function deleteFactor({ query }: Queries, { databaseId, userId, id }: UserKey & FactorKey) {
  return (await query(deleteStatement, [databaseId, userId, id])).length > 0
}

const deleteStatement = `
  DELETE FROM usher.factor WHERE database_id = $1::uuid AND user_id = $2::uuid AND id = $3::uuid RETURNING 1`

/** Deletes all factors of a user, the recovery codes and the counts of wrong codes. Returns the number of factors. */
export async function deleteFactors({ query }: Queries, { databaseId, userId }: UserKey) {
  const deleted = await query(deleteFactorsStatement, [databaseId, userId])
  await query(deleteRecoveryCodesStatement, [databaseId, userId])
  await query(deleteGuessesStatement, [databaseId, userId])
  return deleted.length
}

const deleteFactorsStatement = `
  DELETE FROM usher.factor WHERE database_id = $1::uuid AND user_id = $2::uuid RETURNING 1`

const deleteGuessesStatement =
  'DELETE FROM usher.factor_guess WHERE database_id = $1::uuid AND user_id = $2::uuid'

/**
 * Records whether logins of a locked user need a second step, and revokes the tokens and sessions of the user, which a thief may
 * have from the time before.
 *
 * @param needsSecondStep null: the user has no factor
 */
export async function setSecondStep(
  transaction: Queries,
  { databaseId, userId }: UserKey,
  { needsSecondStep, now }: Pick<User, 'needsSecondStep'> & { now: Date },
) {
  const values: [string, string, ...unknown[]] = [databaseId, userId, now.getTime(), needsSecondStep]
  const [revoked] = await revokeBy<Revoked>(transaction, { text: setStatement, values, now })
  return revoked
}

/** Records that a locked user has a factor, for `stepUp`. Whether logins need it stays as it is. */
export const markFactor = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query(markStatement, [databaseId, userId])

const markStatement = `
  UPDATE usher."user" SET needs_second_step = false
  WHERE database_id = $1::uuid AND id = $2::uuid AND needs_second_step IS NULL`

const setStatement = change(`${revoking('$3')}, needs_second_step = $4::boolean`, 'true')

/** Returns the number of recovery codes of a user. */
export async function countRecoveryCodes({ query }: Queries, { databaseId, userId }: UserKey) {
  const [row] = await query<{ count: number }>(countCodesStatement, [databaseId, userId])
  return row?.count ?? 0
}

const countCodesStatement = `
  SELECT count(*)::int AS count FROM usher.recovery_code WHERE database_id = $1::uuid AND user_id = $2::uuid`

/** Returns what a user can prove in addition to factors: a password, and a number of recovery codes. */
export async function findOtherProofs({ query }: Queries, { databaseId, userId }: UserKey) {
  const [row] = await query<{ hasPassword: boolean; recoveryCodes: number }>(findOtherProofsStatement, [
    databaseId,
    userId,
  ])
  return row ?? { hasPassword: false, recoveryCodes: 0 }
}

const findOtherProofsStatement = `
  SELECT u.password_hash IS NOT NULL AS "hasPassword", (
    SELECT count(*)::int FROM usher.recovery_code AS c WHERE c.database_id = $1::uuid AND c.user_id = $2::uuid
  ) AS "recoveryCodes"
  FROM usher."user" AS u WHERE u.database_id = $1::uuid AND u.id = $2::uuid`

/** Replaces the recovery codes of a locked user. @param hashes SHA-256 of each */
export async function replaceRecoveryCodes(
  { query }: Queries,
  { databaseId, userId }: UserKey,
  hashes: readonly Uint8Array[],
) {
  await query(deleteRecoveryCodesStatement, [databaseId, userId])
  // Rows of values, because a distributed store commits a SELECT of them in two phases.
  const rows = hashes.map((_, index) => `($1::uuid, $2::uuid, $${index + 3}::bytea)`).join(', ')
  const text = `INSERT INTO usher.recovery_code (database_id, user_id, hash) VALUES ${rows}`
  await query(text, [databaseId, userId, ...hashes])
}

const deleteRecoveryCodesStatement =
  'DELETE FROM usher.recovery_code WHERE database_id = $1::uuid AND user_id = $2::uuid'

/** Uses a recovery code up. Returns whether the user had it. */
export async function useRecoveryCode({ query }: Queries, { databaseId, userId }: UserKey, hash: Uint8Array) {
  return (await query(useRecoveryCodeStatement, [databaseId, userId, hash])).length > 0
}

const useRecoveryCodeStatement = `
  DELETE FROM usher.recovery_code
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND hash = $3::bytea RETURNING 1`
