import type { Log } from '../telemetry/audit.js'
import { ClientDisconnected, Problem } from './problem.js'

/** A client that waits for a response. */
export interface Client {
  /** Network of the client address. Sites, and networks within a site, take turns in the queue for hashing. */
  network: string
  /** Latest start of a job, in milliseconds of `performance.now()`. */
  deadline: number
  isDisconnected(): boolean
  /** Calls the listener when the client disconnects. Returns a function that removes it. */
  onceDisconnected(listener: () => void): () => void
}

/** The client of a request, and the log of the request. */
export interface Caller extends Client {
  /** IP address of the client. Empty on a Unix socket. */
  clientAddress: string
  /** Languages that the client accepts, the most wanted first. */
  languages: readonly string[]
  /** Adds the request id to each line. */
  log: Log
  /** Adds `Retry-After` to a successful response, so that the client waits before its next request. */
  askToWait(seconds: number): void
}

/** The longest delay of a timer; a longer one would fire immediately. */
const maxTimerMilliseconds = 2 ** 31 - 1

/**
 * Calls a listener when the client disconnects or its deadline passes.
 *
 * @returns a function that cancels this
 */
export function onceGivenUp(
  client: Client,
  listener: (error: Problem | ClientDisconnected) => void,
): () => void {
  const wait = Math.min(Math.max(client.deadline - performance.now(), 0), maxTimerMilliseconds)
  const timer = setTimeout(() => end(overloaded()), wait)
  const forget = client.onceDisconnected(() => end(new ClientDisconnected()))
  function stop() {
    clearTimeout(timer)
    forget()
  }
  function end(error: Problem | ClientDisconnected) {
    stop()
    listener(error)
  }
  return stop
}

/** @param seconds the expected wait */
export const overloaded = (seconds = 1) =>
  new Problem('unavailable', {
    detail: 'Too many passwords to hash at the same time.',
    retryAfterSeconds: Math.ceil(seconds),
  })
