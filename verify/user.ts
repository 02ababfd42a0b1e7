/** The claims of an access token (RFC 9068). */
export interface Claims {
  iss: string
  aud: string | string[]
  /** ID of the user. */
  sub: string
  /** `database:` and the ID of the database. */
  client_id: string
  /** Issued at, in seconds since the epoch. */
  iat: number
  /** Expires at, in seconds since the epoch. */
  exp: number
  /** ID of the token. */
  jti: string
  /** Generation of the user. */
  gen?: number
  /** When the user last proved to be that user, in seconds since the epoch. */
  auth_time?: number
  /** `aal2` if the user has proven two factors, `aal1` if undefined. */
  acr?: string
  /** How the user has proven it (RFC 8176): `pwd`, `otp`, `mfa`, and `recovery`, `mail`, `idp`. */
  amr?: string[]
  /** ID of the session. */
  sid?: string
  /** IDs of the user's tenants. Undefined if the user has more than 50. */
  tenants?: string[]
  /** The user's role in each of `tenants` where it is not `member`. If undefined, no role is known. */
  tenant_roles?: Record<string, string>
  /** Version of the user's memberships. */
  tenants_version?: number
  /** False: the token opens only `tenants`, and shows nothing else of the user. */
  account?: false
  /** When the user passed the single sign-on of each tenant, in seconds since the epoch. */
  sso?: Record<string, number>
  /** Claims that the database adds. Never `scope`, `act`, `nonce`, `azp` or `cnf`, which a later version of Usher may set. */
  [name: string]: unknown
}

/**
 * The user of a valid token. With `revocations`, tenants and roles are current.
 *
 * @typeParam Own the claims that the database adds
 */
export interface VerifiedUser<Own extends object = object> {
  userId: string
  /** IDs of the user's tenants. Undefined if the user has more than 50: call `fetchTenants`. */
  tenants: string[] | undefined
  /**
   * The user's role in each of `tenants`, by its ID. Undefined if the token does not contain them: call `fetchRoles`. A
   * missing role does not mean `member`.
   */
  roles: ReadonlyMap<string, string> | undefined
  expiresAt: Date
  /** The claims of the token. `tenants` and `roles` may be more recent. */
  claims: Claims & Own
}

/** How far the clocks of two servers may differ. */
const clockSkewSeconds = 30

/** @throws if a claim has another type than the server gives it */
export function userOf(claims: Claims, nowMs: number): VerifiedUser {
  const { sub, tenants, tenant_roles, iat, exp, auth_time, acr, amr } = claims
  if (typeof sub !== 'string') throw new Error('sub is not a string')
  if (iat > nowMs / 1000 + clockSkewSeconds) throw new Error('iat is in the future')
  if (auth_time !== undefined && typeof auth_time !== 'number') throw new Error('auth_time is not a number')
  if (acr !== undefined && typeof acr !== 'string') throw new Error('acr is not a string')
  if (!isTexts(amr)) throw new Error('amr is not a list of strings')
  if (!isTexts(tenants)) throw new Error('tenants is not a list of strings')
  if (!isRoles(tenant_roles)) throw new Error('tenant_roles is not an object of strings')
  const roles = tenants && tenant_roles && rolesOf(tenants, tenant_roles)
  return { userId: sub, tenants, roles, expiresAt: new Date(exp * 1000), claims }
}

export const isTexts = (texts: unknown): texts is string[] | undefined =>
  texts === undefined || (Array.isArray(texts) && texts.every((each) => typeof each === 'string'))

const isRoles = (roles: unknown): roles is Record<string, string> | undefined =>
  roles === undefined ||
  (typeof roles === 'object' &&
    roles !== null &&
    !Array.isArray(roles) &&
    Object.values(roles).every((role) => typeof role === 'string'))

/** Returns the role in each tenant. A tenant without an entry has the role `member`. */
const rolesOf = (tenants: readonly string[], roles: Record<string, string>) =>
  new Map(tenants.map((id) => [id, Object.hasOwn(roles, id) ? String(roles[id]) : 'member']))

export const isMembership = (membership: unknown): membership is { id: string; role: string } => {
  const { id, role } = Object(membership) as Record<string, unknown>
  return typeof id === 'string' && typeof role === 'string'
}
