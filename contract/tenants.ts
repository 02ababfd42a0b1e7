import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import {
  accountProblems,
  bodyProblems,
  failures,
  ownProblems,
  tokenProblems,
  withoutBodyProblems,
} from './failures.js'
import { failsWith } from './field-errors.js'
import { body, instant, metadata, name, shownTenant, shownUser } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { normalized } from './normalized.js'
import { next, page } from './page.js'
import { component, field } from './registry.js'
import { role, shownRole } from './role.js'
import { MemberPath, memberPath, TenantPath, tenantPath } from './tenant-path.js'

const c = initContract()

const nameExample = 'Analytical Engines'

/** A tenant as its members see it. */
export const Tenant = component(
  {
    id: 'Tenant',
    description: 'A tenant as its members see it.',
    examples: [
      {
        id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a02',
        name: nameExample,
        role: 'owner',
        seats: null,
        metadata: null,
        createdAt: '2026-03-01T12:00:00.000Z',
      },
    ],
  },
  z.object({
    ...shownTenant,
    role: shownRole('Role of the current user:'),
    seats: field('Maximum number of members, or null if there is none.', z.int().nullable(), {
      format: 'int32',
    }),
    metadata: metadata('What the product keeps about the tenant and shows to its members, or null.'),
    createdAt: instant('When the tenant was created'),
  }),
)
export type Tenant = z.infer<typeof Tenant>

const memberExample = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01',
  email: 'ada@example.com',
  preferredName: 'Ada',
  role: 'member',
  joinedAt: '2026-03-01T12:00:00.000Z',
}

/** A user of a tenant. */
export const Member = component(
  { id: 'Member', description: 'A user of a tenant.', examples: [memberExample] },
  z.object({
    ...shownUser,
    role: shownRole('Role in the tenant:'),
    joinedAt: instant('When the user joined the tenant'),
  }),
)
export type Member = z.infer<typeof Member>

/** Response of `listMembers`. */
export const MemberList = component(
  {
    id: 'MemberList',
    description: 'A page of the users of a tenant.',
    examples: [{ members: [memberExample], next: null }],
  },
  z.object({ members: field('Ordered by id of the user.', z.array(Member)), next: next() }),
)
export type MemberList = z.infer<typeof MemberList>

/** Returns the schema of the name of a tenant in a request. */
export const tenantName = () =>
  field('Name of the tenant. Need not be unique.', name(), { examples: [nameExample] })

/** Body of `createTenant`. */
export const CreateTenantBody = body(
  { id: 'CreateTenantBody', description: 'The tenant to create.', example: { name: nameExample } },
  { name: tenantName() },
)

/** Body of `updateTenant`. */
export const UpdateTenantBody = body(
  {
    id: 'UpdateTenantBody',
    description: 'The fields to change. An absent field does not change.',
    example: { name: nameExample },
  },
  { name: tenantName().optional() },
)

/** Body of `changeMember`. */
export const ChangeMemberBody = body(
  { id: 'ChangeMemberBody', description: 'The new role.', example: { role: 'admin' } },
  { role: role() },
)

/** Query of `listMembers`. */
export const ListMembersQuery = z.object({
  ...page,
  search: field(
    'Only members whose address or preferred name contains this text. Letters of ASCII match in upper and lower case. A request reads 2,000 members: a page may have fewer items than `limit`, even none, and still a `next`.',
    z
      .string()
      .max(254, failsWith('too_long', 'must have at most 254 characters'))
      .regex(/^[^\0]+$/, failsWith('invalid_character', 'must be a text'))
      .overwrite((text) => normalized(text, 'NFC', 254))
      .optional(),
    { examples: ['ada'] },
  ),
})
export type ListMembersQuery = z.infer<typeof ListMembersQuery>

/** Problems of every operation of a tenant. */
export const inTenant = [
  'tenant_not_found',
  'validation_failed',
  ...tokenProblems,
  ...accountProblems,
] as const
/** Problems of every operation that changes a tenant. */
export const changing = ['role_insufficient', ...withoutBodyProblems, ...inTenant] as const

export const tenants = c.router({
  createTenant: {
    method: 'POST',
    path: `${databasePath}/tenants`,
    pathParams: DatabasePath,
    body: CreateTenantBody,
    responses: {
      201: Tenant,
      ...failures('tenants_full', ...ownProblems, ...bodyProblems, ...accountProblems),
    },
    summary: 'Create a tenant',
    description:
      'Creates a tenant with the current user as its owner. A user can have created at most 100 tenants that exist. Tokens contain the tenant from the next login or refresh on.',
    metadata: { who: { user: 'needed' }, on: 'tenants', links: ['getTenant', 'listMembers'] },
  },
  getTenant: {
    method: 'GET',
    path: tenantPath,
    pathParams: TenantPath,
    responses: { 200: Tenant, ...failures(...inTenant) },
    summary: 'Get a tenant',
    description: 'Returns a tenant of the current user as currently stored.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
  updateTenant: {
    method: 'PATCH',
    path: tenantPath,
    pathParams: TenantPath,
    body: UpdateTenantBody,
    responses: { 200: Tenant, ...failures(...changing) },
    summary: 'Rename a tenant',
    description: 'Needs the role `admin` or `owner`.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants', isRepeatable: true },
  },
  deleteTenant: {
    method: 'DELETE',
    path: tenantPath,
    pathParams: TenantPath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('too_many_changes', ...changing) },
    summary: 'Delete a tenant',
    description:
      'Deletes a tenant permanently. Its users remain. Needs the role `owner`. The members of a large tenant are removed in several steps, the current user last: repeat the request if it was interrupted.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
  listMembers: {
    method: 'GET',
    path: `${tenantPath}/members`,
    pathParams: TenantPath,
    query: ListMembersQuery,
    responses: { 200: MemberList, ...failures(...inTenant) },
    summary: 'List the members of a tenant',
    description: 'Returns the users of a tenant ordered by id, all or those that a text finds.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
  changeMember: {
    method: 'PATCH',
    path: memberPath,
    pathParams: MemberPath,
    body: ChangeMemberBody,
    responses: {
      200: Member,
      ...failures('member_not_found', 'last_owner', 'too_many_changes', ...changing),
    },
    summary: 'Change the role of a member',
    description:
      'Admins and owners can change roles below `admin`. Only owners can give and take `admin` and `owner`. Tokens contain the new role from the next login or refresh on.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants', isRepeatable: true },
  },
  removeMember: {
    method: 'DELETE',
    path: memberPath,
    pathParams: MemberPath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('last_owner', 'too_many_changes', ...changing) },
    summary: 'Remove a member from a tenant, or leave it',
    description:
      'With the ID of the current user: leaves the tenant. The last member who leaves deletes it. Admins and owners can remove members with a role below `admin`, and owners all others. Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire, and backends that follow revocations ignore it.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
} satisfies DescribedRoutes)
