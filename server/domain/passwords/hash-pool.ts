import { type Client, onceGivenUp, overloaded } from '../caller.js'
import { ClientDisconnected, Problem } from '../problem.js'
import { siteOfNetwork } from '../throttle/client-network.js'
import { createFairQueue } from './fair-queue.js'
import { HashSupervisor, startHashWorker } from './hash-supervisor.js'
import type { HashJob, HashThread, HeldJob } from './hash-thread.js'

/** The current load of a pool, and its totals. */
export interface HashStats {
  threads: number
  busy: number
  queued: number
  /** Expected wait of a job that comes after all waiting ones. */
  queueSeconds: number
  started: number
  /** Total wait of the started jobs. */
  waitedSeconds: number
  shed: number
}

interface Waiting extends HeldJob {
  client: Client | undefined
}

/** A thread holds its current and its next job. Without the next one, login throughput was 7 % lower on busy cores. */
const jobsPerThread = 2

/** Factor by which jobs may become slower before accepted jobs miss their deadline. */
const caution = 1.25

/** Jobs without a client take turns as one network. */
const networkOf = (client: Client | undefined) => client?.network ?? ''

/**
 * A pool of threads for hashing, so that other work does not wait for libuv's few threads. Clients' sites take
 * turns, and within a site its networks.
 */
export class HashPool {
  readonly #queue = createFairQueue<Waiting>(siteOfNetwork, (network) => network)
  readonly #supervisor: HashSupervisor
  readonly #threads: number
  readonly #queueSeconds: number
  readonly #totals = { started: 0, waitedSeconds: 0, shed: 0 }
  /** Estimated duration of the next job. */
  #secondsPerJob = 0

  /**
   * Starts a pool.
   *
   * @param queueSeconds the longest expected wait of a job that is accepted
   */
  constructor(threads: number, queueSeconds: number, startWorker = startHashWorker) {
    this.#threads = threads
    this.#queueSeconds = queueSeconds
    this.#supervisor = new HashSupervisor(startWorker, {
      free: (thread) => this.#assign(thread),
      noneWorking: (error) => this.#rejectAll(error),
    })
    for (let index = 0; index < threads; index++) this.#supervisor.start()
  }

  /** Fulfilled with the reason after a minute in which no thread worked. */
  get stopped() {
    return this.#supervisor.stopped
  }

  /**
   * Performs a job when its network's turn comes.
   *
   * @param client if it disconnects before the job starts, or its deadline passes, the job is cancelled
   * @throws {Problem} `unavailable`: immediately if the expected wait is too long, otherwise at the deadline
   */
  async run(job: HashJob, client?: Client): Promise<string | boolean> {
    if (client?.isDisconnected()) throw new ClientDisconnected()
    this.#assertWait(this.waitSeconds(networkOf(client)))
    return new Promise((resolve, reject) => this.#submit({ job, client, resolve, reject }))
  }

  /**
   * Throws if a job of the network would be rejected now. Held jobs count, too, so that a request can be rejected
   * early.
   *
   * @throws {Problem} `unavailable`
   */
  assertCapacity(network: string) {
    this.#assertWait(caution * this.#secondsBehind(this.#queue.ahead(network, true)))
  }

  /** Returns the expected wait of a job of the network. Held jobs do not count, because they come later. */
  waitSeconds(network: string) {
    return caution * this.#secondsBehind(this.#queue.ahead(network))
  }

  /** Counts a job that the network will submit later in the expected wait, until the returned function is called. */
  hold(network: string) {
    return this.#queue.hold(network)
  }

  /** @throws {Problem} `unavailable` if no thread works, and none could be started */
  assertWorking() {
    if (this.#supervisor.working().length > 0) return
    throw new Problem('unavailable', { detail: 'No hashing thread is running.' })
  }

  stats(): HashStats {
    return {
      threads: this.#supervisor.working().length,
      busy: this.#busy(),
      queued: this.#next() + this.#queue.size(),
      queueSeconds: this.#secondsBehind(this.#queue.size()),
      ...this.#totals,
    }
  }

  /** Ends the threads after their jobs. */
  close() {
    return this.#supervisor.close()
  }

  #submit({
    job,
    client,
    resolve,
    reject,
  }: Pick<Waiting, 'job' | 'client' | 'reject'> & { resolve: (result: string | boolean) => void }) {
    const submittedAt = performance.now()
    let unwatch = () => {}
    const waiting: Waiting = {
      job,
      client,
      reject,
      start: () => {
        unwatch()
        this.#totals.started += 1
        this.#totals.waitedSeconds += (performance.now() - submittedAt) / 1000
      },
      resolve: (result, milliseconds) => {
        // Measured by the thread: here it would include the start of the thread, and delays of this one.
        this.#measure(milliseconds / 1000)
        resolve(result)
      },
    }
    const thread = this.#supervisor.working().reduce((best, each) => (each.load < best.load ? each : best))
    const mustWait = thread.load > 0
    if (thread.load < jobsPerThread) thread.perform(waiting)
    else this.#queue.push(networkOf(client), waiting)
    if (mustWait && client) unwatch = onceGivenUp(client, (error) => this.#giveUp(waiting, error))
  }

  /** Rejects a job that has not started. If a thread already holds it, its result is ignored. */
  #giveUp(waiting: Waiting, error: Error) {
    this.#queue.remove(networkOf(waiting.client), waiting)
    waiting.reject(error)
  }

  #assign(thread: HashThread) {
    while (thread.load < jobsPerThread) {
      const waiting = this.#queue.shift()
      if (!waiting) return
      thread.perform(waiting)
    }
  }

  #rejectAll(error: Error) {
    for (let waiting = this.#queue.shift(); waiting; waiting = this.#queue.shift()) waiting.reject(error)
  }

  #busy() {
    return this.#supervisor.all().filter(({ load }) => load > 0).length
  }

  /** Jobs that threads hold but have not started. */
  #next() {
    return this.#supervisor.all().reduce((sum, { load }) => sum + Math.max(0, load - 1), 0)
  }

  /** @param ahead number of jobs in the queue that start before */
  #secondsBehind(ahead: number) {
    if (this.#busy() < this.#supervisor.all().length) return 0
    return ((this.#next() + ahead + 1) / this.#threads) * this.#secondsPerJob
  }

  #assertWait(wait: number) {
    this.assertWorking()
    if (wait <= this.#queueSeconds) return
    this.#totals.shed += 1
    throw overloaded(wait)
  }

  /** Updates the estimate. Slow jobs weigh more, because under growing load the next jobs are slower than the last. */
  #measure(seconds: number) {
    const weight = this.#secondsPerJob === 0 ? 1 : seconds > this.#secondsPerJob ? 0.2 : 0.05
    this.#secondsPerJob += weight * (seconds - this.#secondsPerJob)
  }
}
