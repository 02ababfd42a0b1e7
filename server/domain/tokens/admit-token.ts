import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { isRevoked, verifyToken } from './access-token.js'

/**
 * Verifies a token and reads its user, in one statement that concurrent requests share. Audits a rejected token.
 *
 * @throws {Problem} `token_expired`; `token_invalid`, also if the user is deleted or disabled, the token revoked, or
 * its session, or that which was opened with it, has ended
 */
export async function admitToken(
  context: AppContext,
  { database, caller }: Pick<UserRequest, 'database' | 'caller'>,
  jwt: string,
): Promise<Pick<UserRequest, 'user' | 'claims'>> {
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
    if (error instanceof Problem) context.rejectedTokens(caller.log, database.id, error.code)
    throw error
  }
}
