import { randomUUID } from 'node:crypto'
import type { AccessToken } from '@usher/contract'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'

/** A token names the user's tenants up to this many; with more the claim is left out, never cut short. */
const tenantsInToken = 50

/** How far ahead another instance's clock may be, in seconds (RFC 8725 asks for little). */
export const leewaySeconds = 30

/**
 * A fresh access token (RFC 9068) of the database for a user.
 *
 * @param user the user's id, tenants and the time before which the user's tokens count as revoked
 * @param now in milliseconds since the epoch
 */
export function issueToken(
  database: Database,
  user: { id: string; tenants: string[]; tokensValidAfter: Date | null },
  now: number,
): AccessToken {
  const { tokenMaxAgeSeconds } = database
  const issuedAt = Math.max(Math.floor(now / 1000), secondAfter(user.tokensValidAfter))
  const audience = `database:${database.id}`
  const jwt = signingKey(database, now).sign({
    iss: database.issuer,
    aud: [database.issuer, audience],
    sub: user.id,
    client_id: audience,
    iat: issuedAt,
    exp: issuedAt + tokenMaxAgeSeconds,
    jti: randomUUID(),
    ...(user.tenants.length <= tenantsInToken && { tenants: user.tenants }),
  })
  return { jwt, maxAge: tokenMaxAgeSeconds, type: 'ACCESS_TOKEN' }
}

/** The keys whose tokens are accepted: those not retired, the next one among them. */
export const publishedKeys = (database: Database, now: number) =>
  database.keys.filter(({ retiresAt }) => retiresAt === null || now < retiresAt.getTime())

/** The last of the published keys whose time has come, or the first where a clock says that none has. */
function signingKey(database: Database, now: number) {
  const published = publishedKeys(database, now)
  const key = published.find(({ activatesAt }) => activatesAt.getTime() <= now) ?? published.at(-1)
  if (!key) throw new Error(`database ${database.id} has no key to sign with`)
  return key
}

/** What a token says of its user, once it is known to be the database's own and in time. */
export interface TokenClaims {
  userId: string
  issuedAt: number
}

/**
 * Checks a token by RFC 8725: a key of this database, its one algorithm, exact issuer, audience and type.
 *
 * @param now in milliseconds since the epoch
 * @throws {Problem} `token_expired`, or `token_invalid` for every other fault
 */
export function verifyToken(database: Database, jwt: string, now: number): TokenClaims {
  const { sub, iat, exp } = signedClaims(database, jwt, now)
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') {
    throw new Problem('token_invalid')
  }
  if (iat > now / 1000 + leewaySeconds) throw new Problem('token_invalid')
  if (exp <= now / 1000) throw new Problem('token_expired')
  return { userId: sub, issuedAt: iat }
}

/** Whether a token was revoked by moving the user's `tokensValidAfter`. */
export const isRevoked = (claims: TokenClaims, tokensValidAfter: Date | null) =>
  claims.issuedAt < secondAfter(tokensValidAfter)

/** `iat` has whole seconds: a token belongs to the time after a moment from the next whole second on. */
const secondAfter = (moment: Date | null) => (moment ? Math.ceil(moment.getTime() / 1000) : 0)

function signedClaims(database: Database, jwt: string, now: number) {
  try {
    const keys = publishedKeys(database, now)
    const key =
      keys.find(({ prefix }) => jwt.startsWith(prefix)) ?? keys.find(({ kid }) => kid === kidOf(jwt))
    if (key) return key.verify(jwt)
  } catch (cause) {
    throw new Problem('token_invalid', { cause })
  }
  throw new Problem('token_invalid')
}

/** Of a token that another version of this server made, whose header may be written otherwise. */
function kidOf(jwt: string): unknown {
  const [header = ''] = jwt.split('.', 1)
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
}
