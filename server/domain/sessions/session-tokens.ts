import type { RefreshToken, Session } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { readSigned, signedText } from '../keys/signed-text.js'
import type { DatabaseRequest } from '../request.js'
import { issueToken, type TokenSession, type TokenUser } from '../tokens/access-token.js'
import type { Proven } from '../tokens/authentication.js'
import { sourcedClaims } from '../tokens/sourced-claims.js'

/** A session that was opened or refreshed. */
interface Continued {
  user: TokenUser
  session: TokenSession & { refreshes: number }
  proven: Proven
  /** Whether single sign-on of a tenant has opened it. */
  isTenantOnly: boolean
  /** When the user was read, in milliseconds since the epoch. */
  readAt: number
}

/** Returns the next access token and refresh token of a session, with its user. */
export async function issueTokens(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  { user, session, proven, isTenantOnly, readAt }: Continued,
): Promise<Session> {
  const { database } = request
  const issued = { now: readAt, proven, isTenantOnly, session }
  const sourced = await sourcedClaims(context, request, { user, ...issued })
  return {
    ...issueToken(database, user, { ...issued, sourced }),
    refreshToken: await issueRefreshToken(context, database, {
      ...session,
      purpose: purposeOf(isTenantOnly),
    }),
  }
}

// The refresh token itself says it, so that a session of a tenant never becomes one of the account.
const purposeOf = (isTenantOnly: boolean) => (isTenantOnly ? 'tenant_refresh_token' : 'refresh_token')

/** Returns a refresh token, valid until its session expires. */
async function issueRefreshToken(
  { findSecrets, now }: Pick<AppContext, 'findSecrets' | 'now'>,
  database: Pick<Database, 'id'>,
  { id, refreshes, expiresAt, purpose }: Continued['session'] & { purpose: ReturnType<typeof purposeOf> },
): Promise<RefreshToken> {
  const secrets = await findSecrets(database.id)
  const value = signedText(secrets, { purpose, id, number: refreshes })
  const maxAge = Math.max(0, Math.floor((expiresAt.getTime() - now()) / 1000))
  return { value, maxAge, type: 'REFRESH_TOKEN' }
}

/**
 * Returns the session of a refresh token, the number of its refreshes when the token was issued, and whether single sign-on of a
 * tenant has opened it. Returns undefined if the database has not issued it, or has no single sign-on any more.
 */
export async function readRefreshToken(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  database: Pick<Database, 'id' | 'singleSignOn'>,
  value: string,
) {
  const signed = readSigned(value)
  if (signed?.number === undefined) return undefined
  const secrets = await findSecrets(database.id)
  const kinds = database.singleSignOn ? [false, true] : [false]
  const isTenantOnly = kinds.find((each) => signed.isSigned(secrets, purposeOf(each)))
  if (isTenantOnly === undefined) return undefined
  return { sessionId: signed.id, refreshes: signed.number, isTenantOnly }
}
