import type { SessionList } from '@usher/contract'
import { findSessions } from '../../store/queries/sessions.js'
import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { userOfToken } from '../users/user-of-token.js'

/** Returns the sessions of a user that have not ended. */
export async function listSessions(
  context: AppContext,
  database: Database,
  jwt: string,
  log: Log,
): Promise<SessionList> {
  const { user, claims } = await userOfToken(context, database, jwt, log)
  const sessions = await findSessions(context.store, database.id, user.id, new Date(context.now()))
  return {
    sessions: sessions.map(({ id, createdAt, refreshedAt }) => ({
      id,
      createdAt: createdAt.toISOString(),
      refreshedAt: refreshedAt.toISOString(),
      current: id === claims.sessionId,
    })),
  }
}
