import { type Exchange, exchange } from './exchange.js'
import type { Fetch, FetchInit } from './fetch.js'
import type { OptionChecks } from './options.js'

/** Options for sending requests. */
export interface SendOptions {
  /** Sends each request. The global `fetch` by default. */
  fetch?: Fetch | undefined
  /** Timeout of a call in milliseconds, including retries and the waits before them. 10,000 by default. */
  timeoutMs?: number | undefined
  /** Maximum number of retries of a repeatable request, after status 503 or if there was no response. 2 by default. */
  retries?: number | undefined
}

/** Neither negative nor NaN. */
const positive = /^[^-N]/
export const sendChecks: OptionChecks = {
  fetch: ['function | undefined'],
  timeoutMs: ['number | undefined', positive],
  retries: ['number | undefined', positive],
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, including the waits before its retries. */
  signal?: AbortSignal | undefined
  /** Is sent instead of the client's token, such as that of `openSsoPortal`. */
  token?: string | undefined
}

/** Options of a call that needs a confirmation of the user. */
export interface ConfirmOptions {
  /** `confirmation.value` of `stepUp`. */
  confirmation?: string | undefined
}

/** Options of a call for which the server may want a proof of work. */
export interface WorkOptions {
  /** Called with the progress from 0 to 1, while the client does the work. */
  onWork?: ((progress: number) => void) | undefined
}

/** A request that can be sent. */
export interface SendableRequest {
  url: string
  init: Omit<FetchInit, 'signal'>
  isRepeatable: boolean
}

/**
 * Sends a request. Retries a repeatable one after status 503 or without a response: in both cases the server may have
 * processed it. Never rejects.
 *
 * The wait is Retry-After plus a growing random backoff, so that clients do not return simultaneously. A wait that would
 * exceed the timeout is not started.
 */
export const send = (
  { url, init, isRepeatable }: SendableRequest,
  // Reads the global `fetch` at each call, so that a later replacement takes effect.
  { fetch: fetchOption = fetch, timeoutMs = 10_000, retries = 2 }: SendOptions,
  { signal }: CallOptions = {},
) =>
  new Promise<Exchange>((resolve) => {
    const startedAt = Date.now()
    const controller = new AbortController()
    /** Ends the wait before the next attempt. */
    let timer: unknown

    const finish = (result: Exchange) => {
      clearTimeout(timer)
      clearTimeout(deadline)
      signal?.removeEventListener('abort', abort)
      if (!result.response) controller.abort(result.cause)
      resolve(result)
    }
    const abort = () => finish({ cause: signal?.reason })
    const attempt = async (retry: number) => {
      const result = await exchange(fetchOption, url, { ...init, signal: controller.signal })
      const isRetryable = isRepeatable && (result.response?.status ?? 503) === 503
      const waitMs = (result.retryAfterSeconds ?? 0) * 1000 + (1 + Math.random()) * 200 * 2 ** retry
      // The absolute value, so that a clock that was set back causes no retry.
      const isTooLate = controller.signal.aborted || Math.abs(Date.now() - startedAt) + waitMs >= timeoutMs
      if (!isRetryable || retry >= retries || isTooLate) return finish(result)
      timer = setTimeout(() => attempt(retry + 1), waitMs)
    }

    // One timer for all attempts, because the clock can be set back between them.
    const deadline = setTimeout(
      () => finish({ cause: timeoutError(timeoutMs) }),
      Math.min(timeoutMs, maxTimerMs),
    )
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    attempt(0)
  })

/** The longest delay of a timer, about 25 days. With a longer one, timers fire immediately. */
export const maxTimerMs = 2 ** 31 - 1

const timeoutError = (timeoutMs: number) =>
  Object.assign(new Error(`No response within ${timeoutMs} ms`), { name: 'TimeoutError' })
