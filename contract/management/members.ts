import { initContract } from '@ts-rest/core'
import type { z } from 'zod'
import { failures } from '../failures.js'
import type { DescribedRoutes } from '../metadata.js'
import { field } from '../registry.js'
import { role } from '../role.js'
import { MemberPath, TenantPath } from '../tenant-path.js'
import { MemberList } from '../tenants.js'
import { body, keyProblems, managementPath, NoQuery, PageQuery, writeProblems } from './fields.js'

const c = initContract()

/** Body of `putMember`, which may be missing. */
export const PutMemberBody = body(
  { id: 'PutMemberBody', description: 'The role of the member.', example: { role: 'admin' } },
  {
    role: field(
      '`owner`, `admin`, `member` or a role of the database. Without it, a new member is a `member`, and the role of an existing one does not change.',
      role().optional(),
      { examples: ['admin'] },
    ),
  },
)
export type PutMemberBody = z.infer<typeof PutMemberBody>

export const members = c.router({
  listMembers: {
    method: 'GET',
    path: `${managementPath}/tenants/:tenantId/members`,
    pathParams: TenantPath,
    query: PageQuery,
    responses: { 200: MemberList, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'List the users of a tenant',
    description: 'Returns the users of a tenant ordered by id.',
    metadata: { who: { key: 'tenants:read', operator: 'member', in: 'workspace' } },
  },
  putMember: {
    method: 'PUT',
    path: `${managementPath}/tenants/:tenantId/members/:userId`,
    pathParams: MemberPath,
    query: NoQuery,
    body: PutMemberBody.optional(),
    responses: {
      204: c.noBody(),
      ...failures('tenant_not_found', 'user_not_found', ...writeProblems),
    },
    summary: 'Add a user to a tenant, or change the role of a member',
    description:
      'Tokens contain the tenant and the role from the next login or refresh on. A tenant may be left without an owner.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'gave the user a role in a tenant' },
      isRepeatable: true,
    },
  },
  removeMember: {
    method: 'DELETE',
    path: `${managementPath}/tenants/:tenantId/members/:userId`,
    pathParams: MemberPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...keyProblems) },
    summary: 'Remove a user from a tenant',
    description:
      'Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire, and backends that follow revocations ignore it.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'removed the user from a tenant' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
