import type { DatabasePath } from '@usher/contract'
import type { ListMembersQuery, MemberList } from '@usher/contract/management'
import { listMemberRows } from '../../store/queries/managed-members.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels } from '../events/events.js'
import type { KeyRequest } from '../request.js'
import { operationOf, unlessMissing } from './operation.js'
import { nextOf } from './page.js'
import { addToTenant, removeFromTenant, requireTenant } from './tenants.js'

interface MemberRequest extends KeyRequest {
  params: DatabasePath & { tenantId: string; userId: string }
}

/** Returns a page of the users of a tenant, ordered by id. */
export async function listManagedMembers(
  { store }: AppContext,
  request: KeyRequest & { params: Omit<MemberRequest['params'], 'userId'>; query: ListMembersQuery },
): Promise<MemberList> {
  const { database, params, query } = request
  const { limit = 50, after } = query
  const key = { databaseId: database.id, tenantId: params.tenantId }
  await requireTenant(store, params, { databaseId: database.id, id: params.tenantId })
  const rows = await listMemberRows(store, key, { limit: limit + 1, ...(after && { after }) })
  const members = rows.slice(0, limit).map((row) => ({ ...row, joinedAt: row.joinedAt.toISOString() }))
  return { members, next: nextOf(rows, limit) }
}

/** Adds a user to a tenant. Succeeds also for a member. */
export async function putManagedMember(context: AppContext, request: MemberRequest) {
  const { params, database } = request
  const { isNew } = await addToTenant(operationOf(context, request), params, memberOf(params))
  if (!isNew) return
  context.deliver(eventChannels(database))
  auditMember(request, 'tenant.user_added')
}

/** Removes a user from a tenant. Succeeds also if the user is not a member. */
export async function removeManagedMember(context: AppContext, request: MemberRequest) {
  const { params, database } = request
  const removal = removeFromTenant(operationOf(context, request), params, memberOf(params))
  const removed = await removal.catch(unlessMissing('tenant_not_found', 'user_not_found', 'member_not_found'))
  if (!removed) return
  context.deliver(eventChannels(database))
  auditMember(request, 'tenant.user_removed')
}

const memberOf = ({ tenantId, userId }: MemberRequest['params']) => ({ tenantId, userRef: userId })

const auditMember = (
  { caller, database, apiKey, params }: MemberRequest,
  event: 'tenant.user_added' | 'tenant.user_removed',
) => {
  const { tenantId, userId } = params
  audit(caller.log, event, { databaseId: database.id, tenantId, userId, apiKey: apiKey.id })
}
