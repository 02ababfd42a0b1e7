import { findStanding, lockUsersAndTenant } from '../../store/queries/members.js'
import type { Change } from '../change.js'
import { Problem } from '../problem.js'
import { lastOwner } from './roles.js'

/**
 * Checks that the installation has an owner without an operator. Its tenant, whose id is that of the operators' database, stays
 * locked until the transaction ends.
 *
 * @throws {Problem} `owner_needed`, or `last_owner` if the operator is who acts
 */
export async function requireOtherOwner(
  change: Pick<Change, 'query' | 'database' | 'actor'>,
  userId: string,
) {
  const { id } = change.database
  const key = { databaseId: id, tenantId: id, userId }
  await lockUsersAndTenant(change, key, [userId])
  const { memberRole, hasOtherOwner } = await findStanding(change, key)
  if (memberRole !== 'owner' || hasOtherOwner) return
  const detail = 'The installation needs an owner. Make another operator owner first.'
  throw change.actor.kind === 'user' ? lastOwner([id]) : new Problem('owner_needed', { detail })
}
