import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'

type UserKey = Pick<User, 'databaseId'> & { userId: string }

/** Removes the password of a locked user, revokes tokens and sessions, and verifies the address. Returns the new generation. */
export async function verifyAndRevoke(transaction: Queries, { databaseId, userId }: UserKey, now: Date) {
  const values: [string, string, ...unknown[]] = [databaseId, userId, now, now.getTime()]
  const [revoked] = await revokeBy<Revoked>(transaction, { text: verifyStatement, values, now })
  return revoked
}

const verifyStatement = `
  UPDATE usher."user" AS u SET password_hash = NULL, email_verified_at = $3::timestamptz, ${revoking('$4')}
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid
  RETURNING u.generation`

/** Deletes the networks from which a user has logged in. */
export const forgetNetworks = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query(forgetStatement, [databaseId, userId])

const forgetStatement = 'DELETE FROM usher.known_network WHERE database_id = $1::uuid AND user_id = $2::uuid'
