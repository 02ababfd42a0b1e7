import type { PendingInvitations } from '@usher/contract'
import { deleteInvitation, findInvitedRole, listInvitationRows } from '../../store/queries/invitations.js'
import { type Change, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem, unless } from '../problem.js'
import { lockTenant, requireMembership, type TenantRequest } from '../tenants/locked-tenant.js'
import { requireRank, requireRankOver } from '../tenants/roles.js'
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

/**
 * Revokes an invitation.
 *
 * @throws {Problem} `tenant_not_found`; `role_insufficient`, also if the actor may not give its role; `invitation_not_found`
 */
export async function revoke(
  change: Change,
  { tenantId, invitationId }: { tenantId: string; invitationId: string },
): Promise<Outcome<undefined>> {
  const { actorRole } = await lockTenant(change, { tenantId })
  const key = { databaseId: change.database.id, tenantId, id: invitationId }
  const role = await findInvitedRole(change, key)
  requireRankOver(actorRole, [role ?? 'member'])
  if (role === undefined)
    throw new Problem('invitation_not_found', {
      detail: `Invitation ${invitationId} does not exist in tenant ${tenantId}.`,
    })
  await deleteInvitation(change, key)
  return { result: undefined, facts: [{ type: 'invitation.revoked', tenantId, invitationId }] }
}

/** Revokes an invitation: see {@link revoke}. Does nothing if there is none. */
export const revokeInvitation = (
  context: AppContext,
  request: TenantRequest & { params: { tenantId: string; invitationId: string } },
) =>
  runChange(context, request, (change) => revoke(change, request.params)).catch(
    unless('invitation_not_found'),
  )
