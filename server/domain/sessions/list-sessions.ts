import type { SessionList } from '@usher/contract'
import { findSessions } from '../../store/queries/sessions.js'
import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { userOfToken } from '../users/user-of-token.js'

/**
 * Returns the sessions of a user that have not ended.
 *
 * @throws {Problem} those of {@link userOfToken}, also if the user has changed or the token's session ended since
 */
export async function listSessions(
  context: AppContext,
  database: Database,
  jwt: string,
  log: Log,
): Promise<SessionList> {
  const { user, claims } = await userOfToken(context, database, jwt, log)
  // The id of a session is the `jti` of its login's token.
  const currentId = claims.sessionId ?? claims.id
  const sessions = await findSessions(context.store, database.id, user, currentId, new Date(context.now()))
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
