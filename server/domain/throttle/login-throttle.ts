import { type Delaying, findDelayingFailures } from '../../store/queries/delaying-failures.js'
import {
  clearLoginFailuresOfAllNetworks,
  type Failures,
  findHighestLoginFailures,
  type LoginFailures,
} from '../../store/queries/login-failures.js'
import type { Queries, Store } from '../../store/store.js'
import type { Client } from '../caller.js'
import type { Problem } from '../problem.js'
import { type AccountLanes, createAccounts } from './account-lanes.js'
import { type AttemptKeys, createAttemptKeys } from './attempt-keys.js'
import { FailureCounts } from './failure-counts.js'
import {
  freeFailures,
  knownMilliseconds,
  longestWaitSeconds,
  secondsLeft,
  tooManyAttempts,
  wasSeen,
} from './rules.js'
import type { QueueBehind } from './turnstile.js'
import type { Guess } from './unstored-failures.js'

/** How often counting an attempt may fail before the attempt is rejected. */
const maxReservations = 3

export interface Candidate {
  failures: LoginFailures
  networkKnownAt: Date | null
}

/** What {@link Throttle.guard} limits. */
export interface GuardedAttempt<C extends Candidate> extends Omit<Guess, 'isKnown'> {
  client: Client
  /** Returns the attempt's user and the counts. */
  read: () => Promise<C>
  /** Verifies the password. Throws only if it has verified no hash: then the attempt does not count. */
  verify: (candidate: C) => Promise<boolean>
}

/** An attempt with what was read for it. */
export interface Guarded<C extends Candidate> {
  candidate: C
  matches: boolean
  /** `too_many_attempts` with the seconds to wait: the attempt was not verified. */
  refusal?: Problem
}

export interface ThrottleSettings {
  /** The clock, in milliseconds since the epoch. */
  now: () => number
  /** Number of processes of this server. They share the limit of uncounted attempts. */
  workers?: number
  /** The queue for hashing. */
  queue?: QueueBehind
}

/** Limits password guesses. All processes share the counts in the store. SECURITY.md has the resulting limits. */
export class Throttle {
  readonly keys: AttemptKeys
  readonly #store: Queries
  readonly #now: () => number
  readonly #counts: FailureCounts
  readonly #onAccount: ReturnType<typeof createAccounts>

  constructor(store: Pick<Store, 'masterKey' | 'query'>, settings: ThrottleSettings) {
    const { now, workers = 1, queue = { hold: () => () => undefined, waitSeconds: () => 0 } } = settings
    this.keys = createAttemptKeys(store.masterKey)
    this.#store = store
    this.#now = now
    this.#counts = new FailureCounts(store, now)
    this.#onAccount = createAccounts(Math.max(1, Math.floor(freeFailures.network / workers)), queue)
  }

  /**
   * Reads and verifies an attempt unless too many earlier ones failed, and counts the result. Without counted
   * failures, a success writes nothing. Otherwise each attempt is counted before it is verified, so that concurrent
   * requests, disconnects and a failing store allow no additional guess.
   *
   * @throws {Problem} `unavailable` if it waits too long for other attempts
   */
  guard<C extends Candidate>(attempted: GuardedAttempt<C>): Promise<Guarded<C>> {
    const { databaseId, attempt, client } = attempted
    return this.#onAccount(attempt, async (lanes) => {
      const { version } = lanes
      const candidate = await attempted.read()
      const isKnown = wasSeen(candidate.networkKnownAt, this.#now(), knownMilliseconds)
      const guess = { databaseId, attempt, isKnown }
      const verify = () => attempted.verify(candidate)
      const failures = this.#counts.all(guess, candidate.failures)
      if (!failures.network && !failures.account) {
        const work = () => this.#verifyUncounted(guess, lanes, verify)
        const matches = await lanes.runUncounted(client, version, work)
        if (matches !== undefined) return { candidate, matches }
      }
      const refusal = this.#refusal(failures)
      if (refusal) return { candidate, matches: false, refusal }
      const work = () => this.#verifyCounted(guess, candidate.failures, verify)
      return { candidate, ...(await lanes.runCounted(client, attempt, work)) }
    })
  }

  /** Returns the highest count of an email: that of one network, or that over all networks. */
  failures(databaseId: string, canonicalEmail: string): Promise<Failures | undefined> {
    return findHighestLoginFailures(this.#store, databaseId, this.keys.address(databaseId, canonicalEmail))
  }

  /** Returns the least counts by which a login has to wait. */
  leastDelaying(): Delaying {
    return { count: freeFailures.network, since: new Date(this.#now() - longestWaitSeconds * 1000) }
  }

  /** Returns for each email how many seconds a login with it has to wait, at most: from other networks, it may wait less. */
  async delays(store: Queries, databaseId: string, canonicalEmails: readonly string[]) {
    const addresses = canonicalEmails.map((email) => this.keys.address(databaseId, email))
    const found = await findDelayingFailures(store, { databaseId, addresses }, this.leastDelaying())
    const seconds = canonicalEmails.map(() => 0)
    for (const each of found)
      seconds[each.index] = Math.max(seconds[each.index] ?? 0, secondsLeft(each, this.#now()))
    return seconds
  }

  /** Deletes the counts of an email from all networks. */
  async unlock(databaseId: string, canonicalEmail: string, store: Queries = this.#store) {
    const address = this.keys.address(databaseId, canonicalEmail)
    await clearLoginFailuresOfAllNetworks(store, databaseId, address)
  }

  async #verifyUncounted(guess: Guess, lanes: AccountLanes, verify: () => Promise<boolean>) {
    if (await verify()) return true
    lanes.version += 1
    try {
      await this.#counts.count(guess)
    } finally {
      lanes.version += 1
    }
    return false
  }

  async #verifyCounted(guess: Guess, failures: LoginFailures, verify: () => Promise<boolean>) {
    let stored = failures
    for (let tries = 0; tries < maxReservations; tries++) {
      const refusal = this.#refusal(this.#counts.all(guess, stored))
      if (refusal) return { matches: false, refusal }
      const takeBack = await this.#counts.reserve(guess, stored)
      if (takeBack) {
        const matches = await verify().catch(async (error) => {
          await takeBack()
          throw error
        })
        if (matches) await this.#counts.clear(guess)
        return { matches }
      }
      stored = await this.#counts.read(guess)
    }
    return { matches: false, refusal: tooManyAttempts(1) }
  }

  #refusal(failures: LoginFailures) {
    const seconds = secondsLeft(failures, this.#now())
    return seconds > 0 ? tooManyAttempts(seconds) : undefined
  }
}
