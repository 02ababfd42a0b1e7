import { get, type HttpOptions } from './get-json.js'
import { type RevocationPage, readPage } from './revocation-page.js'

/** The maximum size of a page of 1,000 revocations. */
const maxBytes = 1_048_576
/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1

export interface FeedSource {
  url: string
  apiKey: string
  http: HttpOptions
}

export interface PageRequest {
  /** The cursor of the page before. */
  after: string | undefined
  /** Seconds for which the server holds the request until there is a revocation. */
  wait: number
  /** Ends the request. */
  request: AbortController
}

/** An error of the feed, for the state of a verifier. */
export class FeedError extends Error {
  override name = 'FeedError'
  /** HTTP status, and problem code of the server. */
  readonly status: number
  readonly code: unknown
  readonly retryAfterSeconds: number

  constructor(url: string, { status, body, retryAfterSeconds }: Awaited<ReturnType<typeof get>>) {
    super(`GET ${url} returned ${status} ${typeof body.code === 'string' ? body.code : ''}`.trimEnd())
    this.status = status
    this.code = body.code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Requests a page of the feed.
 *
 * @throws {FeedError} if the status is not 200; another error if there is no response or its page is malformed
 */
export async function requestPage(
  { url, apiKey, http }: FeedSource,
  { after, wait, request }: PageRequest,
): Promise<RevocationPage & { retryAfterSeconds: number }> {
  const query = new URLSearchParams({ limit: '1000', wait: String(wait), ...(after && { after }) })
  // In Node 20, a signal of `AbortSignal.any` never aborts if that of a time limit is collected as garbage.
  const expire = () => request.abort(new DOMException('The feed did not respond', 'TimeoutError'))
  const timer: unknown = setTimeout(expire, Math.min(wait * 1000 + http.timeoutMs, maxTimerMs))
  ;(timer as { unref?: () => void }).unref?.()
  const response = await get(`${url}?${query}`, {
    fetch: http.fetch,
    signal: request.signal,
    maxBytes,
    headers: { Authorization: `Bearer ${apiKey}` },
  }).finally(() => clearTimeout(timer as number))
  const { status, body, retryAfterSeconds } = response
  if (status !== 200) throw new FeedError(url, response)
  const page = readPage(body)
  if (page.next === after && (page.revocations.length > 0 || page.moreAvailable))
    throw new Error('The feed of revocations returned the same cursor again')
  return { ...page, retryAfterSeconds }
}
