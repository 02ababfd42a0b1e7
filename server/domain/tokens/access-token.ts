import { randomUUID } from 'node:crypto'
import type { AccessToken } from '@usher/contract'
import { validate } from 'uuid'
import type { SsoProofs } from '../../store/queries/sessions.js'
import type { TenantRole } from '../../store/queries/user-tenants.js'
import { clockSkewSeconds } from '../clock.js'
import type { Database } from '../databases/find-database.js'
import { type TokenKey, tenantAudience } from '../keys/signing-keys.js'
import { Problem } from '../problem.js'
import { acrOf, type Proven } from './authentication.js'
import { openTenants, proofsOf } from './open-tenants.js'
import type { VerifiedToken, VerifiedTokens } from './verified-tokens.js'

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** A database without single sign-on may have a claim of its own with this name. */
const isProofs = (value: unknown): value is SsoProofs =>
  typeof value === 'object' && value !== null && Object.values(value).every((at) => typeof at === 'number')

const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value)

/** The longest lifetime of any token (the maximum of TOKEN_MAX_AGE), with clocks a minute apart. */
export const longestTokenSeconds = 86_400 + 60

/** A revocation is kept until every token that was issued before it has expired, with a minute to spare. */
export const revocationMilliseconds = (longestTokenSeconds + 60) * 1000

/** With more tenants a token has no claim `tenants`, so that no client reads a partial list. */
const maxTenantsInToken = 50
/**
 * With more characters of JSON a token has no claim `tenant_roles`. An owner of 50 tenants has 2,351 of them, and a token
 * that proxies with a limit of 8 KiB for a header accept.
 */
const maxRoleCharacters = 2_400

/** The session of a token. */
export interface TokenSession {
  id: string
  /** When the session ends, unless it is refreshed. */
  expiresAt: Date
}

/** The user of a token. */
export interface TokenUser {
  id: string
  /** In the order of joining. */
  memberships: readonly TenantRole[]
  /** The number of the user's last removal or change of a role when the memberships were read. */
  tenantsVersion: number
  /** The generation when the credentials were checked: the user's password, code or session. */
  generation: number
  emailVerifiedAt: Date | null
}

export interface NewToken {
  /** In milliseconds since the epoch. */
  now: number
  proven: Proven
  /** Whether single sign-on of a tenant has opened the session. */
  isTenantOnly: boolean
  session?: TokenSession | undefined
  /** The claims of {@link sourcedClaims}. */
  sourced: object
  /** A new one by default. */
  id?: string | undefined
}

/** Returns a new access token (RFC 9068) of the database for a user, and the tenants that it opens. */
export function issueToken(
  database: Database,
  user: TokenUser,
  { now, proven, isTenantOnly, session, sourced, id = randomUUID() }: NewToken,
): { id: string; tenants: string[]; token: AccessToken } {
  const issuedAt = Math.floor(now / 1000)
  const shown = { proven, isTenantOnly, now }
  const memberships = openTenants(database, user.memberships, shown)
  const sso = database.singleSignOn ? proofsOf(memberships, shown) : undefined
  const maxAge = lifetimeOf(database, issuedAt, { session, proofsEndAt: sso?.endsAt })
  const audience = `database:${database.id}`
  const jwt = signingKey(database, now).sign({
    ...database.claims,
    ...sourced,
    iss: database.issuer,
    aud: isTenantOnly ? [tenantAudience(database.issuer)] : [database.issuer, audience],
    sub: user.id,
    client_id: audience,
    iat: issuedAt,
    exp: issuedAt + maxAge,
    jti: id,
    gen: user.generation,
    tenants_version: user.tenantsVersion,
    sid: session?.id,
    auth_time: Math.floor(proven.at / 1000),
    acr: acrOf(proven),
    amr: proven.amr,
    ...(database.requireVerifiedEmail && { email_verified: user.emailVerifiedAt !== null }),
    ...tenancyOf(memberships),
    ...(database.singleSignOn && { account: isTenantOnly ? false : undefined, sso: sso?.proofs }),
  })
  return {
    id: user.id,
    tenants: memberships.map((each) => each.id),
    token: { jwt, maxAge, type: 'ACCESS_TOKEN' },
  }
}

/**
 * Returns the lifetime of a token in seconds. A token does not outlive its session and the proofs of its tenants, and the token of a login does not outlive
 * the session that it may open, because backends that verify tokens by themselves know no sessions.
 */
function lifetimeOf(
  { tokenMaxAgeSeconds, sessionIdleSeconds, sessionMaxSeconds }: Database,
  issuedAt: number,
  { session, proofsEndAt = Infinity }: { session: TokenSession | undefined; proofsEndAt: number | undefined },
) {
  const most = Math.min(tokenMaxAgeSeconds, proofsEndAt - issuedAt)
  if (session) {
    const left = Math.floor(session.expiresAt.getTime() / 1000) - issuedAt
    return Math.max(0, Math.min(most, left))
  }
  return sessionMaxSeconds === 0 ? most : Math.min(most, sessionIdleSeconds, sessionMaxSeconds)
}

/** Returns the claims of a user's tenants. A claim that is left out is undefined, so that no fixed claim replaces it. */
function tenancyOf(memberships: readonly TenantRole[]) {
  if (memberships.length > maxTenantsInToken) return { tenants: undefined, tenant_roles: undefined }
  const roles = memberships.filter(({ role }) => role !== 'member').map(({ id, role }) => [id, role] as const)
  // Each entry has two strings in quotes, a colon and a comma.
  const characters = roles.reduce((sum, [id, role]) => sum + id.length + role.length + 6, 1)
  return {
    tenants: memberships.map(({ id }) => id),
    tenant_roles: characters > maxRoleCharacters ? undefined : Object.fromEntries(roles),
  }
}

/** Returns the keys whose tokens are accepted: those not retired, including the next one. */
export const publishedKeys = (database: Database, now: number) =>
  database.keys.filter(({ retiresAt }) => retiresAt === null || now < retiresAt.getTime())

/** Returns the newest active key, or the oldest key if none is active by this clock. */
function signingKey(database: Database, now: number) {
  const published = publishedKeys(database, now)
  const key = published.find(({ activatesAt }) => activatesAt.getTime() <= now) ?? published.at(-1)
  if (!key) throw new Error(`database ${database.id} has no key to sign with`)
  return key
}

export type TokenClaims = Omit<VerifiedToken, 'jwt' | 'kid' | 'expiresAt'>

/** Returns the id of the session of a token. A token of a login has none: its own id is that of the session that it can open. */
export const sessionIdOf = ({ sessionId, id }: Pick<TokenClaims, 'sessionId' | 'id'>) => sessionId ?? id

/**
 * Verifies a token by the rules of RFC 8725: with a key of this database and its only algorithm, and with exact issuer,
 * audience and type.
 *
 * @param verified tokens that were verified before
 * @param token.now in milliseconds since the epoch
 * @throws {Problem} `token_expired`, or `token_invalid` for every other error
 */
export function verifyToken(
  verified: VerifiedTokens,
  database: Database,
  { jwt, now }: { jwt: string; now: number },
): TokenClaims {
  const keys = publishedKeys(database, now)
  const known = verified.get(jwt)
  // A verified token may be sent to another database, or after its key was retired.
  const isKnown = known?.key.databaseId === database.id && keys.some(({ kid }) => kid === known.kid)
  const token = isKnown ? known : verifySignature(database.id, keys, jwt)
  if (token.issuedAt > now / 1000 + clockSkewSeconds) throw new Problem('token_invalid')
  if (token.expiresAt <= now / 1000) throw new Problem('token_expired')
  if (!isKnown) verified.add(token)
  return token
}

function verifySignature(databaseId: string, keys: readonly TokenKey[], jwt: string): VerifiedToken {
  try {
    const key =
      keys.find(({ prefix }) => jwt.startsWith(prefix)) ?? keys.find(({ kid }) => kid === kidOf(jwt))
    const { sub, sid, jti, gen, iat, exp, auth_time, amr, iss, aud, sso } = key?.verify(jwt) ?? {}
    if (
      key &&
      isUuid(sub) &&
      isUuid(jti) &&
      (sid === undefined || isUuid(sid)) &&
      typeof gen === 'number' &&
      typeof iat === 'number' &&
      typeof exp === 'number' &&
      typeof auth_time === 'number' &&
      isTexts(amr)
    ) {
      const times = { issuedAt: iat, expiresAt: exp }
      const proven = { amr: shared(amr), at: auth_time * 1000, ...(isProofs(sso) && { tenants: sso }) }
      const isTenantOnly = isTexts(aud) && aud.includes(tenantAudience(iss as string))
      const ofUser = { databaseId, id: sub, sessionId: sid ?? jti }
      return {
        jwt,
        kid: key.kid,
        key: ofUser,
        id: jti,
        sessionId: sid,
        generation: gen,
        proven,
        isTenantOnly,
        ...times,
      }
    }
  } catch (cause) {
    throw new Problem('token_invalid', { cause })
  }
  throw new Problem('token_invalid')
}

const sharedTexts = new Map<string, string[]>()

/** Returns the same list for all tokens with these texts, so that a verified token takes less memory. There are few such lists. */
function shared(texts: string[]) {
  const key = texts.join(' ')
  const known = sharedTexts.get(key) ?? texts
  sharedTexts.set(key, known)
  return known
}

/** Returns the `kid` of a token. Another version of this server may have encoded the header differently. */
function kidOf(jwt: string): unknown {
  const [header = ''] = jwt.split('.', 1)
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
}
