import type { LoginAttempt, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { isAccount } from './reserved-addresses.js'
import { after } from './revocations.js'
import { unindexed } from './unindexed.js'

type AttemptKey = Pick<LoginAttempt, 'databaseId' | 'id'>

/** An account with an address. */
export type AddressHolder = Pick<User, 'id' | 'email' | 'emailVerifiedAt' | 'disabledAt'> & {
  generation: number
}

/** Returns the account with an address, or undefined. @param lock whether to lock it until the transaction ends */
export async function findAddressHolder(
  { query }: Queries,
  databaseId: string,
  { canonicalEmail, lock = false }: { canonicalEmail: string; lock?: boolean },
) {
  const text = lock ? lockHolderStatement : findHolderStatement
  const [user] = await query<AddressHolder>(text, [databaseId, canonicalEmail])
  return user
}

const findHolderStatement = `
  SELECT id, email, email_verified_at AS "emailVerifiedAt", disabled_at AS "disabledAt", generation
  FROM usher."user" AS u WHERE database_id = $1::uuid AND email_key = $2 AND ${isAccount('u')}`

const lockHolderStatement = `${findHolderStatement} FOR NO KEY UPDATE`

/** The address of a login by mail. */
interface MailedAddress {
  email: string
  canonicalEmail: string
}

/** A login that is started. */
export type NewAttempt = Pick<LoginAttempt, 'databaseId' | 'id' | 'kind' | 'challenge' | 'expiresAt'> &
  MailedAddress & { generation: number | null }

export const insertAttempt = (
  { query }: Queries,
  { databaseId, id, kind, challenge, email, canonicalEmail, generation, expiresAt }: NewAttempt,
) => query(insertStatement, [databaseId, id, kind, challenge, email, canonicalEmail, generation, expiresAt])

const insertStatement = `
  INSERT INTO usher.login_attempt (database_id, id, kind, challenge, email, email_key, generation, expires_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::bigint, $8::timestamptz)`

type AnyAttempt = Pick<LoginAttempt, 'id' | 'challenge' | 'usedAt' | 'userId'> & { generation: number | null }
/** A login by mail. */
export type MailAttempt = AnyAttempt & MailedAddress & { kind: 'mail'; connection: null }
/** A login at a provider that has returned. */
export type ReturnedAttempt = AnyAttempt & { kind: 'external'; connection: string; claims: unknown }
/** A login that can be finished, or that was just finished. */
export type FoundAttempt = MailAttempt | ReturnedAttempt

// Servers whose clocks differ must agree on whether a success can be repeated. So the store's clock measures that, from the
// arrival of the statement on.
const isUsable = `database_id = $1::uuid AND id = $2::uuid AND (
      used_at IS NULL AND ${unindexed('expires_at > $3::timestamptz')}
      OR used_at IS NOT NULL AND ${unindexed('expires_at > statement_timestamp()')})`

/** Returns an attempt that can be finished, or undefined. @param lock whether to lock it until the transaction ends */
export async function findAttempt(
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { now, lock = false }: { now: Date; lock?: boolean },
) {
  const text = lock ? lockStatement : findStatement
  const [attempt] = await query<FoundAttempt>(text, [databaseId, id, now])
  return attempt
}

const findStatement = `
  SELECT id, kind, challenge, email, email_key AS "canonicalEmail", connection, claims, generation,
    used_at AS "usedAt", user_id AS "userId"
  FROM usher.login_attempt WHERE ${isUsable} AND (${unindexed("kind = 'mail'")} OR claims IS NOT NULL)`

const lockStatement = `${findStatement} FOR UPDATE`

/** Counts a try of the digits, unless there were too many. Returns whether it was counted. */
export async function countTry(
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { now, most }: { now: Date; most: number },
) {
  const counted = await query(countStatement, [databaseId, id, now, most])
  return counted.length > 0
}

const countStatement = `
  UPDATE usher.login_attempt SET tries = tries + 1 WHERE ${isUsable} AND tries < $4::int
  RETURNING 1`

/** Takes back the count of a try whose digits were right: the request may be repeated. */
export const releaseTry = ({ query }: Queries, { databaseId, id }: AttemptKey) =>
  query(releaseStatement, [databaseId, id])

const releaseStatement = `
  UPDATE usher.login_attempt SET tries = tries - 1 WHERE database_id = $1::uuid AND id = $2::uuid AND tries > 0`

/**
 * Records that the user of an identity has logged in with an attempt, unless the attempt was used, its connection is disabled or
 * removed, or the user has changed.
 *
 * @param user as it was read
 * @returns whether it was recorded
 */
export async function useAttemptOfKnown(
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { user, now }: { user: { id: string; generation: number }; now: Date },
) {
  const used = await query(useOfKnownStatement, [databaseId, id, user.id, user.generation, now])
  return used.length > 0
}

const useOfKnownStatement = `
  UPDATE usher.login_attempt AS a SET user_id = $3::uuid, generation = $4::bigint, used_at = $5::timestamptz,
    expires_at = ${after('store.time', '30')}
  FROM (SELECT statement_timestamp() AS time) AS store
  WHERE a.database_id = $1::uuid AND a.id = $2::uuid AND a.used_at IS NULL
    AND ${unindexed('a.expires_at > $5::timestamptz')}
    AND EXISTS (
      SELECT 1 FROM usher.connection AS c
      WHERE c.database_id = $1::uuid AND c.name = a.connection AND c.is_enabled
    )
    AND EXISTS (
      SELECT 1 FROM usher.identity AS i
      JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = i.user_id
      WHERE i.database_id = $1::uuid AND i.connection = a.connection AND i.issuer = a.claims->>'issuer'
        AND i.subject = a.claims->>'subject' AND u.id = $3::uuid AND u.disabled_at IS NULL AND u.generation = $4::bigint
    )
  RETURNING 1`

/** Records who has logged in with a locked attempt, which can be repeated for 30 seconds from then on. */
export const useAttempt = (
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { userId, generation, now }: { userId: string; generation: number; now: Date },
) => query(useStatement, [databaseId, id, userId, generation, now])

const useStatement = `
  UPDATE usher.login_attempt SET user_id = $3::uuid, generation = $4::bigint, used_at = $5::timestamptz,
    expires_at = ${after('store.time', '30')}
  FROM (SELECT statement_timestamp() AS time) AS store
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** To whom the mail of a login goes. */
export interface LoginMailTarget extends Pick<LoginAttempt, 'expiresAt'> {
  canonicalEmail: string
  /** The address of the account as it is stored, or the one that was entered. */
  email: string
  preferredName: string | null
  locale: string | null
  /** Whether an enabled account has the address. */
  hasAccount: boolean
  /** Whether an account has the address, or it is reserved for one. */
  isHeld: boolean
  /** Whether an invitation for the address has not expired. */
  isInvited: boolean
}

/** Returns to whom the mail of an attempt goes, or undefined if it has expired or was used. */
export async function findLoginMail({ query }: Queries, { databaseId, id }: AttemptKey, now: Date) {
  const [target] = await query<LoginMailTarget>(findMailStatement, [databaseId, id, now])
  return target
}

const findMailStatement = `
  SELECT a.email_key AS "canonicalEmail", a.expires_at AS "expiresAt", COALESCE(u.email, a.email) AS email,
    u.preferred_name AS "preferredName", u.locale, u.id IS NOT NULL AS "isHeld",
    u.id IS NOT NULL AND u.disabled_at IS NULL AS "hasAccount",
    EXISTS (
      SELECT 1 FROM usher.invitation AS i
      WHERE i.database_id = $1::uuid AND i.email_key = a.email_key AND ${unindexed('i.expires_at > $3::timestamptz')}
    ) AS "isInvited"
  FROM usher.login_attempt AS a
  LEFT JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.email_key = a.email_key
  WHERE a.database_id = $1::uuid AND a.id = $2::uuid AND ${unindexed('a.expires_at > $3::timestamptz')}
    AND a.used_at IS NULL`

/** A login at a provider that has returned. Its claims are stored later, unless they are known. */
type ReturnedLogin = AttemptKey &
  Pick<LoginAttempt, 'challenge' | 'connection' | 'expiresAt'> & { claims?: object }

/** Stores a login that has returned from a provider. Returns whether it has returned for the first time. */
export async function insertReturned(
  { query }: Queries,
  { databaseId, id, challenge, connection, expiresAt, claims }: ReturnedLogin,
) {
  const known = claims ? JSON.stringify(claims) : null
  const rows = await query(insertReturnedStatement, [databaseId, id, challenge, connection, expiresAt, known])
  return rows.length > 0
}

const insertReturnedStatement = `
  INSERT INTO usher.login_attempt (database_id, id, kind, challenge, connection, expires_at, claims)
  VALUES ($1::uuid, $2::uuid, 'external', $3, $4, $5::timestamptz, $6::jsonb)
  ON CONFLICT DO NOTHING RETURNING 1`

/** Stores what a provider has returned for a login. */
export const storeClaims = (
  { query }: Queries,
  { databaseId, id }: AttemptKey,
  { claims, expiresAt }: { claims: object; expiresAt: Date },
) => query(storeClaimsStatement, [databaseId, id, JSON.stringify(claims), expiresAt])

const storeClaimsStatement = `
  UPDATE usher.login_attempt SET claims = $3::jsonb, expires_at = $4::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid`
