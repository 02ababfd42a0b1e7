import type { Invitation, InviteMemberBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { findInvitee, type ListedInvitation, storeInvitation } from '../../store/queries/invitations.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type Outcome, runWithinLimits } from '../change.js'
import type { AppContext } from '../context.js'
import { nameOfDatabase } from '../database-name.js'
import { type RuleDatabase, requireAppUrl } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { lockTenant, requireMembership, type TenantRequest } from '../tenants/locked-tenant.js'
import { requireKnownRole, requireRank, requireRankOver, requireStoredRole } from '../tenants/roles.js'
import type { CountRequest } from '../throttle/request-allowance.js'

/** Maximum number of pending invitations of a tenant. */
export const pendingInTenant = 100

/**
 * Invites an address to a tenant. The same happens whether or not an account has the address.
 *
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `validation_failed` if the database has no such role;
 * `email_not_verified`; `too_many_invitations`; `already_member`; `invitations_full`
 */
export async function inviteMember(
  context: AppContext,
  request: TenantRequest<InviteMemberBody>,
): Promise<Invitation> {
  const { database, user, body, caller } = request
  // Checked again when the tenant is locked. Here it saves a transaction for most rejected requests.
  const { id: tenantId, role } = requireMembership(request)
  requireRank(role, 'admin')
  requireKnownRole(database, body.role)
  requireRankOver(role, [body.role])
  requireVerifiedInviter(request)
  const mail = {
    purpose: 'invitation',
    canonicalEmail: requireCanonicalEmail(body.email),
    clientAddress: caller.clientAddress,
    inviterId: user.id,
  }
  const invited = await runWithinLimits(context, request, {
    limited: mail,
    rule: (change, countRequest) => invite(change, { ...body, tenantId }, countRequest),
  })
  if ('limit' in invited)
    throw new Problem('too_many_invitations', { retryAfterSeconds: invited.retryAfterSeconds })
  return invitationBody(invited)
}

/**
 * An account is free, and its invitations carry words of its user to any address. A database without app URL sends none.
 *
 * @throws {Problem} `email_not_verified`
 */
function requireVerifiedInviter({ database, user }: TenantRequest) {
  if (database.requireVerifiedInviter && database.appUrl !== null && !user.emailVerifiedAt)
    throw new Problem('email_not_verified')
}

/**
 * Stores an invitation and the message that sends it. Operators and backends invite in any role and without limits of mails.
 *
 * @param countRequest counts the mail against its limits. Throws if one is reached
 * @throws {Problem} `tenant_not_found`; `validation_failed` if the database has no such role; `role_insufficient`, also if it would
 * replace one with a role that the actor may not give; `already_member`; `invitations_full`
 */
export async function invite(
  change: Change,
  { tenantId, email, role }: { tenantId: string; email: string; role: string },
  countRequest?: CountRequest,
): Promise<Outcome<ListedInvitation>> {
  const { database, actor, now } = change
  const databaseId = database.id
  if (actor.kind !== 'user') requireInvitations(database)
  const { actorRole } = await lockTenant(change, { tenantId })
  await requireStoredRole(change, databaseId, role)
  requireRankOver(actorRole, [role])
  const canonicalEmail = requireCanonicalEmail(email)
  const key = { databaseId, tenantId, canonicalEmail }
  const { isMember, pendingRole, pending } = await findInvitee(change, key, now)
  if (isMember)
    throw new Problem('already_member', {
      detail: `${email} is already the address of a member of tenant ${tenantId}.`,
    })
  if (pendingRole !== null) requireRankOver(actorRole, [pendingRole])
  else if (pending >= pendingInTenant)
    throw new Problem('invitations_full', {
      detail: `Tenant ${tenantId} already has the maximum of ${pendingInTenant} pending invitations.`,
    })
  const inviterId = actor.kind === 'user' ? actor.user.id : null
  const expiresAt = new Date(now.getTime() + database.invitationLifetimeSeconds * 1000)
  const listed = { id: uuidv7(), email, role, inviterId, createdAt: now, expiresAt }
  const codeId = uuidv7()
  const id = await storeInvitation(change, { ...listed, ...key, codeId })
  await countRequest?.(change)
  const mail = {
    databaseId,
    id: codeId,
    kind: 'mail',
    userId: null,
    payload: { type: 'invitation', expiresAt: expiresAt.toISOString() },
    createdAt: now,
    dueAt: now,
  }
  return {
    result: { ...listed, id },
    facts: [{ type: 'invitation.created', tenantId, invitationId: id, role }],
    mails: [mail],
  }
}

/** @throws {Problem} if the database sends no invitations, or users cannot accept them */
function requireInvitations(database: RuleDatabase) {
  if (!database.tenantOperations)
    throw new Problem('tenant_operations_off', {
      detail: 'Tenant operations are off.',
      about: nameOfDatabase(database),
    })
  requireAppUrl(database)
}

/** Returns the body of an invitation. */
export const invitationBody = ({
  id,
  email,
  role,
  inviterId,
  createdAt,
  expiresAt,
}: ListedInvitation): Invitation => ({
  id,
  email,
  role,
  inviterId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})
