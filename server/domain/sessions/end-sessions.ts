import type { RefreshTokenBody, SessionPath } from '@usher/contract'
import { revokeIfUnchanged } from '../../store/queries/revocations.js'
import { endSession as end, endSessionOf } from '../../store/queries/sessions.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { readRefreshToken } from './refresh-token.js'

/** Ends the session of a refresh token. An unknown token changes nothing. */
export async function endSession(
  context: AppContext,
  { database, body, caller }: DatabaseRequest<RefreshTokenBody>,
) {
  const token = await readRefreshToken(context, database, body.refreshToken)
  if (!token) return
  const { sessionId } = token
  const ended = await end(context.store, { databaseId: database.id, id: sessionId }, new Date(context.now()))
  if (ended) audit(caller.log, 'session.ended', { databaseId: database.id, sessionId, ...ended })
}

/** Ends a session of the user of a token. Does nothing if the session has ended or belongs to another user. */
export async function endSessionById(
  context: AppContext,
  { database, user, params: { sessionId }, caller }: UserRequest & { params: SessionPath },
) {
  const session = { databaseId: database.id, userId: user.id, id: sessionId }
  const isEnded = await endSessionOf(context.store, session, new Date(context.now()))
  if (isEnded) audit(caller.log, 'session.ended', { databaseId: database.id, userId: user.id, sessionId })
}

/**
 * Ends all sessions of a user, and revokes all tokens.
 *
 * @throws {Problem} `token_invalid` also if another request has revoked them meanwhile
 */
export async function endAllSessions(context: AppContext, { database, user, caller }: UserRequest) {
  const read = { ...user, databaseId: database.id }
  const revoked = await revokeIfUnchanged(context.store, read, { now: new Date(context.now()) })
  if (!revoked) throw new Problem('token_invalid')
  audit(caller.log, 'user.tokens_revoked', { databaseId: database.id, userId: user.id })
}
