import type {
  ChangeMemberBody,
  CreateTenantBody,
  ListMembersQuery,
  Member,
  MemberList,
  Tenant,
  UpdateTenantBody,
} from '@usher/contract'
import type { z } from 'zod'
import { lastSearched, listMemberRows, searchMemberRows } from '../../store/queries/listed-members.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { unless } from '../problem.js'
import type { UserRequest } from '../request.js'
import { memberBody, tenantBody } from './bodies.js'
import { requireMembership, type TenantRequest } from './locked-tenant.js'
import * as members from './members.js'
import * as tenants from './tenants.js'

// What users do with their tenants.

type OfMember<Body = unknown> = TenantRequest<Body> & { params: members.MemberPath }

/** Creates a tenant, of which the user becomes the owner: see {@link tenants.createTenant}. */
export async function createTenant(
  context: AppContext,
  request: UserRequest<z.infer<typeof CreateTenantBody>>,
): Promise<Tenant> {
  const { body } = request
  return tenantBody(
    await runChange(context, request, (change) => tenants.createTenant(change, body)),
    'owner',
  )
}

/** Returns a tenant of the user as currently stored. @throws {Problem} `tenant_not_found` */
export async function getTenant({ store }: AppContext, request: TenantRequest): Promise<Tenant> {
  const { id, role } = requireMembership(request)
  return tenantBody(await tenants.requireTenant(store, request.database, id), role)
}

/** Changes fields of a tenant: see {@link tenants.changeTenant}. */
export async function updateTenant(
  context: AppContext,
  request: TenantRequest<z.infer<typeof UpdateTenantBody>>,
): Promise<Tenant> {
  const wanted = { tenantId: request.params.tenantId, changes: request.body }
  const tenant = await runChange(context, request, (change) => tenants.changeTenant(change, wanted))
  return tenantBody(tenant, tenant.role)
}

/** Deletes a tenant: see {@link tenants.deleteTenant}. */
export const deleteTenant = (context: AppContext, request: TenantRequest) =>
  tenants.deleteTenant(context, request, request.params.tenantId)

/** Returns a page of the members of a tenant, ordered by id, all or those that a text finds. @throws {Problem} `tenant_not_found` */
export async function listMembers(
  { store }: AppContext,
  request: TenantRequest & { query: ListMembersQuery },
): Promise<MemberList> {
  const key = { databaseId: request.database.id, tenantId: requireMembership(request).id }
  const { search: text, ...query } = request.query
  if (text === undefined) {
    const { rows, next } = await readPage(query, (page) => listMemberRows(store, key, page))
    return { members: rows.map(memberBody), next }
  }
  const { rows, next } = await readPage(query, (page) => searchMemberRows(store, { ...key, text }, page))
  return {
    members: rows.map(memberBody),
    next: next ?? (await lastSearched(store, key, query.after)) ?? null,
  }
}

/** Changes the role of a member: see {@link members.putMember}. */
export async function changeMember(
  context: AppContext,
  request: OfMember<z.infer<typeof ChangeMemberBody>>,
): Promise<Member> {
  const { tenantId, userId } = request.params
  const wanted = { tenantId, userId, role: request.body.role }
  const { member } = await runChange(context, request, (change) => members.putMember(change, wanted))
  return memberBody(member)
}

/** Removes a member, or the user: see {@link members.removeMember}. Does nothing if there is none. */
export const removeMember = (context: AppContext, request: OfMember) =>
  runChange(context, request, (change) => members.removeMember(change, request.params)).catch(
    unless('member_not_found'),
  )
