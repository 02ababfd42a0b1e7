import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.js'
import { Problem } from './problem.js'

/** What a thread is asked to do. */
export type HashJob =
  | { kind: 'hash'; password: string; cost: Pick<Config['hashing'], 'memoryKib' | 'passes' | 'parallelism'> }
  | { kind: 'verify'; password: string; hash: string }

/** What a thread answers: the hash, whether it matches, or what was wrong. */
export type HashAnswer = { result: string | boolean } | { error: string }

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
  /** When it was asked for, or since a thread works on it: when that took it up. */
  since: number
  job: HashJob
  isGone: (() => boolean) | undefined
  resolve(result: string | boolean): void
  reject(error: Error): void
}

interface Thread {
  worker: Worker
  hasAnswered: boolean
  working: Waiting | undefined
}

/** Threads of our own that hash, so that nothing else waits for libuv's few behind them. */
export interface HashPool {
  /**
   * @param isGone asked when the job's turn comes; it is dropped where nobody waits for its answer any more
   * @throws {Problem} `unavailable` at once, where the jobs before it would take too long
   */
  run(job: HashJob, isGone?: () => boolean): Promise<string | boolean>
  /** Throws what `run` would, so that nothing is done in vain before. */
  requireRoom(): void
  stats(): HashStats
  close(): Promise<void>
}

/** Built, also where the rest runs from its sources: a thread of Node's own reads JavaScript alone. */
const workerFile = createRequire(import.meta.url).resolve('#hash-worker')

/**
 * @param threads how many hash at once
 * @param queueSeconds the longest that a job may have to wait, by the pace of those before it
 */
export function createHashPool(threads: number, queueSeconds: number): HashPool {
  const queue: Waiting[] = []
  const idle: Thread[] = []
  const all = new Set<Thread>()
  let secondsPerJob = 0
  let isClosing = false
  const done = { started: 0, waitedSeconds: 0, shed: 0 }
  const waitSeconds = () => (idle.length > 0 ? 0 : ((queue.length + 1) / threads) * secondsPerJob)

  function requireRoom() {
    const wait = waitSeconds()
    if (wait <= queueSeconds) return
    done.shed += 1
    const detail = 'Too many are logging in at once.'
    throw new Problem('unavailable', { detail, retryAfterSeconds: Math.ceil(wait) })
  }

  function start() {
    const thread: Thread = {
      worker: new Worker(workerFile, { execArgv: [] }),
      hasAnswered: false,
      working: undefined,
    }
    thread.worker.on('message', (answer: HashAnswer) => finish(thread, answer))
    thread.worker.on('error', (error) => {
      all.delete(thread)
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
      thread.working?.reject(error)
      // One that never answered would not do so the next time either.
      if (thread.hasAnswered) start()
      else if (all.size === 0) for (const { reject } of queue.splice(0)) reject(error)
    })
    all.add(thread)
    rest(thread)
  }

  function finish(thread: Thread, answer: HashAnswer) {
    const { working } = thread
    thread.hasAnswered = true
    thread.working = undefined
    if (working) {
      const seconds = (performance.now() - working.since) / 1000
      // Slow ones count more: where the load grows, those to come are slower than those before.
      const weight = secondsPerJob === 0 ? 1 : seconds > secondsPerJob ? 0.2 : 0.05
      secondsPerJob += weight * (seconds - secondsPerJob)
      if ('error' in answer) working.reject(new Error(answer.error))
      else working.resolve(answer.result)
    }
    rest(thread)
  }

  function rest(thread: Thread) {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!next.isGone?.()) return work(thread, next)
      next.reject(new Problem('unavailable', { detail: 'The client hung up.' }))
    }
    // A process with nothing but idle threads may end.
    if (!isClosing) thread.worker.unref()
    idle.push(thread)
  }

  function work(thread: Thread, waiting: Waiting) {
    const now = performance.now()
    done.started += 1
    done.waitedSeconds += (now - waiting.since) / 1000
    waiting.since = now
    thread.working = waiting
    thread.worker.postMessage(waiting.job)
  }

  for (let i = 0; i < threads; i++) start()
  return {
    requireRoom,
    async run(job, isGone) {
      if (all.size === 0) throw new Error('no thread for hashing could be started')
      requireRoom()
      return new Promise((resolve, reject) => {
        const waiting = { since: performance.now(), job, isGone, resolve, reject }
        const thread = idle.pop()
        if (!thread) return queue.push(waiting)
        thread.worker.ref()
        work(thread, waiting)
      })
    },
    stats: () => ({
      threads: all.size,
      busy: all.size - idle.length,
      queued: queue.length,
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
