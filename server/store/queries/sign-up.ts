import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { messageParts, messageValues, type NewMessage } from './outbox.js'
import { unindexed } from './unindexed.js'
import { type ProductFields, type Profile, profileFields, userFieldColumns } from './user-fields.js'

/** A user who signs up. */
export interface NewSignUp {
  user: Profile &
    Pick<User, 'databaseId' | 'id' | 'email' | 'canonicalEmail' | 'passwordHash' | 'createdAt'> & {
      generation: number
      /** What the product keeps with the user. Undefined: nothing. */
      privateMetadata?: ProductFields['privateMetadata'] | undefined
    }
  tenant?: { id: string; name: string } | undefined
  idempotencyKey?: Uint8Array | undefined
  /** The invitation that the sign-up accepts. */
  invitation?: { codeId: string } | undefined
  /** Whether a code has proven that the user receives mail at the address. */
  isVerified: boolean
}

/**
 * Inserts a user, the user's tenant and the Idempotency-Key, if given, in one statement.
 *
 * @param messages are written with the user
 * @throws a unique violation (SQLSTATE 23505) when the database has that canonical email or Idempotency-Key
 */
export async function insertUser(
  store: Queries,
  { user, tenant, idempotencyKey, invitation, isVerified }: NewSignUp,
  messages: readonly NewMessage[] = [],
) {
  const values: unknown[] = []
  const give = (type: string, value: unknown) => `$${values.push(value)}::${type}`
  // The first parameter of every statement is the database.
  const database = { database_id: give('uuid', user.databaseId) }
  const ofUser = { ...database, user_id: give('uuid', user.id) }
  const address = { email_key: give('text', user.canonicalEmail) }
  const now = give('timestamptz', user.createdAt)
  const ofTenant = tenant && { id: give('uuid', tenant.id), name: give('text', tenant.name) }
  const parts = [
    insert('"user"', {
      ...database,
      ...address,
      id: ofUser.user_id,
      created_at: now,
      email: give('text', user.email),
      password_hash: give('text', user.passwordHash),
      ...Object.fromEntries(
        profileFields.map((name) => [userFieldColumns[name].column, give('text', user[name])]),
      ),
      generation: give('bigint', user.generation),
      ...(isVerified && { email_verified_at: now }),
      ...(user.privateMetadata && { private_metadata: give('json', JSON.stringify(user.privateMetadata)) }),
    }),
  ]
  if (ofTenant) {
    parts.push(insert('tenant', { ...database, ...ofTenant, created_at: now }))
    const membership = { tenant_id: ofTenant.id, joined_at: now, role: "'owner'" }
    parts.push(insert('membership', { ...ofUser, ...membership }))
  }
  if (idempotencyKey) {
    const key = { key: give('bytea', idempotencyKey), tenant_name: ofTenant?.name ?? 'NULL', created_at: now }
    const accepted = invitation && { invitation_id: give('uuid', invitation.codeId) }
    parts.push(insert('idempotency_key', { ...ofUser, ...address, ...key, ...accepted }))
  }
  parts.push(...messageParts(messages, values.length))
  await store.query(inOrder(parts), [...values, ...messageValues(messages)])
}

// Citus sends each part unchanged to one worker, which commits once. If a part selected from another one, Citus would
// copy it to every worker, and commit in two phases on all of them. The parts lock their tables in this order.

/** Returns a part that inserts a row of expressions by column. */
const insert = (table: string, row: Record<string, string>) => `
  INSERT INTO usher.${table} (${Object.keys(row).join(', ')})
  VALUES (${Object.values(row).join(', ')})`

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
