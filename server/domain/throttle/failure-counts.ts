import { isStoreUnavailable } from '../../store/errors.js'
import {
  clearLoginFailures,
  findLoginFailures,
  type LoginFailures,
  recordLoginFailure,
  releaseAttempt,
  reserveAttempt,
} from '../../store/queries/login-failures.js'
import type { Queries } from '../../store/store.js'
import { freeFailures, retentionMilliseconds, secondsLeft } from './rules.js'
import { createUnstoredFailures, type Guess } from './unstored-failures.js'

/** Key of the count over all networks. */
const overAllNetworks = new Uint8Array()

/** Counts failed attempts in the store. While it is unavailable, counts them in this process. */
export class FailureCounts {
  readonly #store: Queries
  readonly #now: () => number
  readonly #unstored

  /** @param now the clock, in milliseconds since the epoch */
  constructor(store: Queries, now: () => number) {
    this.#store = store
    this.#now = now
    this.#unstored = createUnstoredFailures(now)
  }

  /** Returns the stored failures that concern an attempt, and those that could not be stored. */
  all(guess: Guess, stored: LoginFailures) {
    return this.#unstored.addTo(relevant(stored, guess.isKnown), guess)
  }

  /** Reads the stored failures again. */
  read({ databaseId, attempt }: Guess) {
    return findLoginFailures(this.#store, databaseId, attempt)
  }

  /** Counts a failed attempt, whatever the store does: its password was verified. */
  async count(guess: Guess) {
    try {
      await recordLoginFailure(this.#store, guess.databaseId, this.#countOf(guess))
    } catch (error) {
      this.#unstored.count(guess, 1)
      if (!isStoreUnavailable(error)) throw error
    }
  }

  async clear(guess: Guess) {
    this.#unstored.clear(guess)
    await ignoreUnavailable(clearLoginFailures(this.#store, guess.databaseId, guess.attempt))
  }

  /**
   * Counts an attempt in advance.
   *
   * @returns a function that undoes this. Undefined if the attempt is not due, or if the stored failures have changed
   */
  async reserve(guess: Guess, stored: LoginFailures): Promise<(() => Promise<void>) | undefined> {
    const { databaseId, isKnown } = guess
    try {
      const count = { databaseId, ...this.#countOf(guess) }
      const decidedOn = relevant(stored, isKnown)
      const isDue = await reserveAttempt(this.#store, count, { decidedOn, limits: freeFailures })
      return isDue ? () => ignoreUnavailable(this.#release(guess)) : undefined
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      if (secondsLeft(this.all(guess, stored), this.#now()) > 0) return undefined
      this.#unstored.count(guess, 1)
      return async () => this.#unstored.count(guess, -1)
    }
  }

  async #release({ databaseId, attempt: { address, network }, isKnown }: Guess) {
    if (!isKnown) await releaseAttempt(this.#store, databaseId, { address, network: overAllNetworks })
    await releaseAttempt(this.#store, databaseId, { address, network })
  }

  #countOf({ attempt, isKnown }: Guess) {
    return {
      attempt,
      now: new Date(this.#now()),
      expired: new Date(this.#now() - retentionMilliseconds),
      account: !isKnown,
    }
  }
}

const relevant = ({ network, account }: LoginFailures, isKnown: boolean): LoginFailures => ({
  network,
  account: isKnown ? undefined : account,
})

async function ignoreUnavailable(work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error
  }
}
