import { type CryptoKey, importJWK, type JWTHeaderParameters } from 'jose'
import { VerifyError } from './errors.js'
import { getJson, type HttpOptions, isWorker } from './get-json.js'

/** Algorithms with which a server signs. */
export const algorithms = ['ES256', 'RS256', 'EdDSA']

/** The age from which keys are fetched again while requests use the cached ones. */
const refreshAfterMs = 150_000
/** The age from which a request waits for newer keys: the `max-age` of the key set's Cache-Control. */
const maxAgeMs = 300_000
/** The age from which keys are not used even if the server is unavailable. No token lives longer. */
const maxStaleMs = 86_400_000
/** The minimum time between two fetches. Without it, each request with an unknown key ID would cause one. */
const cooldownMs = 5_000

/** The maximum size of a key set. 100 keys of the longest kind are smaller. */
const maxBytes = 65_536
const maxKeys = 100

/** Creates a cached key set. */
export function createKeySet(url: string, http: HttpOptions, now: () => number) {
  const isolatesRequests = isWorker()
  let keys: Awaited<ReturnType<typeof fetchKeys>> = new Map()
  let fetchedAt = -Infinity
  let triedAt = -Infinity
  let failure: unknown
  let pending: Promise<void> | undefined

  // The absolute value, so that everything counts as old after the clock was set back.
  const ageMs = (instant: number) => Math.abs(now() - instant)

  async function tryRefresh() {
    const startedAt = now()
    try {
      keys = await fetchKeys(url, http)
      fetchedAt = startedAt
      failure = undefined
    } catch (error) {
      failure = error
      if (error instanceof VerifyError && error.code === 'database_not_found') keys = new Map()
    }
    triedAt = now()
    pending = undefined
  }

  function refresh() {
    if (pending) return pending
    const attempt = tryRefresh()
    if (!isolatesRequests) pending = attempt
    return attempt
  }

  /**
   * Finds the key of a token's header.
   *
   * @throws {VerifyError} `token_invalid` if the key is not in the set; the error of the last fetch if it failed
   */
  async function find({ kid = '', alg }: JWTHeaderParameters): Promise<CryptoKey> {
    const cached = () => (ageMs(fetchedAt) < maxStaleMs ? keys.get(`${alg} ${kid}`) : undefined)
    const age = ageMs(fetchedAt)
    const isUnknown = !cached()
    if ((isUnknown || age >= refreshAfterMs) && (pending || ageMs(triedAt) >= cooldownMs)) {
      // No request waits for an unavailable server, but a failure of long ago does not show that it still is.
      const isUnavailable = failure && ageMs(triedAt) < maxAgeMs
      const refreshing = refresh()
      if (isUnknown || (age >= maxAgeMs && !isUnavailable) || isolatesRequests) await refreshing
    }
    const key = cached()
    if (key) return key
    throw failure ?? new VerifyError('token_invalid', { cause: new Error('The key set has no such kid') })
  }

  return { find, refresh }
}

/** Returns the keys of a key set by algorithm and ID. */
async function fetchKeys(url: string, http: HttpOptions) {
  const { keys } = await getJson(url, http, { maxBytes })
  try {
    const usable = (keys as Record<string, string>[]).filter(({ alg = '' }) => algorithms.includes(alg))
    if (usable.length === 0) throw new Error(`${url} has no key that can verify tokens`)
    if (usable.length > maxKeys) throw new Error(`${url} has more than ${maxKeys} keys`)
    const entries = usable.map(async (jwk) => [`${jwk.alg} ${jwk.kid}`, await importJWK(jwk)] as const)
    return new Map((await Promise.all(entries)) as [string, CryptoKey][])
  } catch (cause) {
    throw new VerifyError('unavailable', { cause })
  }
}
