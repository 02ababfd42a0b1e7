import type { RefreshToken, Session } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSigned, signedText } from '../keys/signed-text.js'
import { issueToken, type TokenSession, type TokenUser } from '../tokens/access-token.js'
import type { Proven } from '../tokens/authentication.js'

/** A session that was opened or refreshed. */
interface Continued {
  user: TokenUser
  session: TokenSession & { refreshes: number }
  proven: Proven
  /** When the user was read, in milliseconds since the epoch. */
  readAt: number
}

/** Returns the next access token and refresh token of a session, with its user. */
export async function issueTokens(
  context: AppContext,
  database: Database,
  { user, session, proven, readAt }: Continued,
): Promise<Session> {
  return {
    id: user.id,
    tenants: user.memberships.map(({ id }) => id),
    token: issueToken(database, user, { now: readAt, proven, session }),
    refreshToken: await issueRefreshToken(context, database, session),
  }
}

/** Returns a refresh token, valid until its session expires. */
async function issueRefreshToken(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  database: Pick<Database, 'id'>,
  { id, refreshes, expiresAt }: Continued['session'],
): Promise<RefreshToken> {
  const secrets = await findSecrets(database.id)
  const value = signedText(secrets, { purpose: 'refresh_token', id, number: refreshes })
  const maxAge = Math.max(0, Math.floor((expiresAt.getTime() - now()) / 1000))
  return { value, maxAge, type: 'REFRESH_TOKEN' }
}

/**
 * Returns the session of a refresh token, and the number of its refreshes when the token was issued. Returns undefined if the
 * database has not issued it.
 */
export async function readRefreshToken(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  database: Pick<Database, 'id'>,
  value: string,
) {
  const signed = readSigned(value)
  if (signed?.number === undefined) return undefined
  const isSigned = signed.isSigned(await findSecrets(database.id), 'refresh_token')
  return isSigned ? { sessionId: signed.id, refreshes: signed.number } : undefined
}
