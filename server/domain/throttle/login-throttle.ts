import { createHmac, hkdfSync } from 'node:crypto'
import {
  type Attempt,
  clearLoginFailures,
  type Failures,
  type LoginFailures,
  recordLoginFailure,
} from '../../store/queries/login-failures.js'
import type { Store } from '../../store/store.js'
import { clockSkewSeconds } from '../clock-skew.js'
import { Problem } from '../problem.js'
import { networkOf } from './client-network.js'

/** Free failures on an account from one network; after that each doubles the wait. */
const freeFailures = 5
/** Failures on an account over all networks after which only the longest wait applies (NIST SP 800-63B-4 §3.2.2). */
const accountCeiling = 100
const longestWaitSeconds = 900
/** Counts are deleted this long after their last failure. At the longest wait they cannot grow faster than that. */
const retentionMilliseconds = 24 * 3_600_000
/** Attempts on one account from one network that may wait for their turn. */
const maxWaiting = 64

/** Slows down the guessing of passwords. Counts are in the store, shared by all processes. */
export interface Throttle {
  /** Returns under which keys an attempt is counted: HMACs, so that the store learns neither address. */
  attempt(databaseId: string, canonicalEmail: string, clientAddress: string): Attempt
  /**
   * Verifies a password unless too many attempts before it failed, and counts the outcome. Attempts on one account
   * from one network run a few at a time, so that sending many concurrently gains nothing.
   *
   * @param failures as read from the store for the attempt
   * @throws {Problem} `too_many_attempts`, with the seconds to wait; `unavailable` if too many are waiting
   */
  guard(
    databaseId: string,
    attempt: Attempt,
    failures: LoginFailures,
    verify: () => Promise<boolean>,
  ): Promise<boolean>
  /** Returns the highest count against an address, from one network or over all. */
  failures(databaseId: string, canonicalEmail: string): Promise<Failures | undefined>
  /** Deletes the failures counted against an address, from all networks. */
  unlock(databaseId: string, canonicalEmail: string): Promise<void>
}

/** The attempts on one account from one network in this process, and the failures as they last counted them. */
interface Gate {
  running: number
  waiting: (() => void)[]
  failures: LoginFailures | undefined
}

/**
 * Creates the throttle of a process.
 *
 * @param now the clock, in milliseconds since the epoch
 * @param workers processes of this server, which share the attempts that run concurrently
 */
export function createThrottle(
  store: Pick<Store, 'masterKey' | 'prisma' | 'query'>,
  now: () => number,
  workers = 1,
): Throttle {
  const concurrency = Math.max(1, Math.floor(freeFailures / workers))
  const secret = Buffer.from(hkdfSync('sha256', store.masterKey, '', 'usher login throttle', 32))
  const hmac = (databaseId: string, text: string) =>
    new Uint8Array(createHmac('sha256', secret).update(`${databaseId}/${text}`).digest())
  const gates = new Map<string, Gate>()

  /** Runs the job when it is its turn among the attempts on one account from one network. */
  async function inTurn(attempt: Attempt, job: (gate: Gate) => Promise<boolean>) {
    const id = Buffer.concat([attempt.address, attempt.network]).toString('latin1')
    const gate: Gate = gates.get(id) ?? { running: 0, waiting: [], failures: undefined }
    gates.set(id, gate)
    if (gate.waiting.length >= maxWaiting) throw new Problem('unavailable')
    if (gate.running < concurrency) gate.running += 1
    else await new Promise<void>((resolve) => gate.waiting.push(resolve))
    try {
      return await job(gate)
    } finally {
      const next = gate.waiting.shift()
      if (next) next()
      else if (--gate.running === 0) gates.delete(id)
    }
  }

  return {
    attempt: (databaseId, canonicalEmail, clientAddress) => ({
      address: hmac(databaseId, canonicalEmail),
      network: hmac(databaseId, networkOf(clientAddress)),
    }),
    guard: (databaseId, attempt, failures, verify) =>
      inTurn(attempt, async (gate) => {
        requireNoWait(failures, now())
        if (gate.failures) requireNoWait(gate.failures, now())
        const matches = await verify()
        if (!matches) {
          const at = now()
          const expired = new Date(at - retentionMilliseconds)
          gate.failures = await recordLoginFailure(store, databaseId, attempt, new Date(at), expired)
        } else if (failures.network || failures.account || gate.failures) {
          await clearLoginFailures(store, databaseId, attempt)
          gate.failures = undefined
        }
        return matches
      }),
    async failures(databaseId, canonicalEmail) {
      const where = { databaseId, address: hmac(databaseId, canonicalEmail) }
      const highest = await store.prisma.loginFailures.findFirst({ where, orderBy: { failures: 'desc' } })
      return highest ? { count: highest.failures, lastAt: highest.lastFailureAt } : undefined
    },
    async unlock(databaseId, canonicalEmail) {
      const where = { databaseId, address: hmac(databaseId, canonicalEmail) }
      await store.prisma.loginFailures.deleteMany({ where })
    },
  }
}

/** @throws {Problem} `too_many_attempts` */
function requireNoWait({ network, account }: LoginFailures, now: number) {
  const seconds = Math.max(
    secondsLeft(network, (count) => (count < freeFailures ? 0 : 2 ** (count - freeFailures)), now),
    secondsLeft(account, (count) => (count < accountCeiling ? 0 : longestWaitSeconds), now),
  )
  if (seconds > 0) {
    const detail = `Too many failed logins. Try again in ${seconds} s.`
    throw new Problem('too_many_attempts', { detail, retryAfterSeconds: seconds })
  }
}

function secondsLeft(failures: Failures | undefined, wait: (count: number) => number, now: number) {
  if (!failures) return 0
  const since = now - failures.lastAt.getTime()
  // Further ahead than clock skew explains: this clock was set back, and cannot measure the wait.
  if (since > retentionMilliseconds || since < -clockSkewSeconds * 1000) return 0
  return Math.ceil(Math.min(wait(failures.count), longestWaitSeconds) - Math.max(since, 0) / 1000)
}
