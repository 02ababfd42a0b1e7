import type { User } from '@usher/contract'
import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { isRevoked, verifyToken } from '../tokens/access-token.js'

/**
 * Returns the user of a token as the store has it now (specification section 4.3).
 *
 * @throws {Problem} `token_expired`; `token_invalid`, also if the user is deleted or disabled or the token revoked
 */
export async function me(context: AppContext, database: Database, jwt: string, log: Log): Promise<User> {
  const user = await userOfToken(context, database, jwt).catch((error: unknown) => {
    if (error instanceof Problem) context.rejectedTokens(log, database.id, error.code)
    throw error
  })
  return {
    id: user.id,
    email: user.email,
    preferredName: user.preferredName,
    tenants: user.tenants,
    createdAt: user.createdAt.toISOString(),
  }
}

async function userOfToken(context: AppContext, database: Database, jwt: string) {
  const claims = verifyToken(context.verifiedTokens, database, jwt, context.now())
  const user = await context.findUser(database.id, claims.userId)
  if (!user || user.disabledAt || isRevoked(claims, user.tokensValidAfter)) throw new Problem('token_invalid')
  return user
}
