import type { Code, User } from '../generated/client.js'
import type { Store } from '../store.js'
import {
  changeWithMessages,
  insertMessage,
  type MessagesOf,
  type NewMessage,
  type Transactions,
} from './outbox.js'
import { type Revoked, revoking } from './revocations.js'
import { tenantsOf } from './tenants.js'

type Queries = Pick<Store, 'query'>

/** A request for a code. Its sources are HMACs. */
export interface CodeRequest {
  databaseId: string
  purpose: string
  network: Uint8Array
  address: Uint8Array
  now: Date
  /** A stored time later than this was written before the clock was set back, and is ignored. */
  impossible: Date
}

const hourMilliseconds = 3_600_000
const minuteMilliseconds = 60_000

/**
 * Counts a request for a code, by its network and by its address, and stores its message: all or nothing.
 *
 * @returns the message, or the source that has had one within a minute or five within an hour
 */
export const storeCodeRequest = (
  store: Transactions,
  request: CodeRequest,
  messageOf: (store: Queries) => Promise<NewMessage>,
) =>
  store.transaction(request.databaseId, async (query) => {
    // The network first: a request that it refuses must not use up the mails of somebody else's address.
    if (!(await countCodeRequest({ query }, request, request.network, countStatement))) return 'network'
    if (!(await countCodeRequest({ query }, request, request.address, countAndPruneStatement)))
      return 'address'
    const message = await messageOf({ query })
    await insertMessage({ query }, message)
    return message
  })

async function countCodeRequest(
  store: Queries,
  { databaseId, purpose, now, impossible }: CodeRequest,
  source: Uint8Array,
  statement: string,
) {
  const rows = await store.query(statement, [
    databaseId,
    purpose,
    source,
    now,
    new Date(now.getTime() - minuteMilliseconds),
    new Date(now.getTime() - hourMilliseconds),
    impossible,
  ])
  return rows.length > 0
}

const countStatement = `
  INSERT INTO usher.code_request AS request (database_id, purpose, source, times, last_at)
  VALUES ($1::uuid, $2, $3::bytea, ARRAY[$4::timestamptz], $4::timestamptz)
  ON CONFLICT (database_id, purpose, source) DO UPDATE SET
    times = excluded.times || request.times[1:4], last_at = excluded.last_at
  WHERE (request.last_at <= $5::timestamptz OR request.last_at > $7::timestamptz)
    AND (request.times[5] IS NULL OR request.times[5] <= $6::timestamptz OR request.times[5] > $7::timestamptz)
  RETURNING 1`

// Deletes up to 100 counts that are out of date. Only the last count does, because a request that waits for a count
// must not have locked others: two of them could deadlock.
const countAndPruneStatement = `
  WITH pruned AS (
    DELETE FROM usher.code_request
    WHERE database_id = $1::uuid AND source <> $3::bytea AND (purpose, source) IN (
      SELECT purpose, source FROM usher.code_request
      WHERE database_id = $1::uuid AND last_at < $6::timestamptz
      ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED
    )
  )${countStatement}`

/** Returns the id of an enabled user, or undefined. */
export async function findUserId(store: Queries, databaseId: string, canonicalEmail: string) {
  const [user] = await store.query<{ id: string }>(
    'SELECT id FROM usher."user" WHERE database_id = $1::uuid AND email_key = $2 AND disabled_at IS NULL',
    [databaseId, canonicalEmail],
  )
  return user?.id
}

export type FoundCode = Pick<Code, 'id' | 'userId' | 'canonicalEmail'> & Pick<User, 'email'>

/** Returns a code that can be used, with its user, or undefined. */
export async function findCode(store: Queries, databaseId: string, id: string, purpose: string, now: Date) {
  const [code] = await store.query<FoundCode>(
    `SELECT code.id, code.user_id AS "userId", code.email_key AS "canonicalEmail", u.email
    FROM usher.code JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = code.user_id
    WHERE code.database_id = $1::uuid AND code.id = $2::uuid AND code.purpose = $3
      AND code.expires_at > $4::timestamptz AND u.email_key = code.email_key AND u.disabled_at IS NULL
      AND (code.generation IS NULL OR code.generation = u.generation)`,
    [databaseId, id, purpose, now],
  )
  return code
}

/** The user of a code that was used. */
export interface CodeUser extends Pick<User, 'id'> {
  /** Whether the code has verified the address, which was not verified before. */
  isNewlyVerified: boolean
}

// The user is locked first, so that `owner` is the user as the statement finds it, and so that a mail which is delivered
// again does not store the code meanwhile. Messages that would send a code of this purpose are deleted with it.
const useCode = (assignments: string, returned: string) => `
  WITH owner AS (
    SELECT u.id, u.email_key, u.email_verified_at, u.generation FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND u.disabled_at IS NULL FOR NO KEY UPDATE
  ), used AS (
    DELETE FROM usher.code AS code USING owner
    WHERE code.database_id = $1::uuid AND code.id = $3::uuid AND code.user_id = owner.id
      AND code.email_key = owner.email_key AND code.expires_at > $4::timestamptz
      AND (code.generation IS NULL OR code.generation = owner.generation)
    RETURNING code.user_id, code.purpose
  ), message AS (
    DELETE FROM usher.outbox AS message USING used
    WHERE message.database_id = $1::uuid AND message.user_id = used.user_id AND message.kind = 'mail'
      AND message.payload->>'type' = used.purpose
  )
  UPDATE usher."user" AS u SET
    email_verified_at = COALESCE(u.email_verified_at, $4::timestamptz)${assignments}
  FROM owner, used, (SELECT now() AS time) AS store
  WHERE u.database_id = $1::uuid AND u.id = owner.id AND used.user_id = owner.id
  RETURNING u.id, owner.email_verified_at IS NULL AS "isNewlyVerified", ${returned}`

/** Sets the password of a code's user and refuses all tokens. Returns undefined if the code cannot be used any more. */
export async function resetPassword(
  store: Transactions,
  databaseId: string,
  { id, userId }: Pick<Code, 'id' | 'userId'>,
  now: Date,
  passwordHash: string,
  messages: MessagesOf<CodeUser>,
) {
  type Row = CodeUser & Revoked & Pick<User, 'emailVerifiedAt'> & { tenants: string[] }
  const values = [databaseId, userId, id, now, passwordHash, now.getTime()]
  const [user] = await changeWithMessages<Row>(store, resetPasswordStatement, values, messages)
  return user
}

const resetPasswordStatement = useCode(
  `, ${revoking('$4', '$6')}, password_hash = $5`,
  `u.generation, u.tokens_valid_after AS "tokensValidAfter", u.email_verified_at AS "emailVerifiedAt",
    ${tenantsOf('u.id')}`,
)

/** Marks the address of a code's user as verified. Returns undefined if the code cannot be used any more. */
export async function verifyEmail(
  store: Transactions,
  databaseId: string,
  { id, userId }: Pick<Code, 'id' | 'userId'>,
  now: Date,
  messages: MessagesOf<CodeUser>,
) {
  const values = [databaseId, userId, id, now]
  type Row = CodeUser & Pick<User, 'email'>
  const [user] = await changeWithMessages<Row>(store, verifyEmailStatement, values, messages)
  return user
}

const verifyEmailStatement = useCode('', 'u.email')
