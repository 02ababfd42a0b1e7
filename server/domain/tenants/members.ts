import type { FoundMember } from '../../store/queries/listed-members.js'
import {
  deleteLockedTenant,
  deleteMember,
  insertMember,
  type MemberChange,
  storeRole,
} from '../../store/queries/member-changes.js'
import { findMember } from '../../store/queries/members.js'
import type { Change, Fact, Outcome } from '../change.js'
import { Problem, userNotFound } from '../problem.js'
import { lockTenant, requireChangesLeft } from './locked-tenant.js'
import { lastOwner, requireRank, requireRankOver, requireStoredRole } from './roles.js'

/** Names a member. */
export interface MemberPath {
  tenantId: string
  userId: string
}

const keyOf = ({ database, now, actor }: Change, path: MemberPath): MemberChange => ({
  ...path,
  databaseId: database.id,
  now,
  actorId: actor.kind === 'user' ? actor.user.id : undefined,
})

/**
 * Changes the role of a member. Operators and backends also add a user, and may leave a tenant without an owner.
 *
 * @param member.role by default `member` for a new member, and the current role for an existing one
 * @returns the member, and whether the user was added or got another role
 * @throws {Problem} `tenant_not_found`; `user_not_found`; `member_not_found`; `role_insufficient`; `last_owner`;
 * `validation_failed` if the database has no such role; `too_many_changes`
 */
export async function putMember(
  change: Change,
  { tenantId, userId, role: given }: MemberPath & { role?: string | undefined },
): Promise<Outcome<{ member: FoundMember; isAdded: boolean; isChanged: boolean }>> {
  const { database, actor, now } = change
  const path = { tenantId, userId }
  const locked = await lockTenant(change, path)
  const { actorRole, memberRole, hasOtherOwner, hasOtherMember, hasUser } = locked
  requireRank(actorRole, 'admin')
  if (given !== undefined) await requireStoredRole(change, database.id, given)
  // Users join by an invitation.
  if (memberRole === null && actor.kind === 'user') throw new Problem('member_not_found')
  if (!hasUser) throw userNotFound(database, path.userId)
  const role = given ?? memberRole ?? 'member'
  requireRankOver(actorRole, [memberRole ?? 'member', role])
  if (actor.kind === 'user' && memberRole === 'owner' && role !== 'owner' && !hasOtherOwner)
    throw lastOwner([path.tenantId], hasOtherMember)
  const isAdded = memberRole === null
  const isChanged = !isAdded && role !== memberRole
  if (isChanged) await requireChangesLeft(change)
  if (isChanged) await storeRole(change, keyOf(change, path), role)
  if (isAdded) await insertMember(change, { ...path, databaseId: database.id, role, joinedAt: now })
  const member = (await findMember(change, { ...path, databaseId: database.id })) as FoundMember
  const facts: Fact[] = [
    ...(isAdded ? [{ type: 'tenant.user_added', ...path, role } as const] : []),
    ...(isChanged ? [{ type: 'tenant.role_changed', ...path, role } as const] : []),
  ]
  return { result: { member, isAdded, isChanged }, facts }
}

/**
 * Removes a member from a tenant, or lets the user of the request leave it. A tenant whose last member leaves is deleted, unless
 * an operator or a backend removes the member.
 *
 * @throws {Problem} `tenant_not_found`; `member_not_found`; `role_insufficient`; `last_owner`; `too_many_changes`
 */
export async function removeMember(
  change: Change,
  { tenantId, userId }: MemberPath,
): Promise<Outcome<undefined>> {
  const { database, actor } = change
  const path = { tenantId, userId }
  const { actorRole, memberRole, hasOtherOwner, hasOtherMember } = await lockTenant(change, path)
  const user = actor.kind === 'user' ? actor.user : undefined
  if (userId !== user?.id) requireRankOver(actorRole, [memberRole ?? 'member'])
  if (memberRole === null)
    throw new Problem('member_not_found', { detail: `User ${userId} is not a member of tenant ${tenantId}.` })
  if (user && memberRole === 'owner' && !hasOtherOwner && hasOtherMember) throw lastOwner([tenantId])
  await requireChangesLeft(change)
  const isLast = user !== undefined && !hasOtherMember
  const key = keyOf(change, path)
  await (isLast ? deleteLockedTenant(change, { ...key, databaseId: database.id }) : deleteMember(change, key))
  const removed: Fact = { type: 'tenant.user_removed', tenantId, userId }
  return {
    result: undefined,
    facts: [removed, ...(isLast ? [{ type: 'tenant.deleted', tenantId } as const] : [])],
  }
}
