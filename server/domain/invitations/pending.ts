import type { PendingInvitations } from '@usher/contract'
import {
  deleteInvitation,
  findInvitedRole,
  type InvitationKey,
  listInvitationRows,
} from '../../store/queries/invitations.js'
import { insertMessages, type NewMessage } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import type { AppContext } from '../context.js'
import { type Event, eventMessages } from '../events/events.js'
import { requireRank, requireRankOver } from '../tenants/roles.js'
import {
  type LockedTenant,
  noteMemberChanges,
  requireMembership,
  type TenantRequest,
  withLockedTenant,
} from '../tenants/tenant-change.js'
import { invitationBody, pendingInTenant } from './invite.js'

/** Returns the invitations of a tenant that have not expired. @throws {Problem} `tenant_not_found`; `role_insufficient` */
export async function listInvitations(
  { store, now }: AppContext,
  request: TenantRequest,
): Promise<PendingInvitations> {
  const { id: tenantId, role } = requireMembership(request)
  requireRank(role, 'admin')
  const key = { databaseId: request.database.id, tenantId, now: new Date(now()) }
  const rows = await listInvitationRows(store, key, { limit: pendingInTenant })
  return { invitations: rows.map(invitationBody) }
}

interface RevocationRequest extends TenantRequest {
  params: { tenantId: string; invitationId: string }
}

/**
 * Revokes an invitation. Also succeeds if there is none.
 *
 * @throws {Problem} `tenant_not_found`; `role_insufficient`
 */
export async function revokeInvitation(context: AppContext, request: RevocationRequest) {
  const { database, params } = request
  const { tenantId, invitationId: id } = params
  const key = { databaseId: database.id, tenantId, id }
  requireRank(requireMembership(request).role, 'admin')
  const work = ({ transaction, actorRole }: LockedTenant) => {
    const messagesOf = (events: readonly Event[]) => eventMessages(database, new Date(context.now()), events)
    return revoke(transaction, key, { actorRole, messagesOf })
  }
  if (!(await withLockedTenant(context, request, { work }))) return
  noteMemberChanges(context, request, [{ event: 'invitation.revoked', tenantId, invitationId: id }])
}

/**
 * Deletes an invitation, in a transaction that has locked the tenant.
 *
 * @returns whether there was one
 * @throws {Problem} `role_insufficient` if the actor may not give its role
 */
export async function revoke(
  transaction: Pick<Store, 'query'>,
  key: InvitationKey,
  { actorRole, messagesOf }: { actorRole: string; messagesOf: (events: Event[]) => readonly NewMessage[] },
) {
  const role = await findInvitedRole(transaction, key)
  requireRankOver(actorRole, [role ?? 'member'])
  if (role === undefined) return false
  await deleteInvitation(transaction, key)
  const { tenantId, id: invitationId } = key
  await insertMessages(transaction, messagesOf([{ type: 'invitation.revoked', tenantId, invitationId }]))
  return true
}
