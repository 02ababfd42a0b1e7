import type { RevocationOptions } from './feed.js'
import { type Fetch, isWorker } from './get-json.js'

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
  /**
   * Follows the revocations of the database from now on. Without it, a revoked token is accepted until it expires. Not
   * supported in Cloudflare Workers.
   */
  revocations?: RevocationOptions | undefined
  /**
   * `accept`: also accepts tokens that single sign-on of a tenant has opened. Their `account` is false: they show that somebody may use
   * their tenants, and nothing else of the user. Refused by default.
   */
  tenantSessions?: 'accept' | undefined
}

/** @throws {TypeError} that names an option if it is missing or invalid */
export function assertValid(options: VerifierOptions) {
  const { baseUrl, workspace, database, fetch, timeoutMs, now, revocations, tenantSessions } = Object(
    options,
  ) as Partial<VerifierOptions>
  assert(isRootUrl(baseUrl), 'baseUrl must be an http or https URL without query and fragment')
  assert(isPathName(workspace), 'workspace must be the slug of a workspace')
  assert(isPathName(database), 'database must be the name of a database')
  assert(fetch === undefined || typeof fetch === 'function', 'fetch must be a function')
  assert(
    timeoutMs === undefined || isInteger(timeoutMs, 1, 2 ** 31 - 1),
    'timeoutMs must be an integer from 1 to 2147483647',
  )
  assert(now === undefined || typeof now === 'function', 'now must be a function')
  assert(tenantSessions === undefined || tenantSessions === 'accept', "tenantSessions must be 'accept'")
  if (revocations !== undefined) assertRevocations(revocations)
}

function assertRevocations(options: RevocationOptions) {
  const { apiKey, onStale, staleSeconds = 30, maxEntries = 1 } = Object(options) as Partial<RevocationOptions>
  assert(
    !isWorker(),
    'revocations must be undefined in a Cloudflare Worker, which cannot read between requests',
  )
  assert(typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey), 'revocations.apiKey must be an API key')
  assert(onStale === 'accept' || onStale === 'refuse', "revocations.onStale must be 'accept' or 'refuse'")
  assert(isInteger(staleSeconds, 10, 86_400), 'revocations.staleSeconds must be an integer from 10 to 86400')
  assert(isInteger(maxEntries, 1, 2 ** 24), 'revocations.maxEntries must be an integer from 1 to 16777216')
}

function assert(isValid: boolean, problem: string) {
  if (!isValid) throw new TypeError(`createVerifier: ${problem}`)
}

const isRootUrl = (url: unknown) =>
  typeof url === 'string' && /^https?:\/\/[^?#@]+$/.test(url) && URL.canParse(url)

const isPathName = (name: unknown) =>
  typeof name === 'string' && /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(name)

const isInteger = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most
