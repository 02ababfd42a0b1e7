import { createHmac, hkdfSync } from 'node:crypto'
import { isStoreUnavailable } from '../../store/errors.js'
import {
  type Attempt,
  clearLoginFailures,
  clearLoginFailuresOfAllNetworks,
  type Failures,
  findHighestLoginFailures,
  findLoginFailures,
  type LoginFailures,
  recordLoginFailure,
  releaseAttempt,
  reserveAttempt,
} from '../../store/queries/login-failures.js'
import type { ServerStore } from '../../store/store.js'
import type { Client } from '../caller.js'
import { networkOf } from './client-network.js'
import {
  freeFailures,
  knownMilliseconds,
  retentionMilliseconds,
  secondsLeft,
  tooManyAttempts,
  wasSeen,
} from './rules.js'
import { createTurnstile, type QueueBehind, type Turnstile } from './turnstile.js'
import { createUnstoredFailures } from './unstored-failures.js'

/** Number of failed tries to count an attempt before it is rejected. */
const maxReservations = 3

export interface Candidate {
  failures: LoginFailures
  networkKnownAt: Date | null
}

/** Limits password guesses. All processes share the counts in the store. SECURITY.md has the resulting limits. */
export interface Throttle {
  /** Returns the HMAC of a client network, so that the store does not contain the address. */
  network(databaseId: string, clientAddress: string): Uint8Array
  /** Returns the keys of the counts of an attempt, as HMACs. */
  attempt(databaseId: string, canonicalEmail: string, clientAddress: string): Attempt
  /**
   * Reads and verifies an attempt unless too many earlier ones failed, and counts the result. Without counted failures a
   * success writes nothing. Otherwise each attempt is counted before it is verified, so that concurrent requests, a
   * disconnect or a failing store allow no additional guess.
   *
   * @param read returns the attempt's user and the counts
   * @param verify throws only if it has computed nothing
   * @throws {Problem} `too_many_attempts` with the seconds to wait; `unavailable` if it waited too long for other attempts
   */
  guard<C extends Candidate>(
    databaseId: string,
    attempt: Attempt,
    client: Client,
    read: () => Promise<C>,
    verify: (candidate: C) => Promise<boolean>,
  ): Promise<{ candidate: C; matches: boolean }>
  /** Returns the highest count of an email, of one network or of all. */
  failures(databaseId: string, canonicalEmail: string): Promise<Failures | undefined>
  /** Deletes the counts of an email from all networks. */
  unlock(databaseId: string, canonicalEmail: string): Promise<void>
}

/** `isKnown`: only failures of its own network count. */
export interface Guess {
  databaseId: string
  attempt: Attempt
  isKnown: boolean
}

/** The attempts on one account that are in progress in this process. */
interface Account {
  attempts: number
  /** Changes with each failure, after which earlier reads of the counts are outdated. */
  version: number
  /** Limits concurrent attempts without counted failures to the number of free failures. */
  uncounted: Turnstile
  /** Running attempts. A counted attempt waits until their results are stored. */
  running: Set<Promise<unknown>>
  /** Counted attempts by network, one at a time, so that successful ones do not use up the count. */
  counted: Map<string, Turnstile>
}

/** Key of the count over all networks. */
const overAllNetworks = new Uint8Array()

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/**
 * Creates the throttle of a process.
 *
 * @param now the clock, in milliseconds since the epoch
 * @param workers processes of this server, which share the uncounted attempts
 * @param queue the queue for hashing
 */
export function createThrottle(
  store: Pick<ServerStore, 'masterKey' | 'query'>,
  now: () => number,
  workers = 1,
  queue: QueueBehind = { hold: () => () => undefined, waitSeconds: () => 0 },
): Throttle {
  const secret = Buffer.from(hkdfSync('sha256', store.masterKey, '', 'usher login throttle', 32))
  const hmac = (databaseId: string, text: string) =>
    new Uint8Array(createHmac('sha256', secret).update(`${databaseId}/${text}`).digest())
  const accounts = new Map<string, Account>()
  const concurrency = Math.max(1, Math.floor(freeFailures.network / workers))
  const unstored = createUnstoredFailures(now)

  async function onAccount<T>({ address }: Attempt, work: (account: Account) => Promise<T>) {
    const key = latin1(address)
    const account: Account = accounts.get(key) ?? {
      attempts: 0,
      version: 0,
      uncounted: createTurnstile(concurrency, queue),
      running: new Set(),
      counted: new Map(),
    }
    accounts.set(key, account)
    account.attempts += 1
    try {
      return await work(account)
    } finally {
      account.attempts -= 1
      if (account.attempts === 0) accounts.delete(key)
    }
  }

  function laneOf({ counted }: Account, { network }: Attempt) {
    const key = latin1(network)
    const lane = counted.get(key) ?? createTurnstile(1, queue)
    counted.set(key, lane)
    return lane
  }

  const countOf = ({ attempt, isKnown }: Guess) => ({
    attempt,
    now: new Date(now()),
    expired: new Date(now() - retentionMilliseconds),
    account: !isKnown,
  })

  async function count(guess: Guess) {
    try {
      await recordLoginFailure(store, guess.databaseId, countOf(guess))
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      unstored.count(guess, 1)
    }
  }

  async function clear(guess: Guess) {
    unstored.clear(guess)
    await ignoreUnavailable(clearLoginFailures(store, guess.databaseId, guess.attempt))
  }

  /** Counts an attempt in advance, if it is due. Returns a function that undoes this. */
  async function reserve(guess: Guess, stored: LoginFailures) {
    try {
      const isDue = await reserveAttempt(store, guess.databaseId, countOf(guess), stored, freeFailures)
      return isDue ? () => ignoreUnavailable(release(guess)) : undefined
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      if (secondsLeft(unstored.addTo(stored, guess), now()) > 0) return undefined
      unstored.count(guess, 1)
      return async () => unstored.count(guess, -1)
    }
  }

  async function release({ databaseId, attempt: { address, network }, isKnown }: Guess) {
    if (!isKnown) await releaseAttempt(store, databaseId, address, overAllNetworks)
    await releaseAttempt(store, databaseId, address, network)
  }

  async function verifyUncounted(guess: Guess, account: Account, verify: () => Promise<boolean>) {
    if (await verify()) return true
    account.version += 1
    await count(guess)
    account.version += 1
    return false
  }

  async function verifyCounted(guess: Guess, failures: LoginFailures, verify: () => Promise<boolean>) {
    let stored = failures
    for (let tries = 0; tries < maxReservations; tries++) {
      assertDue(unstored.addTo(stored, guess), now())
      const takeBack = await reserve(guess, stored)
      if (takeBack) {
        const matches = await verify().catch(async (error) => {
          await takeBack()
          throw error
        })
        if (matches) await clear(guess)
        return matches
      }
      stored = relevant(await findLoginFailures(store, guess.databaseId, guess.attempt), guess.isKnown)
    }
    throw tooManyAttempts(1)
  }

  const network = (databaseId: string, clientAddress: string) => hmac(databaseId, networkOf(clientAddress))

  return {
    network,
    attempt: (databaseId, canonicalEmail, clientAddress) => ({
      address: hmac(databaseId, canonicalEmail),
      network: network(databaseId, clientAddress),
    }),
    guard: (databaseId, attempt, client, read, verify) =>
      onAccount(attempt, async (account) => {
        const version = account.version
        const candidate = await read()
        const isKnown = wasSeen(candidate.networkKnownAt, now(), knownMilliseconds)
        const guess = { databaseId, attempt, isKnown }
        const stored = relevant(candidate.failures, isKnown)
        const failures = unstored.addTo(stored, guess)
        const verifyCandidate = () => verify(candidate)
        if (!failures.network && !failures.account) {
          const matches = await account.uncounted.run(client, async () =>
            version === account.version
              ? tracked(account.running, verifyUncounted(guess, account, verifyCandidate))
              : undefined,
          )
          if (matches !== undefined) return { candidate, matches }
        }
        assertDue(failures, now())
        const matches = await laneOf(account, attempt).run(client, async () => {
          await Promise.allSettled(account.running)
          return verifyCounted(guess, stored, verifyCandidate)
        })
        return { candidate, matches }
      }),
    failures: (databaseId, canonicalEmail) =>
      findHighestLoginFailures(store, databaseId, hmac(databaseId, canonicalEmail)),
    unlock: (databaseId, canonicalEmail) =>
      clearLoginFailuresOfAllNetworks(store, databaseId, hmac(databaseId, canonicalEmail)),
  }
}

const relevant = ({ network, account }: LoginFailures, isKnown: boolean): LoginFailures => ({
  network,
  account: isKnown ? undefined : account,
})

/** @throws {Problem} `too_many_attempts` */
function assertDue(failures: LoginFailures, now: number) {
  const seconds = secondsLeft(failures, now)
  if (seconds > 0) throw tooManyAttempts(seconds)
}

async function tracked<T>(running: Set<Promise<unknown>>, work: Promise<T>) {
  running.add(work)
  try {
    return await work
  } finally {
    running.delete(work)
  }
}

async function ignoreUnavailable(work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error
  }
}
