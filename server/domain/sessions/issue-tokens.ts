import type { Session } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { issueToken, type TokenSession, type TokenUser } from '../tokens/access-token.js'
import { issueRefreshToken } from './refresh-token.js'

/** A session that was opened or refreshed. */
interface Continued {
  user: TokenUser
  session: TokenSession & { refreshes: number }
  /** When the user was read, in milliseconds since the epoch. */
  readAt: number
}

/** Returns the next access token and refresh token of a session, with its user. */
export async function issueTokens(
  context: AppContext,
  database: Database,
  { user, session, readAt }: Continued,
): Promise<Session> {
  return {
    id: user.id,
    tenants: user.memberships.map(({ id }) => id),
    token: issueToken(database, user, { now: readAt, session }),
    refreshToken: await issueRefreshToken(context, database, session),
  }
}
