import type { Code, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { type ReadUser, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'
import { unindexed } from './unindexed.js'

// A user whose address changes is locked FOR UPDATE first. So what a statement reads of the user, of the codes and of
// the reserved addresses is still true when the next one changes it.

type UserKey = Pick<User, 'databaseId'> & { userId: string }

/** A request to change the address. Its code is sent by the message with the same id. */
export type PendingChange = Pick<Code, 'databaseId' | 'id' | 'canonicalEmail' | 'createdAt' | 'expiresAt'> & {
  email: string
}

/** Stores a request to change the address of a locked user, and replaces an earlier one of the user. */
export const storePendingChange = (
  { query }: Queries,
  { databaseId, id, email, canonicalEmail, createdAt, expiresAt }: PendingChange,
  user: ReadUser,
) =>
  query(storePendingStatement, [
    ...[databaseId, id, user.id, canonicalEmail, email, createdAt, expiresAt],
    user.generation,
  ])

const storePendingStatement = `
  INSERT INTO usher.code (database_id, id, purpose, user_id, email_key, email, created_at, expires_at, generation)
  VALUES ($1::uuid, $2::uuid, 'email_change', $3::uuid, $4, $5, $6::timestamptz, $7::timestamptz, $8::bigint)
  ON CONFLICT (database_id, user_id, purpose) DO UPDATE SET
    id = excluded.id, email_key = excluded.email_key, email = excluded.email, created_at = excluded.created_at,
    expires_at = excluded.expires_at, generation = excluded.generation`

/** What the mail with the code says. */
export interface ChangeMail {
  email: string
  canonicalEmail: string
  /** Of the user who has requested the change. */
  locale: string | null
  /** Whether another user has the new address, or had it until recently. */
  isTaken: boolean
}

/** Returns what the mail of a requested change says, or undefined if the change cannot be made any more. */
export async function findChangeMail(store: Queries, { databaseId, id }: Pick<Code, 'databaseId' | 'id'>) {
  const [mail] = await store.query<ChangeMail>(changeMailStatement, [databaseId, id])
  return mail
}

const isTaken = (canonicalEmail: string, userId: string) => `EXISTS (
    SELECT 1 FROM usher."user" AS other
    WHERE other.database_id = $1::uuid AND other.email_key = ${canonicalEmail}
      AND COALESCE(other.reserved_for, other.id) <> ${userId})`

const pendingColumns = `code.id, code.user_id AS "userId", code.email, code.email_key AS "canonicalEmail"`

const pendingChange = (columns: string) => `
  SELECT ${columns} FROM usher.code
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = code.user_id
  WHERE code.database_id = $1::uuid AND code.id = $2::uuid AND ${unindexed(`code.purpose = 'email_change'`)}
    AND code.generation = u.generation AND u.disabled_at IS NULL`

const changeMailStatement = pendingChange(
  `code.email, code.email_key AS "canonicalEmail", u.locale, ${isTaken('code.email_key', 'code.user_id')} AS "isTaken"`,
)

/** A requested change whose code was presented. */
export type FoundChange = Pick<Code, 'id' | 'userId' | 'canonicalEmail'> & { email: string }

/** Returns the change of a code, or undefined if it cannot be made. */
export async function findPendingChange(
  store: Queries,
  { databaseId, id }: Pick<Code, 'databaseId' | 'id'>,
  now: Date,
) {
  const [found] = await store.query<FoundChange>(findPendingStatement, [databaseId, id, now])
  return found
}

const findPendingStatement = `${pendingChange(pendingColumns)} AND ${unindexed('code.expires_at > $3::timestamptz')}`

/** Another address of a user. */
export interface NewAddress {
  email: string
  canonicalEmail: string
  now: Date
  /** Whether the user loses the password and the second step of logins. */
  isUndo?: boolean
}

/**
 * Changes the address of a locked user, which counts as verified. Revokes all tokens and sessions, and deletes all codes
 * and the waiting mails with codes.
 *
 * @throws a unique violation (SQLSTATE 23505) if another user has the address
 */
export async function replaceAddress(
  { query }: Queries,
  { databaseId, userId }: UserKey,
  { email, canonicalEmail, now, isUndo = false }: NewAddress,
) {
  const address = [email, canonicalEmail, now, now.getTime(), isUndo]
  await revokeBy({ query }, { text: replaceAddressStatement, values: [databaseId, userId, ...address], now })
  await query(deleteCodesStatement, [databaseId, userId])
}

const replaceAddressStatement = `
  UPDATE usher."user" AS u SET email = $3, email_key = $4, email_verified_at = $5::timestamptz,
    ${revoking('$6')}, password_hash = CASE WHEN NOT $7::boolean THEN u.password_hash END,
    needs_second_step = CASE WHEN NOT $7::boolean THEN u.needs_second_step END
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid
  RETURNING u.generation`

const deleteCodesStatement = `
  WITH code AS (
    DELETE FROM usher.code WHERE database_id = $1::uuid AND user_id = $2::uuid
  )
  DELETE FROM usher.outbox WHERE database_id = $1::uuid AND user_id = $2::uuid AND kind = 'mail'
    AND payload->>'type' IN ('password_reset', 'email_verification', 'email_change')`
