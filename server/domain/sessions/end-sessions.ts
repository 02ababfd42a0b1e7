import { endSession as end, endSessionOf } from '../../store/queries/sessions.js'
import { revokeUserTokens } from '../../store/queries/users.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { revocationBy } from '../tokens/access-token.js'
import { userOfToken } from '../users/user-of-token.js'
import { readRefreshToken } from './refresh-token.js'

/** Ends the session of a refresh token. An unknown token changes nothing. */
export async function endSession(context: AppContext, database: Database, refreshToken: string, log: Log) {
  const token = await readRefreshToken(context, database, refreshToken)
  if (!token) return
  const { sessionId } = token
  const userId = await end(context.store, database.id, sessionId, new Date(context.now()))
  if (userId) audit(log, 'session.ended', { databaseId: database.id, userId, sessionId })
}

/** Ends a session of the user of a token. The id of an ended session, or of another user's, changes nothing. */
export async function endSessionById(
  context: AppContext,
  database: Database,
  jwt: string,
  sessionId: string,
  log: Log,
) {
  const { user } = await userOfToken(context, database, jwt, log)
  const isEnded = await endSessionOf(context.store, database.id, user.id, sessionId, new Date(context.now()))
  if (isEnded) audit(log, 'session.ended', { databaseId: database.id, userId: user.id, sessionId })
}

/**
 * Ends all sessions of a user, and revokes all tokens.
 *
 * @throws {Problem} `token_invalid` also if another request has revoked them meanwhile: it may have kept a session
 */
export async function endAllSessions(context: AppContext, database: Database, jwt: string, log: Log) {
  const { user, claims } = await userOfToken(context, database, jwt, log)
  const revokedAt = revocationBy(claims, context.now())
  const isRevoked = await revokeUserTokens(context.store, database.id, user, revokedAt, undefined)
  if (!isRevoked) throw new Problem('token_invalid')
  audit(log, 'user.tokens_revoked', { databaseId: database.id, userId: user.id })
}
