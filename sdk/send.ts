import { type Exchange, exchange } from './exchange.js'
import type { Fetch, FetchInit } from './fetch.js'

/** Options for sending requests. */
export interface SendOptions {
  /** Sends each request. The global `fetch` by default. */
  fetch?: Fetch | undefined
  /** Timeout of a call in milliseconds, including retries and the waits before them. 10,000 by default. */
  timeoutMs?: number | undefined
  /** Maximum number of retries after status 503 or if there was no response. 2 by default. */
  retries?: number | undefined
}

/**
 * Sends a request. Retries it after status 503, and without a response if `isIdempotent`. Never rejects.
 *
 * The wait is Retry-After plus a growing random backoff, so that clients do not return simultaneously. A wait that would
 * exceed the timeout is not started.
 */
export const send = (
  url: string,
  init: Omit<FetchInit, 'signal'>,
  isIdempotent: boolean,
  // Reads the global `fetch` at each call, so that a later replacement takes effect.
  { fetch: fetchOption = fetch, timeoutMs = 10_000, retries = 2 }: SendOptions,
  signal: AbortSignal | undefined,
) =>
  new Promise<Exchange>((resolve) => {
    const deadline = Date.now() + timeoutMs
    const controller = new AbortController()
    let timeoutTimer: unknown
    let retryTimer: unknown

    const finish = (result: Exchange) => {
      clearTimeout(timeoutTimer)
      clearTimeout(retryTimer)
      signal?.removeEventListener('abort', abort)
      if (!result.response) controller.abort(result.cause)
      resolve(result)
    }
    const abort = () => finish({ cause: signal?.reason })
    const attempt = async (retry: number) => {
      const result = await exchange(fetchOption, url, { ...init, signal: controller.signal })
      const isRetryable = result.response ? result.response.status === 503 : isIdempotent
      const waitMs = (result.retryAfterSeconds ?? 0) * 1000 + (1 + Math.random()) * 200 * 2 ** retry
      const isTooLate = controller.signal.aborted || Date.now() + waitMs >= deadline
      if (!isRetryable || retry >= retries || isTooLate) finish(result)
      else retryTimer = setTimeout(() => attempt(retry + 1), waitMs)
    }

    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    timeoutTimer = setTimeout(
      () => finish({ cause: timeoutError(timeoutMs) }),
      Math.min(timeoutMs, maxTimerMs),
    )
    attempt(0)
  })

/** The longest delay of a timer, about 25 days. With a longer one, timers fire immediately. */
export const maxTimerMs = 2 ** 31 - 1

const timeoutError = (timeoutMs: number) =>
  Object.assign(new Error(`No response within ${timeoutMs} ms`), { name: 'TimeoutError' })
