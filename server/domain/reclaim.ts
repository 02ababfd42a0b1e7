import { verifyAndRevoke } from '../store/queries/changed-user.js'
import { deleteFactors } from '../store/queries/factors.js'
import { type DeletedIdentity, deleteIdentities } from '../store/queries/identities.js'
import { forgetNetworks } from '../store/queries/networks.js'
import { freeReserved } from '../store/queries/reserved-addresses.js'
import type { Change, Fact } from './change.js'

// Anyone can sign up with the address of another person, and wait until that person uses the account. So the first proof that
// somebody receives mail at the address gives the account to that person, and leaves nothing to the one who signed up.

/**
 * Gives a locked user whose address was never verified to the person who has proven to receive mail there. Removes the password,
 * and revokes tokens, sessions, and the codes that change password or address. A code that verifies the address proves no more.
 */
export async function reclaim(change: Change, userId: string): Promise<Fact[]> {
  await verifyAndRevoke(change, { databaseId: change.database.id, userId }, change.now)
  const removed = await removeClaims(change, userId)
  return [{ type: 'user.reclaimed', userId }, { type: 'user.email_verified', userId }, ...removed]
}

/**
 * Removes what else a person who signed up with the address of another one could use: former addresses, and what
 * {@link removeWaysIn} removes.
 */
export async function removeClaims(change: Change, userId: string): Promise<Fact[]> {
  await freeReserved(change, { databaseId: change.database.id, userId }, 0)
  return removeWaysIn(change, userId)
}

/**
 * Removes the ways in that a thief may have added to the account of a locked user: factors with their recovery codes, identities, and
 * known networks. The caller also records that the user has no factor.
 */
export async function removeWaysIn(change: Change, userId: string): Promise<Fact[]> {
  const key = { databaseId: change.database.id, userId }
  await forgetNetworks(change, key)
  const factors = await deleteFactors(change, key)
  return [
    ...(factors > 0 ? [{ type: 'user.factor_removed', userId } as const] : []),
    ...unlinked(userId, await deleteIdentities(change, key)),
  ]
}

/** Returns the facts of identities that were removed. */
export const unlinked = (userId: string, identities: readonly DeletedIdentity[]): Fact[] =>
  identities.map(({ id: identityId, connection }) => ({
    type: 'user.identity_unlinked',
    userId,
    identityId,
    connection,
  }))
