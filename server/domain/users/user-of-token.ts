import type { UserOfToken } from '../../store/queries/users.js'
import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { isRevoked, type TokenClaims, verifyToken } from '../tokens/access-token.js'

/**
 * Verifies a token and reads its user, in one statement that concurrent requests share. Audits a rejected token.
 *
 * @throws {Problem} `token_expired`; `token_invalid`, also if the user is deleted or disabled, the token revoked, or
 * its session, or that which was opened with it, has ended
 */
export async function userOfToken(
  context: AppContext,
  database: Database,
  jwt: string,
  log: Log,
): Promise<{ user: UserOfToken; claims: TokenClaims }> {
  try {
    const claims = verifyToken(context.verifiedTokens, database, jwt, context.now())
    const { userId: id, sessionId = claims.id } = claims
    const isOfSession = claims.sessionId !== undefined
    const user = await context.findUser(database.id, { id, sessionId, isOfSession })
    if (!user || user.disabledAt || isRevoked(claims, user)) throw new Problem('token_invalid')
    const isEnded = isOfSession
      ? !user.openSessions?.includes(sessionId)
      : user.endedSessions?.includes(sessionId)
    if (isEnded) throw new Problem('token_invalid')
    return { user, claims }
  } catch (error) {
    if (error instanceof Problem) context.rejectedTokens(log, database.id, error.code)
    throw error
  }
}
