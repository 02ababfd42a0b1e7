import type {
  AcceptedInvitation,
  AcceptInvitationBody,
  InvitationDetails,
  ReadInvitationBody,
} from '@usher/contract'
import { type FoundInvitation, findPending, type PendingInvitation } from '../../store/queries/acceptances.js'
import { deleteInvitation, findInvitationMail } from '../../store/queries/invitations.js'
import { insertMember } from '../../store/queries/member-changes.js'
import { lockUsersAndTenant } from '../../store/queries/members.js'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Queries } from '../../store/store.js'
import { type Change, type Outcome, requireLocked, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { loginMailOf, type RuleDatabase } from '../databases/find-database.js'
import type { Event } from '../events/events.js'
import { Problem } from '../problem.js'
import { reclaim } from '../reclaim.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { isRankOver, unknownRoles } from '../tenants/roles.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { requireInvitation } from './code.js'

/** An invitation that a user accepts. */
export interface Acceptance {
  database: RuleDatabase
  invitation: FoundInvitation
  userId: string
  now: Date
}

/**
 * Adds the user of a token to the tenant of an invitation. The code has proven that somebody receives mail at the address, so an
 * account that has never verified it is given to that person first.
 *
 * @returns also whether the account was given to another person, which revokes its tokens
 * @throws {Problem} in this order: `code_invalid`, also if the inviter may no longer give the role or the address has
 * joined the tenant; `invitation_for_other_address`; `email_not_verified` if users without a password could not log in;
 * `seats_full`
 */
async function acceptByUser(
  change: Change,
  { invitation, userId }: Pick<Acceptance, 'invitation' | 'userId'>,
): Promise<Outcome<AcceptedInvitation & { isReclaimed: boolean }>> {
  const { database, now } = change
  const acceptance = { database, invitation, userId, now }
  const pending = await lockPending(change, acceptance)
  const { canonicalEmail, emailVerifiedAt } = await requireLocked(change, userId)
  if (canonicalEmail !== invitation.canonicalEmail) throw new Problem('invitation_for_other_address')
  const isReclaimed = emailVerifiedAt === null
  if (isReclaimed && !canReturn(database)) throw new Problem('email_not_verified')
  requireSeat(pending)
  const reclaimed = isReclaimed ? await reclaim(change, userId) : []
  await join(change, acceptance, pending)
  const joined = { tenantId: invitation.tenantId, role: pending.role, joinedAt: now.toISOString() }
  return { result: { ...joined, isReclaimed }, facts: [...reclaimed, ...joinEvents(acceptance)] }
}

/** Returns whether users without a password can log in: by a password reset, or by mail. */
export const canReturn = (database: RuleDatabase) =>
  (database.accountOperations && database.appUrl !== null) || loginMailOf(database) !== 'off'

/**
 * Locks a user and the tenant of an invitation, and then reads the invitation.
 *
 * @throws {Problem} `code_invalid` if it can no longer be accepted
 */
async function lockPending(transaction: Queries, acceptance: Acceptance) {
  const { database, invitation, userId, now } = acceptance
  const tenant = { databaseId: database.id, tenantId: invitation.tenantId }
  await lockUsersAndTenant(transaction, tenant, [userId])
  const pending = await findPending(transaction, { databaseId: database.id, codeId: invitation.codeId }, now)
  return requireValid(database, pending)
}

/** @throws {Problem} `code_invalid` if an invitation cannot be accepted */
function requireValid(database: RuleDatabase, pending: PendingInvitation | undefined) {
  if (!pending || isVoid(database, pending)) throw new Problem('code_invalid')
  return pending
}

/** @throws {Problem} `code_invalid` if an invitation cannot be accepted; `seats_full` */
export const requireJoinable = (database: RuleDatabase, pending: PendingInvitation | undefined) =>
  requireSeat(requireValid(database, pending))

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
  const { database, invitation, now } = acceptance
  const key = { databaseId: database.id, codeId: invitation.codeId }
  // So that an invalid code is reported before a taken address.
  requireJoinable(database, await findPending(transaction, key, now))
  // Before the tenant is locked, as users are added who have tenants: the address may be that of one of them.
  await insert(transaction)
  await joinByInvitation(transaction, acceptance)
}

/** Adds a user to the tenant of an invitation. The code has proven the address. @throws {Problem} `code_invalid`; `seats_full` */
export async function joinByInvitation(transaction: Queries, acceptance: Acceptance) {
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

/** Returns what an invitation says. @throws {Problem} `code_invalid` if it cannot be accepted, whoever has the code */
export async function readInvitation(
  context: AppContext,
  { database, body }: DatabaseRequest<ReadInvitationBody>,
): Promise<InvitationDetails> {
  const { codeId } = await requireInvitation(context, database, body.code)
  const key = { databaseId: database.id, codeId }
  const { role } = requireValid(database, await findPending(context.store, key, new Date(context.now())))
  const mail = await findInvitationMail(context.store, key)
  if (!mail) throw new Problem('code_invalid')
  const { tenantName, inviterName, email, expiresAt } = mail
  return { tenantName, inviterName, role, email, expiresAt: expiresAt.toISOString() }
}

/**
 * Adds the user of a token to the tenant of an invitation: see {@link acceptByUser}. If this has revoked the token, returns a new
 * one.
 */
export async function acceptInvitation(
  context: AppContext,
  request: UserRequest<AcceptInvitationBody>,
): Promise<AcceptedInvitation> {
  const { database, user, body } = request
  const invitation = await requireInvitation(context, database, body.code)
  const { isReclaimed, renewed, at, ...joined } = await runChange(context, request, async (change) => {
    const { result, facts } = await acceptByUser(change, { invitation, userId: user.id })
    const key = { databaseId: database.id, id: user.id }
    const renewed = result.isReclaimed ? await findUserOfToken(change, key) : undefined
    return { result: { ...result, renewed, at: change.now }, facts }
  })
  if (!isReclaimed) return joined
  const { token } = await completeLogin(context, request, {
    user: { ...(renewed as UserOfToken), disabledAt: null },
    authentication: Authentication.ofToken(user, request.claims.proven),
    readAt: at.getTime(),
  })
  return { ...joined, token }
}
