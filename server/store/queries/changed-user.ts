import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { isAccount } from './reserved-addresses.js'
import { change, type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'
import { listOf, parametersOf, selected, type UserFields, userFields } from './user-fields.js'

type UserKey = Pick<User, 'databaseId' | 'id'>

/** What an operator may change of a user, apart from the password. */
export type ChangeableUser = Pick<User, 'email' | 'canonicalEmail' | 'emailVerifiedAt' | 'disabledAt'> &
  UserFields

/** A user as it was when the lock was taken. */
export type LockedUser = ChangeableUser & Pick<User, 'id' | 'passwordHash'> & { generation: number }

/** `NO KEY UPDATE` lets new sessions and memberships of the user pass. `UPDATE` is for a deletion or another address. */
export type UserLock = 'NO KEY UPDATE' | 'UPDATE'

/** Locks a user before a change. Returns undefined if there is no such user. */
export async function lockUser({ query }: Queries, { databaseId, id }: UserKey, lock: UserLock) {
  const [user] = await query<LockedUser>(lockStatement(lock), [databaseId, id])
  return user
}

// The address is in a unique index. A change of it would raise a weaker lock than FOR UPDATE, and could deadlock.
const lockStatement = (lock: UserLock) => `
  SELECT id, email, email_key AS "canonicalEmail", email_verified_at AS "emailVerifiedAt",
    disabled_at AS "disabledAt", ${selected(userFields)}, password_hash AS "passwordHash", generation
  FROM usher."user" AS u WHERE database_id = $1::uuid AND id = $2::uuid AND ${isAccount('u')} FOR ${lock}`

/**
 * Changes a user. If the address changes, deletes the codes for a new password, which were sent to the former one, and
 * cancels a change that the user has requested.
 *
 * @throws a unique violation (SQLSTATE 23505) if another user has the address or the external id
 */
export const updateUser = (
  transaction: Queries,
  { databaseId, id }: UserKey,
  { user, hasNewAddress }: { user: ChangeableUser; hasNewAddress: boolean },
) => {
  const text = hasNewAddress ? updateAddressStatement : updateStatement
  const { email, canonicalEmail, emailVerifiedAt } = user
  const values = [databaseId, id, email, canonicalEmail, emailVerifiedAt, ...parametersOf(user)]
  return transaction.query(text, values)
}

const assignments = `email = $3, email_key = $4, email_verified_at = $5::timestamptz,
    ${listOf(userFields, ({ column, type, index }) => `${column} = $${index + 6}::${type}`)}`

const updateStatement = `
  UPDATE usher."user" SET ${assignments} WHERE database_id = $1::uuid AND id = $2::uuid RETURNING id`

const updateAddressStatement = change(assignments, 'true')

/** Removes the password of a locked user, revokes tokens, sessions and codes, and verifies the address. */
export function verifyAndRevoke(
  transaction: Queries,
  { databaseId, userId }: { databaseId: string; userId: string },
  now: Date,
) {
  const values: [string, string, ...unknown[]] = [databaseId, userId, now.getTime(), now]
  return revokeBy<Revoked>(transaction, { text: verifyStatement, values, now })
}

const verifyStatement = change(
  `${revoking('$3')}, password_hash = NULL, needs_second_step = NULL,
    email_verified_at = $4::timestamptz`,
  'true',
)
