import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { instant, metadata, name } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import {
  body,
  bodyProblems,
  externalId,
  externalIdFilter,
  IdempotencyHeaders,
  IfMatchHeaders,
  keyProblems,
  MemberPath,
  managementPath,
  NoQuery,
  next,
  page,
  postProblems,
  productFields,
  strict,
  TenantPath,
} from './fields.js'

const c = initContract()

const nameExample = 'Analytical Engines'

const listed = {
  id: field('ID of the tenant.', z.uuid()),
  name: field('Name of the tenant. Names are not unique.', z.string(), { examples: [nameExample] }),
  externalId: externalId(),
  createdAt: instant('When the tenant was created'),
}

/** A tenant of a list. */
export const ListedTenant = component(
  { id: 'ListedTenant', description: 'A tenant of a list.' },
  z.object(listed),
)
export type ListedTenant = z.infer<typeof ListedTenant>

/** A tenant as a backend sees it. */
export const ManagedTenant = component(
  { id: 'ManagedTenant', description: 'A tenant: a customer of the product.' },
  z.object({
    ...listed,
    metadata: metadata('An object of the product that members see, or null.'),
    privateMetadata: metadata('An object of the product that only the management API shows, or null.'),
  }),
)
export type ManagedTenant = z.infer<typeof ManagedTenant>

/** Response of `listTenants`. */
export const TenantList = component(
  { id: 'TenantList', description: 'A page of tenants.' },
  z.object({ tenants: field('Ordered by id.', z.array(ListedTenant)), next: next() }),
)
export type TenantList = z.infer<typeof TenantList>

/** A user of a tenant. */
export const Member = component(
  { id: 'Member', description: 'A user of a tenant.' },
  z.object({
    id: field('ID of the user.', z.uuid()),
    email: field('Email address, in Unicode NFC.', z.string(), { examples: ['ada@example.com'] }),
    preferredName: field('Display name, or null.', z.string().nullable(), { examples: ['Ada'] }),
    joinedAt: instant('When the user joined the tenant'),
  }),
)
export type Member = z.infer<typeof Member>

/** Response of `listMembers`. */
export const MemberList = component(
  { id: 'MemberList', description: 'A page of the users of a tenant.' },
  z.object({ members: field('Ordered by id of the user.', z.array(Member)), next: next() }),
)
export type MemberList = z.infer<typeof MemberList>

const tenantName = () => field('Name of the tenant. Need not be unique.', name(), { examples: [nameExample] })

/** Body of `addTenant`. */
export const AddTenantBody = body(
  { id: 'AddTenantBody', description: 'The tenant to create.', example: { name: nameExample } },
  { name: tenantName(), ...productFields() },
)
export type AddTenantBody = z.infer<typeof AddTenantBody>

/** Body of `changeTenant`. */
export const ChangeTenantBody = body(
  {
    id: 'ChangeTenantBody',
    description: 'The fields to change. An absent field does not change.',
    example: { name: nameExample },
  },
  { name: tenantName().optional(), ...productFields() },
)
export type ChangeTenantBody = z.infer<typeof ChangeTenantBody>

/** Body of `putMember`. It has no fields yet. */
export const PutMemberBody = body({ id: 'PutMemberBody', description: 'An empty object.', example: {} }, {})

/** Query of `listTenants`. */
export const ListTenantsQuery = strict({ ...page, externalId: externalIdFilter() })
export type ListTenantsQuery = z.infer<typeof ListTenantsQuery>

/** Query of `listMembers`. */
export const ListMembersQuery = strict(page)
export type ListMembersQuery = z.infer<typeof ListMembersQuery>

const changeable = Object.keys(ChangeTenantBody.shape)

export const tenants = c.router({
  listTenants: {
    method: 'GET',
    path: `${managementPath}/tenants`,
    pathParams: DatabasePath,
    query: ListTenantsQuery,
    responses: { 200: TenantList, ...failures(...keyProblems) },
    summary: 'List tenants',
    description: 'Returns tenants ordered by id, which is the order of creation.',
    metadata: { scope: 'tenants:read' },
  },
  getTenant: {
    method: 'GET',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: NoQuery,
    responses: { 200: ManagedTenant, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'Get a tenant',
    description: 'Returns a tenant as currently stored.',
    metadata: { scope: 'tenants:read', changeable },
  },
  addTenant: {
    method: 'POST',
    path: `${managementPath}/tenants`,
    pathParams: DatabasePath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: AddTenantBody,
    responses: { 201: ManagedTenant, ...failures('external_id_taken', ...postProblems) },
    summary: 'Create a tenant',
    description: 'Creates a tenant without users.',
    metadata: { scope: 'tenants:write', changeable },
  },
  changeTenant: {
    method: 'PATCH',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IfMatchHeaders,
    body: ChangeTenantBody,
    responses: {
      200: ManagedTenant,
      ...failures('tenant_not_found', 'precondition_failed', 'external_id_taken', ...bodyProblems),
    },
    summary: 'Change a tenant',
    description:
      'Changes the fields that are in the body, and returns the tenant. With `If-Match`, only if the tenant has not changed since it was read.',
    metadata: { scope: 'tenants:write', changeable, isRepeatable: true },
  },
  removeTenant: {
    method: 'DELETE',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...keyProblems) },
    summary: 'Delete a tenant',
    description:
      'Deletes a tenant permanently. Its users remain. Also succeeds if there is no such tenant. The members of a large tenant are removed in several steps: repeat the request if it was interrupted.',
    metadata: { scope: 'tenants:write', isRepeatable: true },
  },
  listMembers: {
    method: 'GET',
    path: `${managementPath}/tenants/:tenantId/members`,
    pathParams: TenantPath,
    query: ListMembersQuery,
    responses: { 200: MemberList, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'List the users of a tenant',
    description: 'Returns the users of a tenant ordered by id, which is the order of sign-up.',
    metadata: { scope: 'tenants:read' },
  },
  putMember: {
    method: 'PUT',
    path: `${managementPath}/tenants/:tenantId/members/:userId`,
    pathParams: MemberPath,
    query: NoQuery,
    body: PutMemberBody.optional(),
    responses: {
      204: c.noBody(),
      ...failures('tenant_not_found', 'user_not_found', ...bodyProblems),
    },
    summary: 'Add a user to a tenant',
    description: 'Also succeeds for a member. Tokens contain the tenant from the next login on.',
    metadata: { scope: 'tenants:write', isRepeatable: true },
  },
  removeMember: {
    method: 'DELETE',
    path: `${managementPath}/tenants/:tenantId/members/:userId`,
    pathParams: MemberPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...keyProblems) },
    summary: 'Remove a user from a tenant',
    description:
      'Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire.',
    metadata: { scope: 'tenants:write', isRepeatable: true },
  },
} satisfies DescribedRoutes)
