import type { User } from '@usher/contract'
import type { UserOfToken } from '../../store/queries/users.js'
import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { userOfToken } from './user-of-token.js'

/**
 * Returns the user of a token as the store has it now (docs/specification.md, section 4.3).
 *
 * @throws {Problem} `token_expired`; `token_invalid`, also if the user is deleted or disabled, the token revoked, or
 * its session has ended
 */
export async function me(context: AppContext, database: Database, jwt: string, log: Log): Promise<User> {
  const { user } = await userOfToken(context, database, jwt, log)
  return userBody(user)
}

/** Returns the body that operations about the current user share. */
export const userBody = ({ memberships, ...user }: UserOfToken): User => ({
  id: user.id,
  email: user.email,
  preferredName: user.preferredName,
  emailVerified: user.emailVerifiedAt !== null,
  tenants: memberships.map(({ id }) => id),
  memberships: memberships.map(({ id, name, joinedAt }) => ({ id, name, joinedAt: joinedAt.toISOString() })),
  createdAt: user.createdAt.toISOString(),
})
