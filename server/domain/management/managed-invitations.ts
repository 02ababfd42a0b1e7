import type { Invitation } from '@usher/contract'
import type {
  IdempotencyHeaders,
  InvitationBody,
  InvitationList,
  ListInvitationsQuery,
} from '@usher/contract/management'
import type { ListedInvitation } from '../../store/queries/invitations.js'
import type { Store } from '../../store/store.js'
import type { AppContext } from '../context.js'
import { invitationBody } from '../invitations/invite.js'
import { readPage } from '../page.js'
import type { KeyRequest } from '../request.js'
import { inviteToTenant, listTenantInvitations, revokeTenantInvitation } from './invitations.js'
import { type KeepResponse, oncePerKey } from './once-per-key.js'
import { noteChanges, operationOf, type TenantKeyRequest, unlessMissing } from './operation.js'

/** Returns a page of the invitations of a tenant, ordered by id. */
export async function listManagedInvitations(
  context: AppContext,
  request: TenantKeyRequest & { query: ListInvitationsQuery },
): Promise<InvitationList> {
  const { database, params, query } = request
  const { rows, next } = await readPage(query, (page) =>
    listTenantInvitations(operationOf(context, request), database, { ...page, tenantId: params.tenantId }),
  )
  return { invitations: rows.map(invitationBody), next }
}

/** Invites an address to a tenant. */
export function inviteManagedMember(
  context: AppContext,
  request: TenantKeyRequest<InvitationBody> & { headers: IdempotencyHeaders },
): Promise<Invitation> {
  const { params, body, database } = request
  const { tenantId } = params
  const work = async (keep: KeepResponse<Invitation>) => {
    const invitation = {
      ...operationOf(context, request),
      onInvited: (transaction: Pick<Store, 'query'>, invited: ListedInvitation) =>
        keep(transaction, invitationBody(invited)),
    }
    const invited = await inviteToTenant(invitation, database, { ...body, tenantId })
    noteChanges(context, request, [{ event: 'invitation.created', tenantId, invitationId: invited.id }])
    context.deliver([{ databaseId: database.id, kind: 'mail' }])
    return invitationBody(invited)
  }
  return oncePerKey(context, request, { operation: 'inviteMember', work })
}

/** Revokes an invitation. Also succeeds if there is none. */
export async function revokeManagedInvitation(
  context: AppContext,
  request: KeyRequest & { params: TenantKeyRequest['params'] & { invitationId: string } },
) {
  const { database, params } = request
  const { tenantId, invitationId } = params
  const revocation = revokeTenantInvitation(operationOf(context, request), database, params)
  const revoked = await revocation.catch(unlessMissing('tenant_not_found', 'invitation_not_found'))
  if (revoked) noteChanges(context, request, [{ event: 'invitation.revoked', tenantId, invitationId }])
}
