import type { RefreshTokenBody, Session } from '@usher/contract'
import { refreshSession as refresh } from '../../store/queries/sessions.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessagesOf } from '../events/events.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { signedIn } from '../users/signed-in.js'
import { issueRefreshToken, readRefreshToken } from './refresh-token.js'

/** How long the previous refresh token returns the current one, for two tabs, a lost response or a retry. */
const repeatableSeconds = 30

/**
 * Returns a new access token and the next refresh token of a session. A refresh token that is used again later ends the
 * session, because one of its two users has stolen it.
 *
 * @throws {Problem} `session_ended`
 */
export async function refreshSession(
  context: AppContext,
  { database, body, caller }: DatabaseRequest<RefreshTokenBody>,
): Promise<Session> {
  const token = await readRefreshToken(context, database, body.refreshToken)
  const { sessionIdleSeconds: idleSeconds, sessionMaxSeconds: maxSeconds } = database
  if (!token) throw new Problem('session_ended')
  const now = context.now()
  const { sessionId } = token
  const session = await refresh(
    context.store,
    {
      databaseId: database.id,
      ...token,
      now: new Date(now),
      repeatableSeconds,
      idleSeconds,
      maxSeconds,
    },
    eventMessagesOf(database, new Date(now), ({ userId, endedAt }) =>
      endedAt ? [{ type: 'session.reuse_detected', userId, sessionId }] : [],
    ),
  )
  if (!session) throw new Problem('session_ended')
  const { userId, refreshes, authenticatedAt, expiresAt, endedAt, ...user } = session
  if (endedAt) {
    context.deliver(eventChannels(database))
    audit(caller.log, 'session.reuse_detected', { databaseId: database.id, userId, sessionId })
    throw new Problem('session_ended')
  }
  return {
    ...signedIn(
      database,
      { ...user, id: userId },
      { readAt: now, session: { id: sessionId, authenticatedAt } },
    ),
    refreshToken: await issueRefreshToken(context, database, { sessionId, refreshes, expiresAt }),
  }
}
