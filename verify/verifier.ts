import { errors, jwtVerify } from 'jose'
import { VerifyError } from './errors.js'
import { type Fetch, getJson } from './get-json.js'
import { algorithms, createKeySet } from './key-set.js'

/** Options of a verifier. */
export interface VerifierOptions {
  /** Root URL of the server, exactly as in its `BASE_URL`, such as `https://users.example.com`. */
  baseUrl: string
  /** Slug of the workspace. */
  workspace: string
  /** Name of the database. */
  database: string
  /** Sends each request. The global `fetch` by default. */
  fetch?: Fetch | undefined
  /** Timeout of a request in milliseconds. 5,000 by default. */
  timeoutMs?: number | undefined
  /** The clock, in milliseconds since the epoch, for tests. `Date.now` by default. */
  now?: (() => number) | undefined
}

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
  /** IDs of the user's tenants. Undefined if the user has more than 50. */
  tenants?: string[]
  [name: string]: unknown
}

/** What a valid token says of its user. */
export interface VerifiedUser {
  userId: string
  /** IDs of the user's tenants. Undefined if the user has more than 50: ask `fetchTenants`. */
  tenants: string[] | undefined
  expiresAt: Date
  claims: Claims
}

/** Either `data` or `error` is set, the other one is undefined. */
export type Result<Data> = { data: Data; error: undefined } | { data: undefined; error: VerifyError }

/** Verifies tokens of one database. Its functions work without `this`, and never reject. */
export interface Verifier {
  /** Verifies a token, or the value of an `Authorization` header with a Bearer token. */
  verify(tokenOrHeader: string | null | undefined): Promise<Result<VerifiedUser>>
  /**
   * Returns the user's current tenants, from the server's `/users/me`, even if they are more than 50. A token that was
   * revoked since it was issued is `token_invalid`.
   */
  fetchTenants(tokenOrHeader: string | null | undefined): Promise<Result<string[]>>
}

/** How far the clocks of two servers may differ. */
const clockSkewSeconds = 30

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
 * @throws {TypeError} if an option is missing or invalid
 */
export function createVerifier(options: VerifierOptions): Verifier {
  assertValid(options)
  // Reads the global `fetch` at each call, so that a later replacement takes effect.
  const { fetch: fetchOption = (url, init) => fetch(url, init), timeoutMs = 5_000, now = Date.now } = options
  const http = { fetch: fetchOption, timeoutMs }
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const issuer = `${baseUrl}/workspaces/${options.workspace}/databases/${options.database}`
  const findKey = createKeySet(`${issuer}/.well-known/jwks.json`, http, now)

  async function verifiedUser(token: string): Promise<VerifiedUser> {
    const nowMs = now()
    const { payload } = await jwtVerify<Claims>(token, findKey, {
      algorithms,
      issuer,
      audience: issuer,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: new Date(nowMs),
    })
    const { sub, tenants, iat, exp } = payload
    if (typeof sub !== 'string') throw new Error('sub is not a string')
    if (iat > nowMs / 1000 + clockSkewSeconds) throw new Error('iat is in the future')
    if (!isTenants(tenants)) throw new Error('tenants is not a list of strings')
    return { userId: sub, tenants, expiresAt: new Date(exp * 1000), claims: payload }
  }

  async function currentTenants(token: string) {
    await verifiedUser(token)
    const headers = { Authorization: `Bearer ${token}` }
    const { tenants } = await getJson(`${issuer}/users/me`, http, { maxBytes: maxUserBytes, headers })
    if (tenants && isTenants(tenants)) return tenants
    throw new VerifyError('unavailable', { cause: new Error('/users/me returned no list of tenants') })
  }

  return {
    verify: (tokenOrHeader) => toResult(tokenOrHeader, verifiedUser),
    fetchTenants: (tokenOrHeader) => toResult(tokenOrHeader, currentTenants),
  }
}

function assertValid(options: VerifierOptions) {
  const { baseUrl, workspace, database, fetch, timeoutMs, now } = Object(options) as Partial<VerifierOptions>
  const assert = (isValid: boolean, problem: string) => {
    if (!isValid) throw new TypeError(`createVerifier: ${problem}`)
  }
  assert(isRootUrl(baseUrl), 'baseUrl must be an http or https URL without query and fragment')
  assert(isPathName(workspace), 'workspace must be the slug of a workspace')
  assert(isPathName(database), 'database must be the name of a database')
  assert(fetch === undefined || typeof fetch === 'function', 'fetch must be a function')
  assert(timeoutMs === undefined || isTimeout(timeoutMs), 'timeoutMs must be an integer from 1 to 2147483647')
  assert(now === undefined || typeof now === 'function', 'now must be a function')
}

const isRootUrl = (url: unknown) =>
  typeof url === 'string' && /^https?:\/\/[^?#@]+$/.test(url) && URL.canParse(url)

const isPathName = (name: unknown) =>
  typeof name === 'string' && /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(name)

const isTimeout = (timeout: number) => Number.isInteger(timeout) && timeout > 0 && timeout < 2 ** 31

const isTenants = (tenants: unknown): tenants is string[] | undefined =>
  tenants === undefined || (Array.isArray(tenants) && tenants.every((each) => typeof each === 'string'))

async function toResult<Data>(input: unknown, use: (token: string) => Promise<Data>): Promise<Result<Data>> {
  try {
    return { data: await use(readToken(input)), error: undefined }
  } catch (cause) {
    if (cause instanceof VerifyError) return { data: undefined, error: cause }
    const code = cause instanceof errors.JWTExpired ? 'token_expired' : 'token_invalid'
    return { data: undefined, error: new VerifyError(code, { cause }) }
  }
}

/** Returns the token of a header (RFC 6750 §2.1), or a token without its header. */
function readToken(input: unknown): string {
  if (input === undefined || input === null) throw new VerifyError('token_missing')
  if (typeof input !== 'string') throw new VerifyError('token_invalid')
  const token = /^bearer( |$)/i.test(input) ? input.slice(7).trim() : input
  // Neither a token nor a Bearer token: another scheme, or nothing.
  if (token === '' || (token === input && input.includes(' '))) throw new VerifyError('token_missing')
  // The encoding of RFC 7515 exactly: no padding, no line breaks.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new VerifyError('token_invalid')
  return token
}
