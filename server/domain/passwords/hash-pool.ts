import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config.js'
import { Problem } from '../problem.js'

/** What a thread is asked to do. */
export type HashJob =
  | { kind: 'hash'; password: string; cost: Pick<Config['hashing'], 'memoryKib' | 'passes' | 'parallelism'> }
  | { kind: 'verify'; password: string; hash: string }

/** What comes of a job: the hash, whether it matches, or what was wrong; nothing where it was called off. */
export type HashOutcome = { result: string | boolean } | { error: string } | { skipped: true }

/** A job on its way to a thread. By its serial it is called off, and answered: no other may get its outcome. */
export interface HashRequest {
  serial: number
  job: HashJob
}

export type HashResponse = HashOutcome & Pick<HashRequest, 'serial'>

/** Who waits for the outcome. */
export interface Client {
  isDisconnected(): boolean
  onceDisconnected(listener: () => void): void
}

/** How a pool is doing at this moment, and what it has done so far. */
export interface HashStats {
  threads: number
  busy: number
  queued: number
  /** How long a job that came now would wait. */
  queueSeconds: number
  started: number
  /** How long those started had waited, together. */
  waitedSeconds: number
  shed: number
}

interface Waiting {
  /** When it was asked for; of one that is worked on, when that began. */
  since: number
  order: HashRequest
  client: Client | undefined
  resolve(result: string | boolean): void
  reject(error: Error): void
}

interface Thread {
  worker: Worker
  hasResponded: boolean
  /** The one that it works on, and the next. */
  jobs: Waiting[]
  /** Shared with it: the serial of the order that it is to skip. */
  toSkip: Int32Array
}

/** A thread has its next job at hand: where all cores are busy, waiting for it cost a fourteenth of the logins. */
const jobsAtHand = 2

/** Threads of our own that hash, so that nothing else waits for libuv's few behind them. */
export interface HashPool {
  /**
   * @param client who is gone before the job's turn comes is not worked for
   * @throws {Problem} `unavailable` at once, where the jobs before it would take too long
   */
  run(job: HashJob, client?: Client): Promise<string | boolean>
  /** Throws what `run` would, so that nothing is done in vain before. */
  assertCapacity(): void
  stats(): HashStats
  close(): Promise<void>
}

const disconnected = () => new Problem('unavailable', { detail: 'The client hung up.' })

/** Built, also where the rest runs from its sources: a thread of Node's own reads JavaScript alone. */
const workerFile = createRequire(import.meta.url).resolve('#hash-worker')

/**
 * @param threads how many hash at once
 * @param queueSeconds the longest that a job may have to wait, by the pace of those before it
 */
export function createHashPool(threads: number, queueSeconds: number): HashPool {
  const queue: Waiting[] = []
  const all = new Set<Thread>()
  let secondsPerJob = 0
  let lastSerial = 0
  let isClosing = false
  const done = { started: 0, waitedSeconds: 0, shed: 0 }
  const busy = () => [...all].filter(({ jobs }) => jobs.length > 0).length
  const queued = () => [...all].reduce((sum, { jobs }) => sum + Math.max(0, jobs.length - 1), queue.length)
  const waitSeconds = () => (busy() < all.size ? 0 : ((queued() + 1) / threads) * secondsPerJob)

  function assertCapacity() {
    const wait = waitSeconds()
    if (wait <= queueSeconds) return
    done.shed += 1
    const detail = 'Too many are logging in at once.'
    throw new Problem('unavailable', { detail, retryAfterSeconds: Math.ceil(wait) })
  }

  function start() {
    const toSkip = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(workerFile, { execArgv: [], workerData: toSkip })
    const thread: Thread = { worker, hasResponded: false, jobs: [], toSkip }
    thread.worker.on('message', (answer: HashResponse) => finish(thread, answer))
    thread.worker.on('error', (error) => {
      all.delete(thread)
      for (const { reject } of thread.jobs) reject(error)
      // One that never answered would not do so the next time either.
      if (thread.hasResponded) start()
      else if (all.size === 0) for (const { reject } of queue.splice(0)) reject(error)
    })
    all.add(thread)
    feed(thread)
  }

  function finish(thread: Thread, answer: HashResponse) {
    const at = thread.jobs.findIndex(({ order }) => order.serial === answer.serial)
    const [finished] = at === -1 ? [] : thread.jobs.splice(at, 1)
    thread.hasResponded = true
    if (finished && 'skipped' in answer) finished.reject(disconnected())
    else if (finished) {
      const seconds = (performance.now() - finished.since) / 1000
      // Slow ones count more: where the load grows, those to come are slower than those before.
      const weight = secondsPerJob === 0 ? 1 : seconds > secondsPerJob ? 0.2 : 0.05
      secondsPerJob += weight * (seconds - secondsPerJob)
      if ('error' in answer) finished.reject(new Error(answer.error))
      else if ('result' in answer) finished.resolve(answer.result)
    }
    if (thread.jobs[0]) begin(thread, thread.jobs[0])
    feed(thread)
  }

  function feed(thread: Thread) {
    while (thread.jobs.length < jobsAtHand) {
      const next = queue.shift()
      if (!next) break
      if (next.client?.isDisconnected()) next.reject(disconnected())
      else give(thread, next)
    }
    // A process with nothing but idle threads may end.
    if (thread.jobs.length === 0 && !isClosing) thread.worker.unref()
  }

  function give(thread: Thread, waiting: Waiting) {
    thread.worker.postMessage(waiting.order)
    if (thread.jobs.push(waiting) > 1) return skipOnceDisconnected(thread, waiting)
    thread.worker.ref()
    begin(thread, waiting)
  }

  /** The thread has it at hand, but not begun. */
  function skipOnceDisconnected(thread: Thread, { order, client }: Waiting) {
    client?.onceDisconnected(() => {
      if (thread.jobs[1]?.order === order) Atomics.store(thread.toSkip, 0, order.serial)
    })
  }

  function begin(thread: Thread, waiting: Waiting) {
    if (Atomics.load(thread.toSkip, 0) === waiting.order.serial) return
    const now = performance.now()
    done.started += 1
    done.waitedSeconds += (now - waiting.since) / 1000
    waiting.since = now
  }

  for (let i = 0; i < threads; i++) start()
  return {
    assertCapacity,
    async run(job, client) {
      const [first, ...others] = all
      if (!first) throw new Error('no thread for hashing could be started')
      assertCapacity()
      const freest = others.reduce((best, each) => (each.jobs.length < best.jobs.length ? each : best), first)
      return new Promise((resolve, reject) => {
        lastSerial = (lastSerial + 1) | 0
        const order = { serial: lastSerial, job }
        const waiting = { since: performance.now(), order, client, resolve, reject }
        if (freest.jobs.length < jobsAtHand) give(freest, waiting)
        else queue.push(waiting)
      })
    },
    stats: () => ({
      threads: all.size,
      busy: busy(),
      queued: queued(),
      queueSeconds: waitSeconds(),
      ...done,
    }),
    // Not terminate(): native code that is just being loaded would take the process with it.
    async close() {
      isClosing = true
      const exits = [...all].map(({ worker }) => {
        worker.ref()
        worker.postMessage('close')
        return once(worker, 'exit')
      })
      await Promise.all(exits)
    },
  }
}
