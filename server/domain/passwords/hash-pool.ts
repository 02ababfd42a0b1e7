import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type Client, onceGivenUp, overloaded } from '../caller.js'
import { ClientDisconnected, Problem } from '../problem.js'
import type { Argon2Cost } from './argon2.js'
import { createFairQueue } from './fair-queue.js'

/** What a thread computes. */
export type HashJob =
  | { kind: 'hash'; password: string; cost: Argon2Cost }
  | { kind: 'verify'; password: string; hash: string }

/** The hash, or whether it matches; an error's message; or that the job was cancelled before it started. */
export type HashOutcome = { result: string | boolean } | { error: string } | { skipped: true }

/** A job as sent to a thread. Its serial pairs it with its cancellation and its response. */
export interface HashRequest {
  serial: number
  job: HashJob
}

export type HashResponse = HashOutcome & Pick<HashRequest, 'serial'>

/** The present load of a pool, and its totals. */
export interface HashStats {
  threads: number
  busy: number
  queued: number
  /** How long a job behind all waiting ones would wait. */
  queueSeconds: number
  started: number
  /** Total wait of the started jobs. */
  waitedSeconds: number
  shed: number
}

interface Waiting {
  /** When it was submitted or, once running, started; in milliseconds. */
  since: number
  request: HashRequest
  client: Client | undefined
  /** Why the job is not to start any more. */
  givenUp?: Error
  /** Ends the watch over client and deadline. */
  unwatch?: () => void
  resolve(result: string | boolean): void
  reject(error: Error): void
}

/** What the pool uses of a worker thread. */
export type HashThread = EventEmitter & Pick<Worker, 'postMessage' | 'ref' | 'unref'>

interface Thread {
  worker: HashThread
  hasResponded: boolean
  /** Threads before it that ended without having responded. */
  failedStarts: number
  /** The running job, and the next. */
  jobs: Waiting[]
  /** Shared with the thread: the serial of the job that it must skip. */
  skipped: Int32Array
}

/** A thread holds its next job already: waiting for it reduced login throughput by 7 % when all cores were busy. */
const jobsPerThread = 2

/** By how much jobs may become slower until those that were accepted are rejected at their deadline. */
const caution = 1.25

/** The delay before a thread that could not start is replaced: doubled each time. */
const firstRetryMilliseconds = 100
const longestRetryMilliseconds = 10_000

/** Jobs without a client take turns as one network. */
const networkOf = (client: Client | undefined) => client?.network ?? ''

/** How long a pool tries to start a thread before it has stopped. */
const stoppedMilliseconds = 60_000

/** Threads that only hash, so that nothing else waits for libuv's few threads. */
export interface HashPool {
  /**
   * @param client a job whose client has disconnected, or whose deadline has passed, is not started
   * @throws {Problem} `unavailable`, immediately if the jobs before it would take too long
   */
  run(job: HashJob, client?: Client): Promise<string | boolean>
  /**
   * Lets a caller reject a request of the network early, because held jobs come before it as well.
   *
   * @throws {Problem} `unavailable`
   */
  assertCapacity(network: string): void
  /** Returns the expected wait of a job of the network, without held jobs, which come later. */
  waitSeconds(network: string): number
  /** Counts a job that the network will submit later in the expected wait, until the returned function is called. */
  hold(network: string): () => void
  /** @throws {Problem} `unavailable` if no thread works, and none could be started */
  assertWorking(): void
  /** Fulfilled with the reason after a minute in which no thread worked. */
  stopped: Promise<Error>
  stats(): HashStats
  close(): Promise<void>
}

/** The compiled file, even when the rest runs from its sources: a worker thread runs JavaScript only. */
const workerFile = createRequire(import.meta.url).resolve('#hash-worker')

const startThread = (skipped: Int32Array): HashThread =>
  new Worker(workerFile, { execArgv: [], workerData: skipped })

/** Returns a promise that is fulfilled a minute after it was scheduled first, unless that was cancelled. */
function createStop() {
  let timer: NodeJS.Timeout | undefined
  let resolve: (error: Error) => void = () => undefined
  const promise = new Promise<Error>((fulfil) => {
    resolve = fulfil
  })
  const stop = {
    schedule(cause: Error) {
      const message = `no hashing thread could be started for ${stoppedMilliseconds / 1000} s: ${cause.message}`
      timer ??= setTimeout(() => resolve(new Error(message, { cause })), stoppedMilliseconds).unref()
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
  return { promise, stop }
}

/**
 * Starts a pool.
 *
 * @param queueSeconds the longest expected wait of a job that is accepted
 */
export function createHashPool(threads: number, queueSeconds: number, createThread = startThread): HashPool {
  const queue = createFairQueue<Waiting>()
  const all = new Set<Thread>()
  let secondsPerJob = 0
  let lastSerial = 0
  let isClosing = false
  const totals = { started: 0, waitedSeconds: 0, shed: 0 }
  const busy = () => [...all].filter(({ jobs }) => jobs.length > 0).length
  /** Jobs that threads hold but have not started. */
  const next = () => [...all].reduce((sum, { jobs }) => sum + Math.max(0, jobs.length - 1), 0)
  /** @param ahead number of jobs in the queue that start before */
  const secondsBehind = (ahead: number) =>
    busy() < all.size ? 0 : ((next() + ahead + 1) / threads) * secondsPerJob

  /** A replacement is trusted once it has loaded its code; one that may fail as the last did gets no job before. */
  const working = () =>
    [...all].filter(({ hasResponded, failedStarts }) => hasResponded || failedStarts === 0)
  const { promise: stopped, stop } = createStop()
  const retries = new Set<NodeJS.Timeout>()

  function assertWorking() {
    if (working().length > 0) return
    throw new Problem('unavailable', { detail: 'No hashing thread is running.' })
  }

  const waitSeconds = (network: string) => caution * secondsBehind(queue.ahead(network))

  function assertWait(wait: number) {
    assertWorking()
    if (wait <= queueSeconds) return
    totals.shed += 1
    throw overloaded(wait)
  }

  function start(failedStarts = 0) {
    const skipped = new Int32Array(new SharedArrayBuffer(4))
    let worker: HashThread
    try {
      worker = createThread(skipped)
    } catch (error) {
      return retry(failedStarts, error as Error)
    }
    const thread: Thread = { worker, hasResponded: false, failedStarts, jobs: [], skipped }
    worker.on('message', (message: HashResponse | 'ready') => {
      thread.hasResponded = true
      stop.cancel()
      if (message === 'ready') assign(thread)
      else finish(thread, message)
    })
    worker.on('error', (error) => lose(thread, error))
    worker.on('exit', () => lose(thread, new Error('a hashing thread exited')))
    all.add(thread)
    if (failedStarts === 0) assign(thread)
    else worker.unref()
  }

  function lose(thread: Thread, error: Error) {
    if (!all.delete(thread) || isClosing) return
    for (const { reject } of thread.jobs) reject(error)
    if (thread.hasResponded) start()
    else retry(thread.failedStarts, error)
  }

  function retry(failedStarts: number, error: Error) {
    const milliseconds = Math.min(firstRetryMilliseconds * 2 ** failedStarts, longestRetryMilliseconds)
    const timer = setTimeout(() => {
      retries.delete(timer)
      start(failedStarts + 1)
    }, milliseconds).unref()
    retries.add(timer)
    if (working().length > 0) return
    stop.schedule(error)
    for (let waiting = queue.shift(); waiting; waiting = queue.shift()) waiting.reject(error)
  }

  function finish(thread: Thread, response: HashResponse) {
    const at = thread.jobs.findIndex(({ request }) => request.serial === response.serial)
    const [finished] = at === -1 ? [] : thread.jobs.splice(at, 1)
    if (finished && 'skipped' in response) finished.reject(finished.givenUp ?? new ClientDisconnected())
    else if (finished) {
      const seconds = (performance.now() - finished.since) / 1000
      // Slow jobs weigh more: under growing load the next ones are slower than the last.
      const weight = secondsPerJob === 0 ? 1 : seconds > secondsPerJob ? 0.2 : 0.05
      secondsPerJob += weight * (seconds - secondsPerJob)
      if ('error' in response) finished.reject(new Error(response.error))
      else if ('result' in response) finished.resolve(response.result)
    }
    if (thread.jobs[0]) begin(thread, thread.jobs[0])
    assign(thread)
  }

  function assign(thread: Thread) {
    while (thread.jobs.length < jobsPerThread) {
      const waiting = queue.shift()
      if (!waiting) break
      post(thread, waiting)
    }
    // Idle threads must not keep the process alive.
    if (thread.jobs.length === 0 && !isClosing) thread.worker.unref()
  }

  function post(thread: Thread, waiting: Waiting) {
    thread.worker.postMessage(waiting.request)
    if (thread.jobs.push(waiting) > 1) return
    thread.worker.ref()
    begin(thread, waiting)
  }

  function begin(thread: Thread, waiting: Waiting) {
    waiting.unwatch?.()
    if (Atomics.load(thread.skipped, 0) === waiting.request.serial) return
    const now = performance.now()
    totals.started += 1
    totals.waitedSeconds += (now - waiting.since) / 1000
    waiting.since = now
  }

  function giveUp(waiting: Waiting, error: Error) {
    if (queue.remove(networkOf(waiting.client), waiting)) return waiting.reject(error)
    const thread = [...all].find(({ jobs }) => jobs[1] === waiting)
    if (!thread) return
    waiting.givenUp = error
    Atomics.store(thread.skipped, 0, waiting.request.serial)
  }

  for (let i = 0; i < threads; i++) start()
  return {
    assertCapacity: (network) => assertWait(caution * secondsBehind(queue.aheadWithHeld(network))),
    waitSeconds,
    hold: queue.hold,
    async run(job, client) {
      if (client?.isDisconnected()) throw new ClientDisconnected()
      assertWait(waitSeconds(networkOf(client)))
      const leastBusy = working().reduce((best, each) => (each.jobs.length < best.jobs.length ? each : best))
      return new Promise((resolve, reject) => {
        lastSerial = (lastSerial + 1) | 0
        const request = { serial: lastSerial, job }
        const waiting: Waiting = { since: performance.now(), request, client, resolve, reject }
        const mustWait = leastBusy.jobs.length > 0
        if (leastBusy.jobs.length < jobsPerThread) post(leastBusy, waiting)
        else queue.push(networkOf(client), waiting)
        if (mustWait && client) waiting.unwatch = onceGivenUp(client, (error) => giveUp(waiting, error))
      })
    },
    assertWorking,
    stopped,
    stats: () => ({
      threads: working().length,
      busy: busy(),
      queued: next() + queue.size(),
      queueSeconds: secondsBehind(queue.size()),
      ...totals,
    }),
    // Not terminate(): it crashes the process while a thread is loading native code.
    async close() {
      isClosing = true
      stop.cancel()
      for (const timer of retries) clearTimeout(timer)
      const exits = [...all].map(({ worker }) => {
        worker.ref()
        worker.postMessage('close')
        // Not once() of node:events, which rejects if a thread that is starting fails.
        return new Promise((resolve) => worker.once('exit', resolve))
      })
      await Promise.all(exits)
    },
  }
}
