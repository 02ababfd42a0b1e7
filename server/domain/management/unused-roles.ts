import { findLockedSettings } from '../../store/queries/databases.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import { findUsedRole } from '../../store/queries/members.js'
import type { Change } from '../change.js'
import { Problem } from '../problem.js'

/**
 * Checks that roles can be removed. Until the transaction ends, no member gets one: see `findLockedSettings`.
 *
 * @throws {Problem} if a member or an invitation has one
 */
export async function requireUnused(change: Change, kept: readonly string[]) {
  const { id } = change.database
  await lockSigningKeys(change, id)
  // Read under the lock, because another command may have added a role.
  const { roles = [] } = (await findLockedSettings(change, id)) ?? {}
  const removed = roles.filter((role) => !kept.includes(role))
  if (removed.length === 0) return
  const used = await findUsedRole(change, id, removed)
  if (used)
    throw new Problem('role_in_use', {
      detail: `Members or invitations have the role ${used}. Give them another role first.`,
    })
}
