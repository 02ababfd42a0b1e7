import { jwtVerify } from 'jose'
import { VerifyError } from './errors.js'
import type { RevocationState } from './feed.js'
import { getJson } from './get-json.js'
import { algorithms, createKeySet } from './key-set.js'
import { assertValid, type VerifierOptions } from './options.js'
import { assertRequirement, isMet, type Requirement } from './requirement.js'
import { type Result, toResult } from './result.js'
import { createRevocationCheck } from './revocation-check.js'
import { type Claims, isMembership, isTexts, userOf, type VerifiedUser } from './user.js'

/**
 * Verifies tokens of one database. Its functions work without `this`, and reject only for invalid options.
 *
 * @typeParam Own the claims that the database adds
 */
export interface Verifier<Own extends object = object> {
  /**
   * Verifies a token, or the value of an `Authorization` header with a Bearer token. A valid token that does not meet the
   * requirement is `step_up_required`.
   */
  verify(
    tokenOrHeader: string | null | undefined,
    requirement?: Requirement,
  ): Promise<Result<VerifiedUser<Own>>>
  /**
   * Returns the user's current tenants, from the server's `/users/me`, even if there are more than 50. A revoked token is
   * `token_invalid`.
   */
  fetchTenants(tokenOrHeader: string | null | undefined): Promise<Result<string[]>>
  /** Returns the user's current role in each tenant, by its ID, as `fetchTenants` returns the tenants. */
  fetchRoles(tokenOrHeader: string | null | undefined): Promise<Result<ReadonlyMap<string, string>>>
  /** Returns the state of the revocations, for health checks. Undefined without the option `revocations`. */
  revocations(): RevocationState | undefined
  /** Stops reading revocations. After that, their state is stale. */
  close(): void
}

/** The maximum size of a response of `/users/me`, with about 100,000 tenants. */
const maxUserBytes = 4_194_304

/**
 * Creates a verifier for one database. Create one per process, because it caches the server's keys.
 *
 * @example
 * ```ts
 * const { verify } = createVerifier({ baseUrl: 'http://localhost:3000', workspace: 'demo', database: 'app' })
 * const { data, error } = await verify(request.headers.authorization)
 * ```
 *
 * @typeParam Own the claims that the database adds, such as `{ plan?: string }`. Only their type: nothing checks the values
 * @throws {TypeError} if an option is missing or invalid
 */
export function createVerifier<Own extends object = object>(options: VerifierOptions): Verifier<Own> {
  assertValid(options)
  // Reads the global `fetch` at each call, so that a later replacement takes effect.
  const { fetch: fetchOption = (url, init) => fetch(url, init), timeoutMs = 5_000, now = Date.now } = options
  const http = { fetch: fetchOption, timeoutMs }
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const issuer = `${baseUrl}/workspaces/${options.workspace}/databases/${options.database}`
  const tenantAudience = `${issuer}/tenants`
  const acceptsTenants = options.tenantSessions === 'accept'
  const keys = createKeySet(`${issuer}/.well-known/jwks.json`, http, now)
  const revocations =
    options.revocations &&
    createRevocationCheck(options.revocations, {
      url: `${issuer}/management/revocations`,
      http,
      now,
      onKeyRetired: keys.refresh,
    })

  async function verifiedToken(token: string) {
    const nowMs = now()
    const { payload, protectedHeader } = await jwtVerify<Claims>(token, keys.find, {
      algorithms,
      issuer,
      audience: [issuer, tenantAudience],
      typ: 'at+jwt',
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: new Date(nowMs),
    })
    if (!acceptsTenants && [payload.aud].flat().includes(tenantAudience))
      throw new VerifyError('own_login_required')
    return { user: userOf(payload, nowMs), kid: protectedHeader.kid }
  }

  async function verifiedUser(token: string) {
    const { user, kid } = await verifiedToken(token)
    return (revocations ? await revocations.accept(user, kid) : user) as VerifiedUser<Own>
  }

  async function verifySensitive(tokenOrHeader: string | null | undefined, requirement: Requirement) {
    assertRequirement('verify', requirement)
    return toResult(tokenOrHeader, async (token) => {
      const user = await verifiedUser(token)
      if (isMet(requirement, user.claims, now())) return user
      throw new VerifyError('step_up_required', { requirement })
    })
  }

  async function currentUser(token: string) {
    await verifiedToken(token)
    const headers = { Authorization: `Bearer ${token}` }
    return getJson(`${issuer}/users/me`, http, { maxBytes: maxUserBytes, headers })
  }

  async function currentTenants(token: string) {
    const { tenants } = await currentUser(token)
    if (tenants && isTexts(tenants)) return tenants
    throw new VerifyError('unavailable', { cause: new Error('/users/me returned no list of tenants') })
  }

  async function currentRoles(token: string) {
    const { memberships } = await currentUser(token)
    if (Array.isArray(memberships) && memberships.every(isMembership))
      return new Map(memberships.map(({ id, role }) => [id, role]))
    throw new VerifyError('unavailable', { cause: new Error('/users/me returned no roles') })
  }

  return {
    verify: (tokenOrHeader, requirement) =>
      requirement === undefined
        ? toResult(tokenOrHeader, verifiedUser)
        : verifySensitive(tokenOrHeader, requirement),
    fetchTenants: (tokenOrHeader) => toResult(tokenOrHeader, currentTenants),
    fetchRoles: (tokenOrHeader) => toResult(tokenOrHeader, currentRoles),
    revocations: () => revocations?.state(),
    close: () => revocations?.close(),
  }
}
