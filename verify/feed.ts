import { FeedError } from './feed-page.js'
import { createReader, type ReaderSettings } from './feed-reader.js'

/** How revocations are read. */
export interface RevocationOptions {
  /** An API key of the database with the scope `revocations:read`. */
  apiKey: string
  /** Whether tokens are accepted or refused while it is not known which ones were revoked. */
  onStale: 'accept' | 'refuse'
  /** Seconds after which the last read is stale. 30 by default, at least 10. */
  staleSeconds?: number | undefined
  /** Maximum number of revocations in memory. With more, the state is stale. 500,000 by default. */
  maxEntries?: number | undefined
}

/** The state of the revocations, for health checks. */
export interface RevocationState {
  /** Whether revocations may be unknown. Tokens are then accepted or refused as `onStale` says. */
  isStale: boolean
  /** The instant up to which all revocations are known. Undefined until they were read once. */
  lastReadAt: Date | undefined
  /** Number of revocations in memory. */
  entries: number
  /** Why the last request failed, or why the state is stale although it succeeded. */
  error: Error | undefined
}

/** The longest time for which a server holds a request, in seconds. */
const maxWaitSeconds = 25
/** Time for a response to arrive before the state is stale. */
const marginMs = 4_000
/** The longest pause after failures, unless `Retry-After` is longer. */
const maxBackoffMs = 5_000
/** The longest `Retry-After` that is followed. */
const maxRetryAfterMs = 60_000

/** Follows the feed of revocations of a database until it is closed. */
export function createFeed({ staleSeconds, ...settings }: ReaderSettings & { staleSeconds: number }) {
  const reader = createReader(settings)
  const age = createAge(settings.now)
  const waiters = createWaiters(settings.http.timeoutMs)
  const stopUnref = unrefRequests(settings.url)
  let failures = 0
  let failure: Error | undefined
  let isClosed = false
  /** Whether nothing happens until a revocation or the end of a pause. */
  let isIdle = false
  let interruption = new AbortController()

  const problem = () => failure ?? reader.unknownType()
  const isStale = () =>
    isClosed || !reader.complete() || reader.unknownType() !== undefined || age.ms() > staleSeconds * 1000

  function waitSeconds() {
    if (failures > 0 || reader.isLoading()) return 0
    const seconds = Math.floor((staleSeconds * 1000 - marginMs - age.ms()) / 1000)
    return Math.min(maxWaitSeconds, Math.max(0, seconds))
  }

  /** Reads the next page. Returns for how many milliseconds to pause. */
  async function readNext(request: AbortController) {
    const wait = waitSeconds()
    isIdle = wait > 0
    const noteRead = age.start()
    const { isLast, isEmpty, retryAfterSeconds } = await reader.readPage({ wait, request })
    if (!isLast) return 0
    failures = 0
    failure = undefined
    // The server has waited before it sent an empty page. Any other page may be as old as the start of its request.
    const heldMs = noteRead(isEmpty && retryAfterSeconds === 0 ? wait * 1000 : 0)
    if (retryAfterSeconds > 0) return Math.min(retryAfterSeconds * 1000, maxRetryAfterMs)
    return isEmpty && heldMs < wait * 1000 - 500 ? 1_000 : 0
  }

  /** Notes a failed request. Returns for how many milliseconds to pause. */
  function noteFailure(cause: unknown) {
    failures += 1
    failure = cause instanceof Error ? cause : new Error(String(cause))
    const backoffMs = Math.min(maxBackoffMs, 250 * 2 ** failures) * (0.5 + Math.random() / 2)
    const retryAfterSeconds = cause instanceof FeedError ? cause.retryAfterSeconds : 0
    return Math.max(backoffMs, Math.min(retryAfterSeconds * 1000, maxRetryAfterMs))
  }

  async function run() {
    while (!isClosed) {
      interruption = new AbortController()
      const { signal } = interruption
      const pauseMs = await readNext(interruption).catch((cause) =>
        signal.reason?.name === 'AbortError' ? 0 : noteFailure(cause),
      )
      if (!isStale() || problem()) waiters.resumeAll()
      isIdle = true
      if (pauseMs > 0) await pause(pauseMs, signal)
    }
  }
  void run()

  return {
    complete: reader.complete,
    isStale,
    problem,
    lastReadAt: age.lastReadAt,
    /** Waits until the state is no longer stale. Does not wait if the last request failed. */
    async refreshed() {
      if (isClosed || problem()) return
      if (isIdle) interruption.abort()
      isIdle = false
      await waiters.wait()
    },
    close() {
      isClosed = true
      stopUnref()
      interruption.abort()
      waiters.resumeAll()
    },
  }
}

/**
 * Measures the age of the last read by two clocks, and uses the greater one. The system clock continues while the machine
 * sleeps, and the steady clock is never set back.
 */
function createAge(now: () => number) {
  const both = () => ({ day: now(), steady: performance.now() })
  let readAt = { day: Number.NaN, steady: -Infinity }

  return {
    /** Milliseconds since the last read. Infinity before the first one. */
    ms() {
      const { day, steady } = both()
      return Math.max(Math.abs(day - readAt.day) || 0, steady - readAt.steady)
    },
    lastReadAt: () => (readAt.steady < 0 ? undefined : new Date(readAt.day)),
    /**
     * Starts a read. Returns a function to call when it has ended, with the milliseconds after the start up to which the read
     * is known to be complete. It returns them, or the elapsed milliseconds if they are fewer.
     */
    start() {
      const startedAt = both()
      return (heldMs: number) => {
        const ms = Math.min(heldMs, performance.now() - startedAt.steady)
        readAt = { day: startedAt.day + ms, steady: startedAt.steady + ms }
        return ms
      }
    },
  }
}

/** The message that Node publishes when `fetch` sends a request: https://undici.nodejs.org, "Diagnostics Channel Support". */
interface SentRequest {
  request: { origin: string; path: string }
  socket: { unref?: () => void }
}

interface Channels {
  subscribe(name: string, listener: (message: never) => void): void
  unsubscribe(name: string, listener: (message: never) => void): void
}

const channel = 'undici:client:sendHeaders'

/**
 * Lets Node exit while a request to this URL waits for its response. Other runtimes wait for it.
 *
 * @returns a function that stops this for later requests
 */
function unrefRequests(url: string) {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => Channels | undefined }
  }
  const channels = process?.getBuiltinModule?.('node:diagnostics_channel')
  const { origin, pathname } = new URL(url)
  const listener = ({ request, socket }: SentRequest) => {
    if (request.origin === origin && request.path.startsWith(`${pathname}?`)) socket.unref?.()
  }
  channels?.subscribe?.(channel, listener)
  return () => channels?.unsubscribe?.(channel, listener)
}

/** Creates a set of callers that wait until they are resumed, at most for a time. */
function createWaiters(timeoutMs: number) {
  const waiting = new Set<() => void>()
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        // Keeps the process alive, because a caller waits for a result.
        const timer = setTimeout(() => resume(), timeoutMs)
        const resume = () => {
          clearTimeout(timer)
          waiting.delete(resume)
          resolve()
        }
        waiting.add(resume)
      }),
    resumeAll() {
      for (const resume of waiting) resume()
    },
  }
}

/** Waits, or until the signal aborts. Does not keep a process alive, where the runtime allows that. */
const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer as number)
      resolve()
    }
    const timer: unknown = setTimeout(end, milliseconds)
    ;(timer as { unref?: () => void }).unref?.()
    signal.addEventListener('abort', end, { once: true })
    // An aborted signal has no further event.
    if (signal.aborted) end()
  })
