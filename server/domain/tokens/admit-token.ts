import type { UserOfToken } from '../../store/queries/users.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { isRevoked, type TokenClaims, verifyToken } from './access-token.js'

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
    const now = context.now()
    const claims = verifyToken(context.verifiedTokens, database, { jwt, now })
    const user = await context.findUser(database.id, claims.key)
    if (!user || isRevoked(claims, user) || isEnded(claims, user, now)) throw new Problem('token_invalid')
    return { user, claims }
  } catch (error) {
    if (error instanceof Problem) context.rejectedTokens(caller.log, database.id, error.code)
    throw error
  }
}

/** After a login this long ago its token opens no session: after two minutes, by clocks that differ, and waits. */
const openableMilliseconds = 300_000

/** Returns whether the session of a token, or that which the token of a login has opened, has ended. */
function isEnded(claims: TokenClaims, { isSessionOpen }: UserOfToken, now: number) {
  if (claims.sessionId !== undefined) return !isSessionOpen
  // Later requests with the token need not look for a session.
  if (isSessionOpen === null && now - claims.issuedAt * 1000 > openableMilliseconds)
    claims.key = { id: claims.key.id, sessionId: undefined }
  return isSessionOpen === false
}
