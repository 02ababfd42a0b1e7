import type { Failures, LoginFailures } from '../../store/queries/login-failures.js'
import { clockSkewSeconds } from '../clock.js'
import { Problem } from '../problem.js'

/** Failures without a wait. After those of a network, each one doubles the wait. Account: NIST SP 800-63B-4 §3.2.2. */
export const freeFailures = { network: 5, account: 100 }
export const longestWaitSeconds = 900
/** Counts are deleted this long after their last failure. */
export const retentionMilliseconds = 24 * 3_600_000

/** How long a network stays known after a login. Failures of other networks do not delay logins from a known one. */
export const knownMilliseconds = 30 * 24 * 3_600_000

export const wasSeen = (at: Date | null, now: number, milliseconds: number) =>
  at !== null && now - at.getTime() < milliseconds

const waits = {
  network: (count: number) => Math.min(2 ** (count - freeFailures.network), longestWaitSeconds),
  account: () => longestWaitSeconds,
}

/** Returns the seconds until the next attempt is allowed, or 0. */
export const secondsLeft = ({ network, account }: LoginFailures, now: number) =>
  Math.max(secondsLeftOf('network', network, now), secondsLeftOf('account', account, now))

function secondsLeftOf(kind: keyof typeof waits, failures: Failures | undefined, now: number) {
  if (!failures || failures.count < freeFailures[kind]) return 0
  const since = now - failures.lastAt.getTime()
  // A failure in the future that clock skew does not explain: the clock was set back and cannot measure the wait.
  if (since > retentionMilliseconds || since < -clockSkewSeconds * 1000) return 0
  return Math.max(0, Math.ceil(waits[kind](failures.count) - Math.max(since, 0) / 1000))
}

export const tooManyAttempts = (seconds: number) =>
  new Problem('too_many_attempts', {
    detail: `Too many failed attempts. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  })
