import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { Invitation, InvitationPath, invitedExample, invitedFields } from '../invitations.js'
import type { DescribedRoutes } from '../metadata.js'
import { next } from '../page.js'
import { component, field } from '../registry.js'
import { TenantPath } from '../tenant-path.js'
import {
  body,
  IdempotencyHeaders,
  keyProblems,
  managementPath,
  NoQuery,
  PageQuery,
  postProblems,
} from './fields.js'

const c = initContract()

/** Response of `listInvitations`. */
export const InvitationList = component(
  { id: 'InvitationList', description: 'A page of the invitations of a tenant.' },
  z.object({ invitations: field('Ordered by id.', z.array(Invitation)), next: next() }),
)
export type InvitationList = z.infer<typeof InvitationList>

/** Body of `inviteMember`. */
export const InvitationBody = body(
  { id: 'InvitationBody', description: 'The address to invite, and its role.', example: invitedExample },
  invitedFields,
)

const invitationsPath = `${managementPath}/tenants/:tenantId/invitations` as const

export const invitations = c.router({
  listInvitations: {
    method: 'GET',
    path: invitationsPath,
    pathParams: TenantPath,
    query: PageQuery,
    responses: { 200: InvitationList, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'List the invitations of a tenant',
    description: 'Returns the invitations that can be accepted, ordered by id.',
    metadata: { who: { key: 'tenants:read', operator: 'member', in: 'workspace' } },
  },
  inviteMember: {
    method: 'POST',
    path: invitationsPath,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: InvitationBody,
    responses: {
      201: Invitation,
      ...failures(
        'tenant_not_found',
        'already_member',
        'invitations_full',
        'account_operations_off',
        'tenant_operations_off',
        'app_url_missing',
        ...postProblems,
      ),
    },
    summary: 'Invite an address to a tenant',
    description:
      'Sends a mail with a code, for any role and without the limits that apply to users. Inviting an address again replaces the code and the role. A tenant has at most 100 invitations. Tenant operations must be on, and the database must have an app URL.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'invited an address' },
    },
  },
  revokeInvitation: {
    method: 'DELETE',
    path: `${invitationsPath}/:invitationId`,
    pathParams: InvitationPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...keyProblems) },
    summary: 'Revoke an invitation',
    description: 'Its code cannot be used any more. Also succeeds if there is no such invitation.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'revoked an invitation' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
