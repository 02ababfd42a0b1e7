import type { DatabasePath, MemberList } from '@usher/contract'
import type { ListMembersQuery, PutMemberBody } from '@usher/contract/management'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import type { KeyRequest } from '../request.js'
import { memberBody } from '../tenants/members.js'
import { idsOf, listTenantMembers, putMember, removeFromTenant } from './members.js'
import { noteChanges, operationOf, unlessMissing } from './operation.js'

interface MemberRequest<Body = unknown> extends KeyRequest<Body> {
  params: DatabasePath & { tenantId: string; userId: string }
}

/** Returns a page of the users of a tenant, ordered by id. */
export async function listManagedMembers(
  { store }: AppContext,
  request: KeyRequest & { params: Omit<MemberRequest['params'], 'userId'>; query: ListMembersQuery },
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
  request: MemberRequest<PutMemberBody | undefined>,
) {
  const { database, params, body } = request
  const member = { ...memberOf(params), role: body?.role }
  const { change } = await putMember(operationOf(context, request), database, member)
  if (change) noteChanges(context, request, [{ event: change, ...idsOf(params) }])
}

/** Removes a user from a tenant. Also succeeds if the user is not a member. */
export async function removeManagedMember(context: AppContext, request: MemberRequest) {
  const { database, params } = request
  const removal = removeFromTenant(operationOf(context, request), database, memberOf(params))
  const removed = await removal.catch(unlessMissing('tenant_not_found', 'user_not_found', 'member_not_found'))
  if (removed) noteChanges(context, request, [{ event: 'tenant.user_removed', ...idsOf(params) }])
}

const memberOf = ({ tenantId, userId }: MemberRequest['params']) => ({ tenantId, userRef: userId })
