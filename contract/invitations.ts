import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import { NewEmail } from './email.js'
import { accountProblems, bodyProblems, failures, ownProblems } from './failures.js'
import { body, codeBody, id, instant } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { role, shownRole } from './role.js'
import { TenantPath, tenantPath } from './tenant-path.js'
import { changing, inTenant } from './tenants.js'
import { AccessToken } from './users.js'

const c = initContract()

/** Path parameters that identify an invitation. */
export const InvitationPath = TenantPath.extend({ invitationId: id('ID of the invitation.') })

const tenantId = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a02'

const invitationExample = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a05',
  email: 'grace@example.com',
  role: 'member',
  inviterId: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01',
  createdAt: '2026-03-01T12:00:00.000Z',
  expiresAt: '2026-03-08T12:00:00.000Z',
}

/** An invitation that is not accepted yet. */
export const Invitation = component(
  {
    id: 'Invitation',
    description: 'An invitation to a tenant that is not accepted yet.',
    examples: [invitationExample],
  },
  z.object({
    id: field('ID of the invitation. Inviting the address again does not change it.', z.uuid()),
    email: field('The invited address, in Unicode NFC.', z.string(), { examples: ['grace@example.com'] }),
    role: shownRole('Role that the user gets:'),
    inviterId: field('ID of the user who invited last. Null if an operator did.', z.uuid().nullable()),
    createdAt: instant('When the address was invited last'),
    expiresAt: instant('When the invitation expires'),
  }),
)
export type Invitation = z.infer<typeof Invitation>

/** Response of `listInvitations`. */
export const PendingInvitations = component(
  {
    id: 'PendingInvitations',
    description: 'The invitations of a tenant.',
    examples: [{ invitations: [invitationExample] }],
  },
  z.object({ invitations: field('Ordered by id. At most 100.', z.array(Invitation)) }),
)
export type PendingInvitations = z.infer<typeof PendingInvitations>

/** Fields of a request that invites an address. */
export const invitedFields = { email: NewEmail, role: role() }
export const invitedExample = { email: 'grace@example.com', role: 'member' }

/** Body of `inviteMember`. */
export const InviteMemberBody = body(
  { id: 'InviteMemberBody', description: 'The address to invite, and its role.', example: invitedExample },
  invitedFields,
)
export type InviteMemberBody = z.infer<typeof InviteMemberBody>

/** Body of `readInvitation`. */
export const ReadInvitationBody = codeBody('ReadInvitationBody', 'The code in the mail.')
export type ReadInvitationBody = z.infer<typeof ReadInvitationBody>

/** Response of `readInvitation`. */
export const InvitationDetails = component(
  {
    id: 'InvitationDetails',
    description: 'What a page shows to a user who has opened the link of an invitation.',
    examples: [
      {
        tenantName: 'Analytical Engines',
        inviterName: 'Ada',
        role: 'member',
        email: 'grace@example.com',
        expiresAt: '2026-03-08T12:00:00.000Z',
      },
    ],
  },
  z.object({
    tenantName: field('Name of the tenant.', z.string()),
    inviterName: field(
      'Preferred name of the user who invited last. Null if there is none, or if an operator did.',
      z.string().nullable(),
    ),
    role: shownRole('Role that the user gets:'),
    email: field('The invited address, in Unicode NFC.', z.string(), { examples: ['grace@example.com'] }),
    expiresAt: instant('When the invitation expires'),
  }),
)
export type InvitationDetails = z.infer<typeof InvitationDetails>

/** Body of `acceptInvitation`. */
export const AcceptInvitationBody = codeBody('AcceptInvitationBody', 'The code in the mail.')
export type AcceptInvitationBody = z.infer<typeof AcceptInvitationBody>

/** Response of `acceptInvitation`. */
export const AcceptedInvitation = component(
  {
    id: 'AcceptedInvitation',
    description: 'The tenant that the current user has joined.',
    examples: [{ tenantId, role: 'member', joinedAt: '2026-03-01T12:00:00.000Z' }],
  },
  z.object({
    tenantId: field('ID of the tenant.', z.uuid()),
    role: shownRole('Role of the current user:'),
    joinedAt: instant('When the user joined the tenant'),
    token: AccessToken.exactOptional(),
  }),
)
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>

const invitationsPath = `${tenantPath}/invitations` as const

export const invitations = c.router({
  inviteMember: {
    method: 'POST',
    path: invitationsPath,
    pathParams: TenantPath,
    body: InviteMemberBody,
    responses: {
      201: Invitation,
      ...failures(
        'already_member',
        'invitations_full',
        'email_not_verified',
        'too_many_invitations',
        ...changing,
      ),
    },
    summary: 'Invite an address to a tenant',
    description:
      'Sends a mail with a code, whether or not an account has the address. Inviting an address again replaces the code and the role. Needs the role `admin` or `owner`; only owners can invite as `admin` or `owner`. Also needs a verified address, unless the database does not require one. A user can send 20 invitations an hour and 100 a day, and an address gets five a day. A tenant has at most 100 invitations.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
  listInvitations: {
    method: 'GET',
    path: invitationsPath,
    pathParams: TenantPath,
    responses: { 200: PendingInvitations, ...failures('role_insufficient', ...inTenant) },
    summary: 'List the invitations of a tenant',
    description: 'Returns the invitations that can be accepted. Needs the role `admin` or `owner`.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants' },
  },
  revokeInvitation: {
    method: 'DELETE',
    path: `${invitationsPath}/:invitationId`,
    pathParams: InvitationPath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...changing) },
    summary: 'Revoke an invitation',
    description:
      'Its code cannot be used any more. Needs the role `admin` or `owner`; only owners can revoke an invitation as `admin` or `owner`. Also succeeds if there is no such invitation.',
    metadata: { who: { user: 'needed', ofTenant: true }, on: 'tenants', isRepeatable: true },
  },
  readInvitation: {
    method: 'POST',
    path: `${databasePath}/invitations/read`,
    pathParams: DatabasePath,
    body: ReadInvitationBody,
    responses: { 200: InvitationDetails, ...failures('code_invalid', ...bodyProblems, ...accountProblems) },
    summary: 'Read an invitation',
    description:
      'Returns what the mail of an invitation says, for a page that asks the user to sign up or to log in. Changes nothing, and does not reveal whether an account has the address. Needs no token.',
    metadata: { who: 'anyone', on: 'tenants', isRepeatable: true },
  },
  acceptInvitation: {
    method: 'POST',
    path: `${databasePath}/invitations/accept`,
    pathParams: DatabasePath,
    body: AcceptInvitationBody,
    responses: {
      200: AcceptedInvitation,
      ...failures(
        'code_invalid',
        'invitation_for_other_address',
        'email_not_verified',
        'seats_full',
        ...ownProblems,
        ...bodyProblems,
        ...accountProblems,
      ),
    },
    summary: 'Accept an invitation',
    description:
      'Adds the current user to the tenant. The user must have the invited address. The code proves it: if the account has never verified it, its password, sessions, tokens and codes are removed first, because a stranger may have signed up with the address, and the response has a new token. A code can be used once. A refused request does not use it up. Tokens contain the tenant from the next login or refresh on. A user without an account signs up with `invitationCode` instead.',
    metadata: { who: { user: 'needed' }, on: 'tenants', signsIn: 'renewal' },
  },
} satisfies DescribedRoutes)
