import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { HashThread, type HashWorker } from './hash-thread.js'

/** Delay before a thread that could not start is replaced. It doubles each time. */
const firstRetryMilliseconds = 100
const longestRetryMilliseconds = 10_000

/** Time without a working thread after which the supervisor counts as stopped. */
const stoppedMilliseconds = 60_000

/** The compiled file, even when the server runs from its sources, because a worker thread runs only JavaScript. */
const workerFile = createRequire(import.meta.url).resolve('#hash-worker')

/** Starts a worker thread. @throws if the system cannot start one */
export const startHashWorker = (): HashWorker => new Worker(workerFile, { execArgv: [] })

interface SupervisorEvents {
  /** A thread can take a job. */
  free(thread: HashThread): void
  /** No thread works. */
  noneWorking(error: Error): void
}

/** Keeps a number of hashing threads running, and replaces those that end. */
export class HashSupervisor {
  /** Fulfilled with the reason after a minute in which no thread worked. */
  readonly stopped: Promise<Error>
  readonly #startWorker: () => HashWorker
  readonly #events: SupervisorEvents
  readonly #threads = new Set<HashThread>()
  readonly #retries = new Set<NodeJS.Timeout>()
  #stop: (error: Error) => void = () => undefined
  #stopTimer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(startWorker: () => HashWorker, events: SupervisorEvents) {
    this.#startWorker = startWorker
    this.#events = events
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve
    })
  }

  /** Starts one more thread. */
  start(failedStarts = 0) {
    let worker: HashWorker
    try {
      worker = this.#startWorker()
    } catch (error) {
      return this.#retry(failedStarts, error as Error)
    }
    const free = (thread: HashThread) => {
      this.#cancelStop()
      this.#events.free(thread)
    }
    const lost = (thread: HashThread, error: Error) => this.#replace(thread, error)
    const thread = new HashThread(worker, failedStarts, { free, lost })
    this.#threads.add(thread)
    if (failedStarts === 0) this.#events.free(thread)
  }

  /** Returns all threads, whether or not they have loaded their code. */
  all() {
    return [...this.#threads]
  }

  /**
   * Returns the threads that take jobs. The replacement of a thread that could not start takes jobs once it has
   * loaded.
   */
  working() {
    return this.all().filter(({ hasResponded, failedStarts }) => hasResponded || failedStarts === 0)
  }

  #replace(thread: HashThread, error: Error) {
    if (!this.#threads.delete(thread) || this.#isClosing) return
    if (thread.hasResponded) this.start()
    else this.#retry(thread.failedStarts, error)
  }

  #retry(failedStarts: number, error: Error) {
    const milliseconds = Math.min(firstRetryMilliseconds * 2 ** failedStarts, longestRetryMilliseconds)
    const timer = setTimeout(() => {
      this.#retries.delete(timer)
      this.start(failedStarts + 1)
    }, milliseconds).unref()
    this.#retries.add(timer)
    if (this.working().length > 0) return
    this.#scheduleStop(error)
    this.#events.noneWorking(error)
  }

  #scheduleStop(cause: Error) {
    const message = `no hashing thread could be started for ${stoppedMilliseconds / 1000} s: ${cause.message}`
    const stop = () => this.#stop(new Error(message, { cause }))
    this.#stopTimer ??= setTimeout(stop, stoppedMilliseconds).unref()
  }

  #cancelStop() {
    clearTimeout(this.#stopTimer)
    this.#stopTimer = undefined
  }

  /** Ends the threads after their jobs. */
  async close() {
    this.#isClosing = true
    this.#cancelStop()
    for (const timer of this.#retries) clearTimeout(timer)
    await Promise.all(this.all().map((thread) => thread.close()))
  }
}
