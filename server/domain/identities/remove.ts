import { deleteIdentity, revokeAfterRemoval } from '../../store/queries/identities.js'
import type { Revoked } from '../../store/queries/revocations.js'
import type { Change, Outcome } from '../change.js'
import { type Connection, titleOf } from '../connections/connection.js'
import { requireLocked } from '../locked-user.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import { requireWayIn } from '../ways-in.js'

/** An identity to remove from its user. */
interface Removal {
  userId: string
  identityId: string
  /** The enabled connections of the database. Identities of others log nobody in. */
  connections: readonly Connection[]
}

/**
 * Removes an identity, and revokes the tokens and sessions of its user, which whoever has the identity may have.
 *
 * @returns the new generation of the user
 * @throws {Problem} `user_not_found`; `token_invalid`; `identity_not_found`; `last_login_method`
 */
export async function removeIdentity(
  change: Change,
  { userId, identityId, connections }: Removal,
): Promise<Outcome<Revoked>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const { email: recipient, emailVerifiedAt, passwordHash } = await requireLocked(change, userId)
  const name = await deleteIdentity(change, { ...key, id: identityId })
  if (name === undefined) throw new Problem('identity_not_found')
  const isVerified = emailVerifiedAt !== null
  await requireWayIn(change, { userId, passwordHash, isVerified, connections })
  const removed = connections.find((each) => each.name === name)
  const provider = removed ? titleOf(removed) : name
  return {
    result: (await revokeAfterRemoval(change, key, now)) as Revoked,
    facts: [{ type: 'user.identity_unlinked', userId, identityId, connection: name }],
    mails: noticeMessages(database, 'identity_removed', { userId, recipient, isVerified, now, provider }),
  }
}
