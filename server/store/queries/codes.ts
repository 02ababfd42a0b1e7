import type { Code, User } from '../generated/client.js'
import type { Queries, Store } from '../store.js'
import { type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'
import { unindexed } from './unindexed.js'
import { membershipsOf, type Tenancy } from './user-tenants.js'

/** Returns the id of an enabled user, or undefined. */
export async function findUserId(store: Queries, databaseId: string, canonicalEmail: string) {
  const [user] = await store.query<{ id: string }>(
    'SELECT id FROM usher."user" WHERE database_id = $1::uuid AND email_key = $2 AND disabled_at IS NULL',
    [databaseId, canonicalEmail],
  )
  return user?.id
}

/** Returns what a mail to a user says about the user, or undefined. */
export async function findRecipient(store: Queries, databaseId: string, id: string) {
  const [user] = await store.query<Pick<User, 'email' | 'preferredName' | 'locale'>>(
    `SELECT email, preferred_name AS "preferredName", locale
    FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid`,
    [databaseId, id],
  )
  return user
}

/** A code with its user. */
export type FoundCode = Pick<Code, 'id' | 'userId' | 'canonicalEmail'> &
  Pick<User, 'email' | 'emailVerifiedAt' | 'createdAt' | 'needsSecondStep'> & { generation: number }

/** Returns a code with its user, or undefined if the code cannot be used. */
export async function findCode(
  store: Queries,
  { databaseId, id, purpose }: Pick<Code, 'databaseId' | 'id' | 'purpose'>,
  now: Date,
) {
  const [code] = await store.query<FoundCode>(
    `SELECT code.id, code.user_id AS "userId", code.email_key AS "canonicalEmail", u.email,
      u.email_verified_at AS "emailVerifiedAt", u.created_at AS "createdAt", u.needs_second_step AS "needsSecondStep",
      u.generation
    FROM usher.code JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = code.user_id
    WHERE code.database_id = $1::uuid AND code.id = $2::uuid AND ${unindexed('code.purpose = $3')}
      AND ${unindexed('code.expires_at > $4::timestamptz')} AND u.email_key = code.email_key AND u.disabled_at IS NULL
      AND (code.generation IS NULL OR code.generation = u.generation)`,
    [databaseId, id, purpose, now],
  )
  return code
}

/** The user whose code was used. */
export interface CodeUser extends Pick<User, 'id'> {
  /** Whether the address was not verified before. */
  isNewlyVerified: boolean
}

type UsedCode = Pick<Code, 'databaseId' | 'id' | 'userId'>

// The user is locked first. So `owner` is the latest state of the user, and a mail that is delivered again cannot
// store the code meanwhile. Messages that would send a code of this purpose are deleted with the code.
const useCode = (assignments: string, returned: string) => `
  WITH owner AS (
    SELECT u.id, u.email_key, u.email_verified_at, u.generation FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND u.disabled_at IS NULL FOR NO KEY UPDATE
  ), used AS (
    DELETE FROM usher.code AS code USING owner
    WHERE code.database_id = $1::uuid AND code.id = $3::uuid AND code.user_id = owner.id
      AND code.email_key = owner.email_key AND ${unindexed('code.expires_at > $4::timestamptz')}
      AND (code.generation IS NULL OR code.generation = owner.generation)
    RETURNING code.user_id, code.purpose
  ), message AS (
    DELETE FROM usher.outbox AS message USING used
    WHERE message.database_id = $1::uuid AND message.user_id = used.user_id AND message.kind = 'mail'
      AND message.payload->>'type' = used.purpose
  )
  UPDATE usher."user" AS u SET
    email_verified_at = COALESCE(u.email_verified_at, $4::timestamptz)${assignments}
  FROM owner, used
  WHERE u.database_id = $1::uuid AND u.id = owner.id AND used.user_id = owner.id
  RETURNING u.id, owner.email_verified_at IS NULL AS "isNewlyVerified", ${returned}`

/** Sets the password of a code's user and revokes all tokens. Returns undefined if the code cannot be used any more. */
export async function useResetCode(
  transaction: Queries,
  { databaseId, id, userId }: UsedCode,
  { now, passwordHash }: { now: Date; passwordHash: string },
) {
  type Row = CodeUser &
    Revoked &
    Pick<User, 'emailVerifiedAt' | 'disabledAt' | 'createdAt' | 'needsSecondStep'> &
    Tenancy
  const use = [id, now, passwordHash, now.getTime()]
  const values: [string, string, ...unknown[]] = [databaseId, userId, ...use]
  const [user] = await revokeBy<Row>(transaction, { text: useResetCodeStatement, values, now })
  return user
}

// The number is read as the memberships are, when the statement began: `u` may be later, if the statement has waited for a
// removal from a tenant.
const useResetCodeStatement = useCode(
  `, ${revoking('$6')}, password_hash = $5,
    needs_second_step = CASE WHEN owner.email_verified_at IS NOT NULL THEN u.needs_second_step END`,
  `u.generation, u.email_verified_at AS "emailVerifiedAt",
    u.disabled_at AS "disabledAt", u.created_at AS "createdAt", u.needs_second_step AS "needsSecondStep",
    ${membershipsOf('u.id')}, (
      SELECT s.tenants_version FROM usher."user" AS s WHERE s.database_id = $1::uuid AND s.id = u.id
    ) AS "tenantsVersion"`,
)

/** Marks the address of a code's user as verified. Returns undefined if the code cannot be used any more. */
export async function useVerificationCode(
  { query }: Queries,
  { databaseId, id, userId }: UsedCode,
  now: Date,
) {
  type Row = CodeUser & Pick<User, 'email'>
  const [user] = await query<Row>(useVerificationCodeStatement, [databaseId, userId, id, now])
  return user
}

const useVerificationCodeStatement = useCode('', 'u.email')

/** A user to whom a mail is sent. */
export type Recipient = Pick<
  User,
  'email' | 'canonicalEmail' | 'preferredName' | 'locale' | 'emailVerifiedAt'
>

/** A code of a message, before it is stored. When it is stored, it is bound to the user's current address. */
export type NewCode = Omit<Code, 'canonicalEmail' | 'email' | 'generation' | 'messageStoredAt'>

/**
 * Stores the code of a message, and replaces the user's older code of the same purpose. Locks the user first, as the
 * use of a code does. Stores nothing if the message does not exist any more, because then the code was used or
 * revoked.
 *
 * @param isWanted whether the user still gets this mail
 * @returns the user, or undefined if there is nothing to send, also if a newer code exists
 */
export const storeCode = (
  store: Pick<Store, 'transaction'>,
  code: NewCode,
  isWanted: (user: Recipient) => boolean,
) =>
  store.transaction(code.databaseId, async (query) => {
    const { databaseId, id, userId } = code
    const [user] = await query<Recipient & { generation: number }>(lockRecipientStatement, [
      databaseId,
      userId,
    ])
    if (!user || !isWanted(user)) return undefined
    // A separate statement, because only a later one sees the changes of the transactions that the lock waited for.
    const [message] = await query<{ storedAt: string }>(findStoredAtStatement, [databaseId, id])
    if (!message) return undefined
    return (await replaceCode({ query }, code, { user, storedAt: message.storedAt })) ? user : undefined
  })

/** Returns whether no newer code of the purpose exists. */
async function replaceCode(
  { query }: Queries,
  { databaseId, id, purpose, userId, createdAt, expiresAt }: NewCode,
  { user, storedAt }: { user: Recipient & { generation: number }; storedAt: string },
) {
  const generation = purpose === 'password_reset' ? user.generation : null
  const values = [databaseId, id, purpose, userId, user.canonicalEmail, createdAt, expiresAt]
  const stored = await query(storeCodeStatement, [...values, storedAt, generation])
  return stored.length > 0
}

/**
 * Stores a code that no message sends, and replaces the user's older one of its purpose. A message that was stored
 * before does not replace it.
 *
 * @returns the user, or undefined if there is no such user or the user is disabled
 */
export async function storeReturnedCode({ query }: Queries, code: NewCode) {
  const [user] = await query<Recipient & { generation: number }>(lockRecipientStatement, [
    code.databaseId,
    code.userId,
  ])
  if (!user) return undefined
  const [time] = await query<{ storedAt: string }>(storeTimeStatement, [])
  await replaceCode({ query }, code, { user, storedAt: String(time?.storedAt) })
  return user
}

const storeTimeStatement = `SELECT statement_timestamp()::text AS "storedAt"`

const lockRecipientStatement = `
  SELECT email, email_key AS "canonicalEmail", preferred_name AS "preferredName", locale,
    email_verified_at AS "emailVerifiedAt", generation
  FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid AND disabled_at IS NULL FOR SHARE`

// As text, because a Date has no microseconds.
const findStoredAtStatement = `
  SELECT stored_at::text AS "storedAt" FROM usher.outbox WHERE database_id = $1::uuid AND id = $2::uuid`

// The order in which the store got the messages decides, because an id contains the time of a server or of a command.
const storeCodeStatement = `
  INSERT INTO usher.code AS code
    (database_id, id, purpose, user_id, email_key, created_at, expires_at, message_stored_at, generation)
  VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::bigint)
  ON CONFLICT (database_id, user_id, purpose) DO UPDATE SET
    id = excluded.id, email_key = excluded.email_key, created_at = excluded.created_at,
    expires_at = excluded.expires_at, message_stored_at = excluded.message_stored_at,
    generation = excluded.generation
  WHERE code.message_stored_at <= excluded.message_stored_at
  RETURNING 1`
