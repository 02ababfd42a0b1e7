import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { change, type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'

type UserKey = Pick<User, 'databaseId'> & { userId: string }

/** Removes the password of a locked user, revokes tokens, sessions and codes, and verifies the address. */
export function verifyAndRevoke(transaction: Queries, { databaseId, userId }: UserKey, now: Date) {
  const values: [string, string, ...unknown[]] = [databaseId, userId, now.getTime(), now]
  return revokeBy<Revoked>(transaction, { text: verifyStatement, values, now })
}

const verifyStatement = change(
  `${revoking('$3')}, password_hash = NULL, needs_second_step = NULL,
    email_verified_at = $4::timestamptz`,
  'true',
)

/** Deletes the networks from which a user has logged in. */
export const forgetNetworks = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query(forgetStatement, [databaseId, userId])

const forgetStatement = 'DELETE FROM usher.known_network WHERE database_id = $1::uuid AND user_id = $2::uuid'
