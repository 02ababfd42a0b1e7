import type { MemberList } from '@usher/contract'
import type { ListMembersQuery, PutMemberBody } from '@usher/contract/management'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { memberBody } from '../tenants/members.js'
import { idsOf, listTenantMembers, putMember, removeFromTenant } from './members.js'
import { noteChanges, operationOf, type TenantKeyRequest, unlessMissing } from './operation.js'

interface MemberKeyRequest<Body = unknown> extends TenantKeyRequest<Body> {
  params: TenantKeyRequest['params'] & { userId: string }
}

/** Returns a page of the users of a tenant, ordered by id. */
export async function listManagedMembers(
  { store }: AppContext,
  request: TenantKeyRequest & { query: ListMembersQuery },
): Promise<MemberList> {
  const { database, params, query } = request
  const { rows, next } = await readPage(query, (page) =>
    listTenantMembers(store, database, { ...page, tenantId: params.tenantId }),
  )
  return { members: rows.map(memberBody), next }
}

/** Adds a user to a tenant, or changes the role of a member. */
export async function putManagedMember(
  context: AppContext,
  request: MemberKeyRequest<PutMemberBody | undefined>,
) {
  const { database, params, body } = request
  const member = { ...memberOf(params), role: body?.role }
  const { change } = await putMember(operationOf(context, request), database, member)
  if (change) noteChanges(context, request, [{ event: change, ...idsOf(params) }])
}

/** Removes a user from a tenant. Also succeeds if the user is not a member. */
export async function removeManagedMember(context: AppContext, request: MemberKeyRequest) {
  const { database, params } = request
  const removal = removeFromTenant(operationOf(context, request), database, memberOf(params))
  const removed = await removal.catch(unlessMissing('tenant_not_found', 'user_not_found', 'member_not_found'))
  if (removed) noteChanges(context, request, [{ event: 'tenant.user_removed', ...idsOf(params) }])
}

const memberOf = ({ tenantId, userId }: MemberKeyRequest['params']) => ({ tenantId, userRef: userId })
