import type { ChangeMemberBody, ListMembersQuery, Member, MemberList } from '@usher/contract'
import { type FoundMember, listMemberRows } from '../../store/queries/listed-members.js'
import {
  deleteLockedTenant,
  deleteMember,
  type MemberChange,
  storeRole,
} from '../../store/queries/member-changes.js'
import { findMember } from '../../store/queries/members.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { AppContext } from '../context.js'
import { eventMessages } from '../events/events.js'
import { readPage } from '../page.js'
import { Problem } from '../problem.js'
import { lastOwner, requireRank, requireRankOver, requireStoredRole } from './roles.js'
import {
  type LockedTenant,
  noteMemberChanges,
  requireChangesLeft,
  requireMembership,
  type TenantRequest,
  withLockedTenant,
} from './tenant-change.js'
import { eventsOfDeletion } from './tenants.js'

/** A request about a member of a tenant. */
interface MemberRequest<Body = unknown> extends TenantRequest<Body> {
  params: { tenantId: string; userId: string }
}

/** Returns the change of a member by the user of a request. */
const changeOf = (
  { now }: Pick<AppContext, 'now'>,
  { database, user, params: { tenantId, userId } }: MemberRequest,
): MemberChange & { actorId: string } => ({
  databaseId: database.id,
  tenantId,
  userId,
  now: new Date(now()),
  actorId: user.id,
})

/** Returns a page of the members of a tenant, ordered by id. @throws {Problem} `tenant_not_found` */
export async function listMembers(
  { store }: AppContext,
  request: TenantRequest & { query: ListMembersQuery },
): Promise<MemberList> {
  const key = { databaseId: request.database.id, tenantId: requireMembership(request).id }
  const { rows, next } = await readPage(request.query, (page) => listMemberRows(store, key, page))
  return { members: rows.map(memberBody), next }
}

/** Returns the body of a member. */
export const memberBody = ({ id, email, preferredName, role, joinedAt }: FoundMember): Member => ({
  id,
  email,
  preferredName,
  role,
  joinedAt: joinedAt.toISOString(),
})

/**
 * Changes the role of a member.
 *
 * @throws {Problem} `tenant_not_found`; `member_not_found`; `role_insufficient`; `last_owner`; `validation_failed` if the
 * database has no such role; `too_many_changes`
 */
export async function changeMember(
  context: AppContext,
  request: MemberRequest<ChangeMemberBody>,
): Promise<Member> {
  const { database, params, body } = request
  const { role } = body
  const { tenantId, userId } = params
  const key = changeOf(context, request)
  const work = async (locked: LockedTenant) => {
    const { transaction, actorRole, memberRole, hasOtherOwner, hasOtherMember } = locked
    requireRank(actorRole, 'admin')
    await requireStoredRole(transaction, database.id, role)
    if (memberRole === null) throw new Problem('member_not_found')
    requireRankOver(actorRole, [memberRole, role])
    if (memberRole === 'owner' && role !== 'owner' && !hasOtherOwner)
      throw lastOwner([tenantId], hasOtherMember)
    const isChanged = role !== memberRole
    if (isChanged) {
      await requireChangesLeft(transaction, request)
      await storeRole(transaction, key, role)
      const events = [{ type: 'tenant.role_changed', tenantId, userId }] as const
      await insertMessages(transaction, eventMessages(database, key.now, events))
    }
    return { isChanged, member: (await findMember(transaction, key)) as FoundMember }
  }
  const { isChanged, member } = await withLockedTenant(context, request, { userId, work })
  if (isChanged)
    noteMemberChanges(context, request, [{ event: 'tenant.role_changed', tenantId, userId, role }])
  return memberBody(member)
}

/**
 * Removes a member from a tenant, or lets the user of the request leave it. A tenant whose last member leaves is deleted.
 * Also succeeds if the user is not a member.
 *
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `last_owner`; `too_many_changes`
 */
export async function removeMember(context: AppContext, request: MemberRequest) {
  const { database, params, user } = request
  const { tenantId, userId } = params
  const key = changeOf(context, request)
  const work = async (locked: LockedTenant) => {
    const { transaction, actorRole, memberRole, hasOtherOwner, hasOtherMember } = locked
    if (userId !== user.id) requireRankOver(actorRole, [memberRole ?? 'member'])
    if (memberRole === null) return undefined
    if (memberRole === 'owner' && !hasOtherOwner && hasOtherMember) throw lastOwner([tenantId])
    await requireChangesLeft(transaction, request)
    await (hasOtherMember ? deleteMember(transaction, key) : deleteLockedTenant(transaction, key))
    const events = eventsOfDeletion(tenantId, [userId], !hasOtherMember)
    await insertMessages(transaction, eventMessages(database, key.now, events))
    return { isDeleted: !hasOtherMember }
  }
  const removed = await withLockedTenant(context, request, { userId, work })
  if (!removed) return
  noteMemberChanges(context, request, [
    { event: 'tenant.user_removed', tenantId, userId },
    ...(removed.isDeleted ? [{ event: 'tenant.deleted', tenantId } as const] : []),
  ])
}
