import type { SignedInUser } from '@usher/contract'
import type { Database } from '../databases/find-database.js'
import { issueToken, type TokenSession, type TokenUser } from '../tokens/access-token.js'

/**
 * Returns the body that create and login share: the user and a new token (docs/specification.md, section 2).
 *
 * @param token.readAt when the user was read or written, in milliseconds since the epoch. It becomes the `iat` of the
 * token, so that a revocation since then covers the token.
 * @param token.session the session that the token belongs to
 */
export function signedIn(
  database: Database,
  user: TokenUser,
  { readAt, session }: { readAt: number; session?: TokenSession },
): SignedInUser {
  const tenants = user.memberships.map(({ id }) => id)
  return { id: user.id, tenants, token: issueToken(database, user, { now: readAt, session }) }
}
