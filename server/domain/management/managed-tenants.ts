import type { Invitation, InviteMemberBody, MemberList } from '@usher/contract'
import {
  type AddTenantBody,
  ChangeTenantBody,
  type IdempotencyHeaders,
  type InvitationList,
  type ListTenantsQuery,
  type ManagedTenant,
  type PageQuery,
  type PutMemberBody,
  type TenantList,
} from '@usher/contract/management'
import { validate as isUuid } from 'uuid'
import type { z } from 'zod'
import { listInvitationRows } from '../../store/queries/invitations.js'
import { listMemberRows } from '../../store/queries/listed-members.js'
import { countMembers, listTenantRows, listTenantsByName } from '../../store/queries/management/tenants.js'
import type { Store } from '../../store/store.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { invitationBody, invite } from '../invitations/invite.js'
import { revoke } from '../invitations/pending.js'
import { changeOncePerKey } from '../once-per-key.js'
import { readNamedPage, readPage, requireCursor, requireOneFilter } from '../page.js'
import { unless } from '../problem.js'
import type { KeyRequest } from '../request.js'
import { listedTenant, managedTenant, memberBody } from '../tenants/bodies.js'
import * as members from '../tenants/members.js'
import * as tenants from '../tenants/tenants.js'
import { etagOf, requireMatch } from './etag.js'

type OfTenant<Body = unknown> = KeyRequest<Body> & { params: { tenantId: string } }
type OfMember<Body = unknown> = KeyRequest<Body> & { params: { tenantId: string; userId: string } }
type Counting = { query: { users?: 'true' | undefined } }
type Repeatable = { params: object; headers: IdempotencyHeaders }

/** Returns a page of tenants, ordered by id, or by name if the filter is `namePrefix`. */
export async function listTenants(
  { store }: AppContext,
  { database, query }: KeyRequest & { query: ListTenantsQuery },
): Promise<TenantList> {
  const { externalId, namePrefix, after } = query
  requireOneFilter({ externalId, namePrefix })
  const databaseId = database.id
  if (namePrefix === undefined) requireCursor(after === undefined || isUuid(after))
  const { rows, next } =
    namePrefix === undefined
      ? await readPage(query, (page) => listTenantRows(store, { databaseId, externalId }, page))
      : await readNamedPage(query, (page) =>
          listTenantsByName(store, { databaseId, prefix: namePrefix }, page),
        )
  const users = await countUsers(store, rows, query)
  return { tenants: rows.map((row) => ({ ...listedTenant(row), ...users(row) })), next }
}

/** Returns a tenant as currently stored. */
export async function getTenant(
  { store }: AppContext,
  { database, params, query }: OfTenant & Counting,
): Promise<ManagedTenant> {
  const tenant = await tenants.requireTenant(store, database, params.tenantId)
  const users = await countUsers(store, [tenant], query)
  return { ...managedTenant(tenant), ...users(tenant) }
}

/** Returns a function that returns the number of users of a tenant, if the request asks for it. */
async function countUsers(
  store: Store,
  rows: readonly { databaseId: string; id: string }[],
  { users: isWanted }: Counting['query'],
) {
  const [first] = rows
  const ids = rows.map(({ id }) => id)
  const counts = isWanted && first ? await countMembers(store, first.databaseId, ids) : undefined
  return ({ id }: { id: string }) => counts && { users: counts.get(id) ?? 0 }
}

/** Creates a tenant without users: see {@link tenants.createTenant}. */
export const addTenant = (
  context: AppContext,
  request: KeyRequest<z.infer<typeof AddTenantBody>> & Repeatable,
): Promise<ManagedTenant> =>
  changeOncePerKey(context, request, {
    operation: 'addTenant',
    prepare: async () => (change) => tenants.createTenant(change, request.body),
    responseOf: managedTenant,
  })

/** Changes fields of a tenant: see {@link tenants.changeTenant}. @throws {Problem} also `precondition_failed` */
export async function changeTenant(
  context: AppContext,
  request: OfTenant<z.infer<typeof ChangeTenantBody>> & { headers: { 'if-match'?: string | undefined } },
): Promise<ManagedTenant> {
  const { params, body, headers } = request
  const wanted = {
    tenantId: params.tenantId,
    changes: body,
    require: (tenant: object) =>
      requireMatch(headers['if-match'], etagOf(tenant, Object.keys(ChangeTenantBody.shape))),
  }
  return managedTenant(await runChange(context, request, (change) => tenants.changeTenant(change, wanted)))
}

/** Deletes a tenant: see {@link tenants.deleteTenant}. Does nothing if there is none. */
export const removeTenant = (context: AppContext, request: OfTenant) =>
  tenants.deleteTenant(context, request, request.params.tenantId).catch(unless('tenant_not_found'))

/** Returns a page of the users of a tenant, ordered by id. */
export async function listMembers(
  { store }: AppContext,
  { database, params, query }: OfTenant & { query: PageQuery },
): Promise<MemberList> {
  const { id: tenantId } = await tenants.requireTenant(store, database, params.tenantId)
  const key = { databaseId: database.id, tenantId }
  const { rows, next } = await readPage(query, (page) => listMemberRows(store, key, page))
  return { members: rows.map(memberBody), next }
}

/** Adds a user to a tenant, or changes the role: see {@link members.putMember}. */
export const putMember = (
  context: AppContext,
  request: OfMember<z.infer<typeof PutMemberBody> | undefined>,
) =>
  runChange(context, request, (change) =>
    members.putMember(change, { ...request.params, role: request.body?.role }),
  )

/** Removes a user from a tenant: see {@link members.removeMember}. Does nothing if there is none. */
export const removeMember = (context: AppContext, request: OfMember) =>
  runChange(context, request, (change) => members.removeMember(change, request.params)).catch(
    unless('tenant_not_found', 'user_not_found', 'member_not_found'),
  )

/** Returns a page of the invitations of a tenant, ordered by id. */
export async function listInvitations(
  { store, now }: AppContext,
  { database, params, query }: OfTenant & { query: PageQuery },
): Promise<InvitationList> {
  const { id: tenantId } = await tenants.requireTenant(store, database, params.tenantId)
  const key = { databaseId: database.id, tenantId, now: new Date(now()) }
  const { rows, next } = await readPage(query, (page) => listInvitationRows(store, key, page))
  return { invitations: rows.map(invitationBody), next }
}

/** Invites an address to a tenant: see {@link invite}. */
export const inviteMember = (
  context: AppContext,
  request: OfTenant<InviteMemberBody> & Repeatable,
): Promise<Invitation> =>
  changeOncePerKey(context, request, {
    operation: 'inviteMember',
    prepare: async () => (change) => invite(change, { ...request.body, tenantId: request.params.tenantId }),
    responseOf: invitationBody,
  })

/** Revokes an invitation: see {@link revoke}. Does nothing if there is none. */
export const revokeInvitation = (
  context: AppContext,
  request: OfTenant & { params: { invitationId: string } },
) =>
  runChange(context, request, (change) => revoke(change, request.params)).catch(
    unless('tenant_not_found', 'invitation_not_found'),
  )
