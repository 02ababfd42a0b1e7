import type { AcceptedInvitation, AcceptInvitationBody } from '@usher/contract'
import { findUserOfToken, type UserOfToken } from '../../store/queries/users-of-tokens.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { acceptByUser } from '../invitations/accept.js'
import { requireInvitation } from '../invitations/code.js'
import type { UserRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'

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
