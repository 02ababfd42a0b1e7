import type { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Argon2Cost } from './argon2.js'

/** What a thread computes. */
export type HashJob =
  | { kind: 'hash'; password: string; cost: Argon2Cost }
  | { kind: 'verify'; password: string; hash: string }

/** The hash, or whether the password matches, or the message of an error. */
export type HashOutcome = { result: string | boolean } | { error: string }

/** A job as sent to a worker thread. The serial pairs it with its response. */
export interface HashRequest {
  serial: number
  job: HashJob
}

export type HashResponse = HashOutcome &
  Pick<HashRequest, 'serial'> & {
    /** How long the thread has worked on the job. */
    milliseconds: number
  }

/** The part of a worker thread that is used. */
export type HashWorker = EventEmitter & Pick<Worker, 'postMessage' | 'ref' | 'unref'>

/** A job of a thread, with functions that report its progress. */
export interface HeldJob {
  job: HashJob
  /** Called when the thread starts the job. */
  start(): void
  resolve(result: string | boolean, milliseconds: number): void
  reject(error: Error): void
}

interface ThreadEvents {
  /** The thread has loaded its code, or has finished a job. */
  free(thread: HashThread): void
  /** The thread has ended, possibly without a response. Called once or twice. */
  lost(thread: HashThread, error: Error): void
}

/** A worker thread that performs jobs one after the other. */
export class HashThread {
  /** Whether it has loaded its code. */
  hasResponded = false
  readonly #held = new Map<number, HeldJob>()
  readonly #worker: HashWorker
  #lastSerial = 0
  #isClosing = false

  /** @param failedStarts number of previous threads that ended without any response */
  constructor(
    worker: HashWorker,
    readonly failedStarts: number,
    { free, lost }: ThreadEvents,
  ) {
    this.#worker = worker
    worker.on('message', (message: HashResponse | 'ready') => {
      this.hasResponded = true
      if (message !== 'ready') this.#finish(message)
      free(this)
      // An idle thread must not keep the process alive.
      if (this.load === 0 && !this.#isClosing) worker.unref()
    })
    const lose = (error: Error) => {
      for (const { reject } of this.#held.values()) reject(error)
      this.#held.clear()
      lost(this, error)
    }
    worker.on('error', lose)
    worker.on('exit', () => lose(new Error('a hashing thread exited')))
    worker.unref()
  }

  /** Number of jobs: the running one, and the next one. */
  get load() {
    return this.#held.size
  }

  perform(held: HeldJob) {
    this.#lastSerial = (this.#lastSerial + 1) | 0
    this.#worker.postMessage({ serial: this.#lastSerial, job: held.job } satisfies HashRequest)
    this.#held.set(this.#lastSerial, held)
    if (this.load > 1) return
    this.#worker.ref()
    held.start()
  }

  #finish({ serial, milliseconds, ...outcome }: HashResponse) {
    const finished = this.#held.get(serial)
    this.#held.delete(serial)
    if ('error' in outcome) finished?.reject(new Error(outcome.error))
    else finished?.resolve(outcome.result, milliseconds)
    const [next] = this.#held.values()
    next?.start()
  }

  /** Ends the thread after its jobs. Not terminate(): it crashes the process while a thread is loading native code. */
  close() {
    this.#isClosing = true
    this.#worker.ref()
    this.#worker.postMessage('close')
    // Not once() of node:events, which rejects if a thread that is starting fails.
    return new Promise((resolve) => this.#worker.once('exit', resolve))
  }
}
