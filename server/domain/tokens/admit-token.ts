import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { type TokenClaims, verifyToken } from './access-token.js'
import { openTenants } from './open-tenants.js'

/**
 * Verifies a token and reads its user, in one statement that concurrent requests share. Audits a rejected token.
 *
 * @throws {Problem} `token_expired`; `token_invalid`, also if the user is deleted or disabled, if the token is
 * revoked, or if its session has ended. The token of a login ends with the session that it has opened
 */
export async function admitToken(
  context: AppContext,
  { database, caller }: Pick<UserRequest, 'database' | 'caller'>,
  jwt: string,
): Promise<Pick<UserRequest, 'user' | 'claims'>> {
  try {
    const now = context.now()
    const claims = verifyToken(context.verifiedTokens, database, { jwt, now })
    const hasSso = database.singleSignOn
    if (hasSso !== (claims.key.hasSso ?? false)) claims.key = { ...claims.key, hasSso }
    // The operator has turned single sign-on off.
    if (claims.isTenantOnly && !hasSso) throw new Problem('token_invalid')
    const user = await context.findUser(claims.key)
    if (!user || claims.generation !== user.generation || isEnded(claims, user, now))
      throw new Problem('token_invalid')
    if (!hasSso) return { user, claims }
    const memberships = openTenants(database, user.memberships, { ...claims, now })
    if (claims.isTenantOnly && memberships.length === 0) throw new Problem('token_invalid')
    return { user: { ...user, memberships: [...memberships] }, claims }
  } catch (error) {
    if (error instanceof Problem) context.rejectedTokens(caller.log, database.id, error.code)
    throw error
  }
}

/** The token of an earlier login cannot open a session. Longer than two minutes, clock skew and waits together. */
const openableMilliseconds = 300_000

/** Returns whether the session of a token has ended, or the session that the token of a login has opened. */
function isEnded(claims: TokenClaims, { isSessionOpen }: UserOfToken, now: number) {
  if (claims.sessionId !== undefined) return !isSessionOpen
  // This token can no longer open a session, so later requests with it do not look for one.
  if (isSessionOpen === null && now - claims.issuedAt * 1000 > openableMilliseconds)
    claims.key = { ...claims.key, sessionId: undefined }
  return isSessionOpen === false
}
