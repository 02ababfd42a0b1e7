import { revokeIfAsRead } from '../../store/queries/revocations.js'
import { endSession as end, endSessionOf } from '../../store/queries/sessions.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
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
 * @throws {Problem} `token_invalid` also if another request has revoked them meanwhile
 */
export async function endAllSessions(context: AppContext, database: Database, jwt: string, log: Log) {
  const { user } = await userOfToken(context, database, jwt, log)
  const read = { ...user, databaseId: database.id }
  const revoked = await revokeIfAsRead(context.store, read, { now: new Date(context.now()) })
  if (!revoked) throw new Problem('token_invalid')
  audit(log, 'user.tokens_revoked', { databaseId: database.id, userId: user.id })
}
