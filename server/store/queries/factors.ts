import type { DataKey, Factor, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { change, type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'

interface UserKey {
  databaseId: string
  userId: string
}

/** A factor in the list of its user. */
export type ListedFactor = Pick<Factor, 'id' | 'kind' | 'name' | 'createdAt' | 'lastUsedOn'>

const listed = 'f.id, f.kind, f.name, f.created_at AS "createdAt", f.last_used_on AS "lastUsedOn"'

/** Returns the factors of a user, the oldest first. */
export const findFactors = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<ListedFactor>(findFactorsStatement, [databaseId, userId])

const findFactorsStatement = `
  SELECT ${listed} FROM usher.factor AS f
  WHERE f.database_id = $1::uuid AND f.user_id = $2::uuid ORDER BY f.created_at, f.id`

/** A factor with what verifies its codes. */
export type FactorWithSecret = Pick<Factor, 'id' | 'name' | 'sealedSecret' | 'createdAt'> & {
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
  WHERE f.database_id = $1::uuid AND f.user_id = $2::uuid ORDER BY f.created_at, f.id`

type FactorKey = Pick<Factor, 'databaseId' | 'id'>

export type NewFactor = Omit<Factor, 'lastUsedOn' | 'lastStep'> & { lastStep: number }

export const insertFactor = ({ query }: Queries, factor: NewFactor) => {
  const { databaseId, id, userId, kind, name, sealedSecret, lastStep, createdAt } = factor
  return query(insertStatement, [databaseId, id, userId, kind, name, sealedSecret, lastStep, createdAt])
}

const insertStatement = `
  INSERT INTO usher.factor (database_id, id, user_id, kind, name, sealed_secret, last_step, created_at)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::bytea, $7::bigint, $8::timestamptz)`

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

const setStatement = change(`${revoking('$3')}, needs_second_step = $4::boolean`, 'true')

/** Returns the number of recovery codes of a user. */
export async function countRecoveryCodes({ query }: Queries, { databaseId, userId }: UserKey) {
  const [row] = await query<{ count: number }>(countCodesStatement, [databaseId, userId])
  return row?.count ?? 0
}

const countCodesStatement = `
  SELECT count(*)::int AS count FROM usher.recovery_code WHERE database_id = $1::uuid AND user_id = $2::uuid`

/** Replaces the recovery codes of a locked user. @param hashes SHA-256 of each */
export async function replaceRecoveryCodes(
  { query }: Queries,
  { databaseId, userId }: UserKey,
  hashes: readonly Uint8Array[],
) {
  await query(deleteRecoveryCodesStatement, [databaseId, userId])
  await query(insertRecoveryCodesStatement, [databaseId, userId, hashes])
}

const deleteRecoveryCodesStatement =
  'DELETE FROM usher.recovery_code WHERE database_id = $1::uuid AND user_id = $2::uuid'

const insertRecoveryCodesStatement = `
  INSERT INTO usher.recovery_code (database_id, user_id, hash)
  SELECT $1::uuid, $2::uuid, unnest($3::bytea[])`

/** Uses a recovery code up. Returns whether the user had it. */
export async function useRecoveryCode({ query }: Queries, { databaseId, userId }: UserKey, hash: Uint8Array) {
  return (await query(useRecoveryCodeStatement, [databaseId, userId, hash])).length > 0
}

const useRecoveryCodeStatement = `
  DELETE FROM usher.recovery_code
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND hash = $3::bytea RETURNING 1`
