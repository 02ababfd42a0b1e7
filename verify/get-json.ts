import { VerifyError, type VerifyErrorCode } from './errors.js'

/** The subset of `fetch` that the verifier calls. The `fetch` of every runtime matches it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request options that the verifier passes to `fetch`. */
export interface FetchInit {
  headers: Record<string, string>
  redirect: 'manual'
  signal: AbortSignal
}

/** The properties of a response that the verifier reads. */
export interface FetchResponse {
  readonly status: number
  json(): Promise<unknown>
}

export interface HttpOptions {
  fetch: Fetch
  timeoutMs: number
}

/** Problems of the server that say why there is no user. Any other response is `unavailable`. */
const refusals: readonly VerifyErrorCode[] = ['token_expired', 'token_invalid', 'database_not_found']

/**
 * Returns the JSON object of a response with status 200.
 *
 * @throws {VerifyError} if there is none
 */
export async function getJson(
  url: string,
  { fetch, timeoutMs }: HttpOptions,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal })
    if (response.status === 200) return Object(await response.json())
    const body = Object(await response.json().catch(() => undefined))
    const cause = new Error(`GET ${url} returned ${response.status}`)
    throw new VerifyError(refusals.find((code) => code === body.code) ?? 'unavailable', { cause })
  } catch (cause) {
    throw cause instanceof VerifyError ? cause : new VerifyError('unavailable', { cause })
  }
}
