import type { User } from '../generated/client.js'
import type { Store } from '../store.js'
import { messageParts, messageValues, type NewMessage } from './outbox.js'
import { unindexed } from './unindexed.js'

type Queries = Pick<Store, 'query'>

/** A user who signs up. */
export interface NewSignUp {
  user: Pick<
    User,
    'databaseId' | 'id' | 'email' | 'canonicalEmail' | 'passwordHash' | 'preferredName' | 'createdAt'
  > & {
    generation: number
  }
  tenant?: { id: string; name: string } | undefined
  idempotencyKey?: Uint8Array | undefined
  /** The invitation that the sign-up accepts: its code has proven that the user receives mail at the address. */
  invitation?: { codeId: string } | undefined
}

/**
 * Inserts a user, the user's tenant and the Idempotency-Key, if given, in one statement.
 *
 * @param messages are written with the user
 * @throws a unique violation (SQLSTATE 23505) when the database has that canonical email or Idempotency-Key
 */
export async function insertUser(
  store: Queries,
  { user, tenant, idempotencyKey, invitation }: NewSignUp,
  messages: readonly NewMessage[] = [],
) {
  const { databaseId, id, email, canonicalEmail, passwordHash, preferredName, createdAt, generation } = user
  const values = [
    ...[databaseId, id, email, canonicalEmail, passwordHash, preferredName, createdAt, generation],
    ...(tenant ? [tenant.id, tenant.name] : []),
    ...(idempotencyKey ? [idempotencyKey] : []),
    ...(idempotencyKey && invitation ? [invitation.codeId] : []),
  ]
  const [withUser, withTenant] = invitation ? insertInvitedParts : insertParts
  const [withoutKey, withKey] = tenant ? withTenant : withUser
  const parts = idempotencyKey ? withKey : withoutKey
  await store.query(insertStatement(parts, messages, values.length), [...values, ...messageValues(messages)])
}

// Citus sends each part unchanged to one worker, which commits once. If a part selected from another one, Citus would
// copy it to every worker, and commit in two phases on all of them.

const userPart = `
  INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at,
    generation)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz, $8::bigint)`

const invitedUserPart = `
  INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at,
    generation, email_verified_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz, $8::bigint, $7::timestamptz)`

const tenantPart = `
  INSERT INTO usher.tenant (database_id, id, name, created_at)
  VALUES ($1::uuid, $9::uuid, $10::text, $7::timestamptz)`

const membershipPart = `
  INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
  VALUES ($1::uuid, $2::uuid, $9::uuid, $7::timestamptz, 'owner')`

const keyPart = (key: string, tenantName: string) => `
  INSERT INTO usher.idempotency_key (database_id, key, user_id, email_key, tenant_name, created_at)
  VALUES ($1::uuid, ${key}::bytea, $2::uuid, $4, ${tenantName}::text, $7::timestamptz)`

const invitedKeyPart = (key: string, tenantName: string, codeId: string) => `
  INSERT INTO usher.idempotency_key (database_id, key, user_id, email_key, tenant_name, created_at, invitation_id)
  VALUES ($1::uuid, ${key}::bytea, $2::uuid, $4, ${tenantName}::text, $7::timestamptz, ${codeId}::uuid)`

/**
 * The parts of a sign-up without a tenant and with one, each without an Idempotency-Key and with one. They lock their
 * tables in this order.
 */
const insertParts = [
  [[userPart], [userPart, keyPart('$9', 'NULL')]],
  [
    [userPart, tenantPart, membershipPart],
    [userPart, tenantPart, membershipPart, keyPart('$11', '$10')],
  ],
] as const
const insertInvitedParts = [
  [[invitedUserPart], [invitedUserPart, invitedKeyPart('$9', 'NULL', '$10')]],
  [
    [invitedUserPart, tenantPart, membershipPart],
    [invitedUserPart, tenantPart, membershipPart, invitedKeyPart('$11', '$10', '$12')],
  ],
] as const

/** Statements by their parts and by the kinds of messages, because each has one text. */
const insertStatements = new Map<readonly string[], Record<string, string>>()

function insertStatement(parts: readonly string[], messages: readonly NewMessage[], values: number) {
  const known = insertStatements.get(parts) ?? {}
  insertStatements.set(parts, known)
  const key = messages.map(({ kind }) => kind).join()
  known[key] ??= inOrder([...parts, ...messageParts(messages, values)])
  return known[key]
}

/** Returns one statement that consists of several parts. */
const inOrder = (parts: readonly string[]) =>
  parts.length === 1
    ? String(parts[0])
    : `WITH ${parts.map((part, index) => `part_${index} AS (${part}\n)`).join(', ')} SELECT 1`

export interface SignUp {
  userId: string
  canonicalEmail: string
  tenantName: string | null
  /** The id in the code of the invitation that it accepted, or null. */
  invitationCodeId: string | null
}

/** Returns the sign-up of an Idempotency-Key, or undefined. Deletes the key if it was created before `expired`. */
export async function findSignUp(
  store: Queries,
  { databaseId, key }: { databaseId: string; key: Uint8Array },
  expired: Date,
) {
  const [signUp] = await store.query<SignUp>(findSignUpStatement, [databaseId, key, expired])
  return signUp
}

const findSignUpStatement = `
  WITH expired AS (
    DELETE FROM usher.idempotency_key
    WHERE database_id = $1::uuid AND key = $2::bytea AND ${unindexed('created_at < $3::timestamptz')}
  )
  SELECT user_id AS "userId", email_key AS "canonicalEmail", tenant_name AS "tenantName",
    invitation_id AS "invitationCodeId"
  FROM usher.idempotency_key
  WHERE database_id = $1::uuid AND key = $2::bytea AND ${unindexed('created_at >= $3::timestamptz')}`
