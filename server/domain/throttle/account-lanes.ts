import type { Attempt } from '../../store/queries/login-failures.js'
import type { Client } from '../caller.js'
import { createTurnstile, type QueueBehind, type Turnstile } from './turnstile.js'

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** The attempts on one account that are in progress in this process. */
export class AccountLanes {
  /** Number of requests that use this object. */
  users = 0
  /** Changes with each failure, which makes earlier reads of the counts outdated. */
  version = 0
  readonly #queue: QueueBehind
  /** Attempts without counted failures. Runs at most as many at a time as there are free failures. */
  readonly #uncounted: Turnstile
  /** Counted attempts by network, one at a time, so that successful ones do not use up the count. */
  readonly #counted = new Map<string, Turnstile>()
  /** Running uncounted attempts. A counted one waits until their results are stored. */
  readonly #running = new Set<Promise<unknown>>()

  constructor(concurrency: number, queue: QueueBehind) {
    this.#queue = queue
    this.#uncounted = createTurnstile(concurrency, queue)
  }

  /** Runs an attempt without counted failures, or returns undefined if one has failed since `version`. */
  runUncounted<T>(client: Client, version: number, work: () => Promise<T>): Promise<T | undefined> {
    return this.#uncounted.run(client, async () => {
      if (version !== this.version) return undefined
      const running = work()
      this.#running.add(running)
      try {
        return await running
      } finally {
        this.#running.delete(running)
      }
    })
  }

  runCounted<T>(client: Client, { network }: Attempt, work: () => Promise<T>): Promise<T> {
    const key = latin1(network)
    const lane = this.#counted.get(key) ?? createTurnstile(1, this.#queue)
    this.#counted.set(key, lane)
    return lane.run(client, async () => {
      await Promise.allSettled(this.#running)
      return work()
    })
  }
}

/** Returns a function that runs work with the lanes of an attempt's account. They exist while something uses them. */
export function createAccounts(concurrency: number, queue: QueueBehind) {
  const accounts = new Map<string, AccountLanes>()
  return async <T>({ address }: Attempt, work: (lanes: AccountLanes) => Promise<T>): Promise<T> => {
    const key = latin1(address)
    const lanes = accounts.get(key) ?? new AccountLanes(concurrency, queue)
    accounts.set(key, lanes)
    lanes.users += 1
    try {
      return await work(lanes)
    } finally {
      lanes.users -= 1
      if (lanes.users === 0) accounts.delete(key)
    }
  }
}
