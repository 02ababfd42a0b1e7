import type { RefreshTokenBody, SessionList, SessionPath } from '@usher/contract'
import { type EndedSessions, endOpenSession, revokeOthers } from '../../store/queries/session-ends.js'
import { findSessions } from '../../store/queries/sessions.js'
import { type Fact, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { revokeTokens } from '../users/user-changes.js'
import { readRefreshToken } from './session-tokens.js'

/** Ends the session of a refresh token. An unknown token changes nothing. */
export async function endSession(context: AppContext, request: DatabaseRequest<RefreshTokenBody>) {
  const { database, body } = request
  const token = await readRefreshToken(context, database, body.refreshToken)
  if (!token) return
  const session = { databaseId: database.id, id: token.sessionId }
  await runChange(context, request, async (change) =>
    outcomeOf(await endOpenSession(change, session, change.now)),
  )
}

/** Ends a session of the user of a token. Does nothing if the session has ended or belongs to another user. */
export function endSessionById(context: AppContext, request: UserRequest & { params: SessionPath }) {
  const { database, user, params } = request
  const session = { databaseId: database.id, userId: user.id, id: params.sessionId }
  return runChange(context, request, async (change) =>
    outcomeOf(await endOpenSession(change, session, change.now)),
  )
}

/** Ends all sessions of the user of a token, and revokes all tokens: see {@link revokeTokens}. */
export const endAllSessions = (context: AppContext, request: UserRequest) =>
  runChange(context, request, (change) => revokeTokens(change, { userId: request.user.id }))

/** Returns the outcome of a change that has ended sessions, and has revoked all tokens of their user if it had to. */
export function outcomeOf(
  result: EndedSessions,
  type: Fact['type'] = 'session.ended',
): Outcome<EndedSessions> {
  const { ended, revoked } = result
  const revoking = revoked ? ended.slice(0, 1) : []
  return {
    result,
    facts: [
      ...ended.map((session) => ({ type, ...session })),
      ...revoking.map(({ userId }) => ({ type: 'user.tokens_revoked', userId }) as const),
    ],
  }
}

/**
 * Ends all sessions of a user except that of the token, and revokes all tokens. The session returns a valid token when it
 * is refreshed. A new token in the response would let a stolen one outlive its expiry.
 *
 * @throws {Problem} `session_required` if the token belongs to no session; `token_invalid` also if another request has
 * revoked it meanwhile
 */
export async function endOtherSessions(context: AppContext, request: UserRequest) {
  const { database, user, claims } = request
  const { id: userId, generation } = user
  const sessionId = sessionIdOf(claims)
  await runChange(context, request, async (change) => {
    const owner = { databaseId: database.id, id: userId, generation, now: change.now, sessionId }
    const others = await revokeOthers(change, owner)
    if (!others) throw new Problem('token_invalid')
    if (others.kept === 0) throw new Problem(claims.sessionId ? 'token_invalid' : 'session_required')
    return { result: undefined, facts: [{ type: 'user.tokens_revoked', userId }] }
  })
}

/**
 * Returns the sessions of a user that have not ended.
 *
 * @throws {Problem} `token_invalid` if the user has changed or the token's session has ended since it was read
 */
export async function listSessions(
  context: AppContext,
  { database, user, claims }: UserRequest,
): Promise<SessionList> {
  const currentId = sessionIdOf(claims)
  const read = { ...user, databaseId: database.id }
  const sessions = await findSessions(context.store, read, { currentId, now: new Date(context.now()) })
  const isEnded = claims.sessionId && sessions?.[0]?.id !== currentId
  if (!sessions || isEnded) throw new Problem('token_invalid')
  return {
    sessions: sessions.map(({ id, createdAt, refreshedAt, label }) => ({
      id,
      createdAt: createdAt.toISOString(),
      refreshedAt: refreshedAt.toISOString(),
      label,
      current: id === currentId,
    })),
  }
}
