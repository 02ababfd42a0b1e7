import type { Fetch, FetchInit, FetchResponse } from './fetch.js'

/** One HTTP exchange: a response that was read completely, or the cause of the failure. */
export interface Exchange {
  response?: FetchResponse
  /** The parsed JSON body. Undefined if the body is not JSON. */
  body?: unknown
  /** Seconds to wait, from the Retry-After header. */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Sends one request. Never rejects. */
export async function exchange(fetch: Fetch, url: string, init: FetchInit): Promise<Exchange> {
  try {
    const response = await fetch(url, init)
    const body = parseJson(await response.text())
    return { response, body, retryAfterSeconds: parseRetryAfter(response.headers.get('retry-after')) }
  } catch (cause) {
    return { cause }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the seconds from now. The header has a number of seconds or a date (RFC 9110 §10.2.3). */
function parseRetryAfter(header: string | null) {
  if (!header) return undefined
  const seconds = /\D/.test(header) ? (Date.parse(header) - Date.now()) / 1000 : Number(header)
  return seconds >= 0 ? Math.ceil(seconds) : undefined
}
