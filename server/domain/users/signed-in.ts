import type { SignedInUser } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { issueToken } from '../tokens/access-token.js'

/** Returns the body that create and login share: the user and a fresh token (specification section 2). */
export function signedIn(
  context: Pick<AppContext, 'now'>,
  database: Database,
  user: { id: string; tenants: string[]; tokensValidAfter: Date | null },
): SignedInUser {
  return { id: user.id, tenants: user.tenants, token: issueToken(database, user, context.now()) }
}
