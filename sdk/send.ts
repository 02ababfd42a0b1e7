import { type Answer, request } from './answer.js'
import type { Fetch, FetchInit } from './fetch.js'

/** How requests are sent. */
export interface SendOptions {
  /** Sends each request; the runtime's own `fetch` by default. */
  fetch?: Fetch | undefined
  /**
   * Time for a whole call in milliseconds, retries and the waits before them included.
   *
   * @default 10_000
   */
  timeoutMs?: number | undefined
  /**
   * How often a call is sent again at most, when no answer came or the answer was 503.
   *
   * @default 2
   */
  retries?: number | undefined
}

/**
 * Sends a request until there is an answer to keep, the time is up or the caller aborts; never rejects.
 *
 * A 503 is followed by another try, and so is the lack of an answer if `isRepeatable`. The wait before it is that of
 * Retry-After and some more, at random, lest all clients come back at once; one that would outlast the time is not begun.
 */
export const send = (
  url: string,
  init: Omit<FetchInit, 'signal'>,
  isRepeatable: boolean,
  // The global `fetch` is looked up at each call: who replaces it later is heard.
  { fetch: fetchOnce = fetch, timeoutMs = 10_000, retries = 2 }: SendOptions,
  signal: AbortSignal | undefined,
) =>
  new Promise<Answer>((resolve) => {
    const deadline = Date.now() + timeoutMs
    const end = new AbortController()
    let timer: unknown
    let pause: unknown

    const finish = (answer: Answer) => {
      clearTimeout(timer)
      clearTimeout(pause)
      signal?.removeEventListener('abort', abort)
      if (!answer.response) end.abort(answer.cause)
      resolve(answer)
    }
    const abort = () => finish({ cause: signal?.reason })
    const attempt = async (retry: number) => {
      const answer = await request(fetchOnce, url, { ...init, signal: end.signal })
      const mayRetry = answer.response ? answer.response.status === 503 : isRepeatable
      const waitMs = (answer.retryAfterSeconds ?? 0) * 1000 + (1 + Math.random()) * 200 * 2 ** retry
      const isTooLate = end.signal.aborted || Date.now() + waitMs >= deadline
      if (!mayRetry || retry >= retries || isTooLate) finish(answer)
      else pause = setTimeout(() => attempt(retry + 1), waitMs)
    }

    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    timer = setTimeout(() => finish({ cause: timeoutError(timeoutMs) }), Math.min(timeoutMs, maxTimerMs))
    attempt(0)
  })

/** The longest that timers run in any runtime, some 25 days: to them, Infinity is no time at all. */
const maxTimerMs = 2 ** 31 - 1

const timeoutError = (timeoutMs: number) =>
  Object.assign(new Error(`No answer within ${timeoutMs} ms`), { name: 'TimeoutError' })
