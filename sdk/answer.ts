import type { Fetch, FetchInit, FetchResponse } from './fetch.js'

/** What came of a request: a response, read to its end, or the cause why there is none. */
export interface Answer {
  response?: FetchResponse
  /** The body as JSON; absent where it is none. */
  body?: unknown
  /** Seconds to wait, where the response says so. */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Sends one request; never rejects. */
export async function request(fetch: Fetch, url: string, init: FetchInit): Promise<Answer> {
  try {
    const response = await fetch(url, init)
    const body = parse(await response.text())
    return { response, body, retryAfterSeconds: seconds(response.headers.get('retry-after')) }
  } catch (cause) {
    return { cause }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Retry-After as seconds from now: it is a number of them or a date (RFC 9110 §10.2.3). */
function seconds(retryAfter: string | null) {
  if (!retryAfter) return undefined
  const wait = /\D/.test(retryAfter) ? (Date.parse(retryAfter) - Date.now()) / 1000 : Number(retryAfter)
  return wait >= 0 ? Math.ceil(wait) : undefined
}
