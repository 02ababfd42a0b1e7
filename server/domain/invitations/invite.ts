import type { Invitation, InviteMemberBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { findInvitee, type ListedInvitation, storeInvitation } from '../../store/queries/invitations.js'
import { insertMessages, type NewMessage } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { AppContext } from '../context.js'
import { type Event, eventMessages } from '../events/events.js'
import { Problem } from '../problem.js'
import { requireKnownRole, requireRank, requireRankOver, requireStoredRole } from '../tenants/roles.js'
import {
  type LockedTenant,
  noteMemberChanges,
  requireMembership,
  type TenantRequest,
  withLockedTenant,
} from '../tenants/tenant-change.js'
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
  const now = new Date(context.now())
  const { invitationLifetimeSeconds: lifetimeSeconds } = database
  const mail = {
    purpose: 'invitation',
    canonicalEmail: requireCanonicalEmail(body.email),
    clientAddress: caller.clientAddress,
    inviterId: user.id,
  }
  const invited = await context.requestAllowance.count(database, mail, (countRequest) => {
    const work = async ({ transaction, actorRole }: LockedTenant) => {
      await requireStoredRole(transaction, database.id, body.role)
      return invite(
        transaction,
        { ...body, databaseId: database.id, tenantId, inviterId: user.id, now, lifetimeSeconds },
        { actorRole, countRequest, messagesOf: (events) => eventMessages(database, now, events) },
      )
    }
    return withLockedTenant(context, request, { work })
  })
  if ('limit' in invited) {
    const { limit, retryAfterSeconds } = invited
    audit(caller.log, 'mail.throttled', { databaseId: database.id, limit })
    throw new Problem('too_many_invitations', { retryAfterSeconds })
  }
  context.deliver([{ databaseId: database.id, kind: 'mail' }])
  const created = {
    event: 'invitation.created',
    tenantId,
    invitationId: invited.id,
    role: body.role,
  } as const
  noteMemberChanges(context, request, [created])
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

/** An invitation of an address that a member or an operator wants to send. */
export interface NewInvitation {
  databaseId: string
  tenantId: string
  email: string
  role: string
  /** Null: an operator invites. */
  inviterId: string | null
  now: Date
  lifetimeSeconds: number
}

/** The member or operator who invites. */
export interface Inviting {
  /** Role in the tenant. */
  actorRole: string
  /** Counts the mail against its limits. Throws if one is reached. */
  countRequest?: CountRequest
  messagesOf: (events: readonly Event[]) => readonly NewMessage[]
}

/**
 * Stores an invitation and the message that sends it, in a transaction that has locked the tenant.
 *
 * @throws {Problem} `role_insufficient`, also if it would replace one with a role that the actor may not give;
 * `already_member`; `invitations_full`
 */
export async function invite(
  transaction: Pick<Store, 'query'>,
  { databaseId, tenantId, email, role, inviterId, now, lifetimeSeconds }: NewInvitation,
  { actorRole, countRequest, messagesOf }: Inviting,
): Promise<ListedInvitation> {
  requireRankOver(actorRole, [role])
  const canonicalEmail = requireCanonicalEmail(email)
  const key = { databaseId, tenantId, canonicalEmail }
  const { isMember, pendingRole, pending } = await findInvitee(transaction, key, now)
  if (isMember) throw new Problem('already_member')
  if (pendingRole !== null) requireRankOver(actorRole, [pendingRole])
  else if (pending >= pendingInTenant) throw new Problem('invitations_full')
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000)
  const listed = { id: uuidv7(), email, role, inviterId, createdAt: now, expiresAt }
  const codeId = uuidv7()
  const id = await storeInvitation(transaction, { ...listed, ...key, codeId })
  await countRequest?.(transaction)
  const mail = {
    databaseId,
    id: codeId,
    kind: 'mail',
    userId: null,
    payload: { type: 'invitation', expiresAt: expiresAt.toISOString() },
    createdAt: now,
    dueAt: now,
  }
  const events = messagesOf([{ type: 'invitation.created', tenantId, invitationId: id }])
  await insertMessages(transaction, [mail, ...events])
  return { ...listed, id }
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
