import type { AcceptedInvitation, AcceptInvitationBody } from '@usher/contract'
import { type FoundInvitation, findPending, type PendingInvitation } from '../../store/queries/acceptances.js'
import { deleteInvitation } from '../../store/queries/invitations.js'
import { insertMember } from '../../store/queries/member-changes.js'
import { lockUsersAndTenant } from '../../store/queries/members.js'
import type { Queries } from '../../store/store.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import type { Event } from '../events/events.js'
import { requireLocked } from '../locked-user.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { isRankOver, unknownRoles } from '../tenants/roles.js'
import { requireInvitation } from './code.js'

/** An invitation that a user accepts. */
export interface Acceptance {
  database: RuleDatabase
  invitation: FoundInvitation
  userId: string
  now: Date
}

/**
 * Adds the user of a token to the tenant of an invitation.
 *
 * @throws {Problem} in this order: `code_invalid`, also if the inviter may no longer give the role or the address has
 * joined the tenant; `invitation_for_other_address`; `email_not_verified`, because a stranger may have
 * signed up with the address and wait for an invitation; `seats_full`
 */
export async function acceptInvitation(
  context: AppContext,
  request: UserRequest<AcceptInvitationBody>,
): Promise<AcceptedInvitation> {
  const { database, user, body } = request
  const invitation = await requireInvitation(context, database, body.code)
  return runChange(context, request, async (change) => {
    const { now } = change
    const acceptance = { database, invitation, userId: user.id, now }
    const pending = await lockPending(change, acceptance)
    const { canonicalEmail, emailVerifiedAt } = await requireLocked(change, user.id)
    if (canonicalEmail !== invitation.canonicalEmail) throw new Problem('invitation_for_other_address')
    if (!emailVerifiedAt) throw new Problem('email_not_verified')
    requireSeat(pending)
    await join(change, acceptance, pending)
    const joined = { tenantId: invitation.tenantId, role: pending.role, joinedAt: now.toISOString() }
    return { result: joined, facts: joinEvents(acceptance) }
  })
}

/**
 * Locks a user and the tenant of an invitation, and then reads the invitation.
 *
 * @throws {Problem} `code_invalid` if it can no longer be accepted
 */
async function lockPending(transaction: Queries, acceptance: Acceptance) {
  const { database, invitation, userId } = acceptance
  const tenant = { databaseId: database.id, tenantId: invitation.tenantId }
  await lockUsersAndTenant(transaction, tenant, [userId])
  return requirePending(transaction, acceptance)
}

/** Reads an invitation. @throws {Problem} `code_invalid` if it cannot be accepted */
async function requirePending(transaction: Queries, { database, invitation: { codeId }, now }: Acceptance) {
  const pending = await findPending(transaction, { databaseId: database.id, codeId }, now)
  if (!pending || isVoid(database, pending)) throw new Problem('code_invalid')
  return pending
}

/** Returns whether the inviter may no longer give the role of an invitation, or the address has joined the tenant. */
const isVoid = (database: RuleDatabase, { role, inviterRole, hasJoined }: PendingInvitation) =>
  hasJoined ||
  !inviterRole ||
  !isRankOver(inviterRole, role) ||
  unknownRoles(database, [['role', role]]).length > 0

function requireSeat({ isFull }: PendingInvitation) {
  if (isFull) throw new Problem('seats_full')
}

/** Makes a user a member, and deletes the invitation. */
async function join(
  transaction: Queries,
  { database, invitation: { tenantId }, userId, now }: Acceptance,
  { id, role }: { id: string; role: string },
) {
  const key = { databaseId: database.id, tenantId }
  await deleteInvitation(transaction, { ...key, id })
  await insertMember(transaction, { ...key, userId, role, joinedAt: now })
}

/**
 * Adds a user who signs up to the tenant of an invitation.
 *
 * @param insert inserts the user
 * @throws {Problem} `code_invalid`; `seats_full`
 */
export async function acceptWithSignUp(
  transaction: Queries,
  acceptance: Acceptance,
  insert: (transaction: Queries) => Promise<unknown>,
) {
  // So that an invalid code is reported before a taken address.
  requireSeat(await requirePending(transaction, acceptance))
  // Before the tenant is locked, as users are added who have tenants: the address may be that of one of them.
  await insert(transaction)
  const pending = await lockPending(transaction, acceptance)
  requireSeat(pending)
  await join(transaction, acceptance, pending)
}

/** Returns the events of a user who accepts with a sign-up. The code has proven that the user receives mail. */
export const acceptanceEvents = (acceptance: Acceptance): Event[] => [
  { type: 'user.email_verified', userId: acceptance.userId },
  ...joinEvents(acceptance),
]

export const joinEvents = ({ invitation: { id, tenantId }, userId }: Acceptance): Event[] => [
  { type: 'invitation.accepted', tenantId, invitationId: id, userId },
  { type: 'tenant.user_added', tenantId, userId },
]
