/** The clocks of a server, which tests set. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number
  /** Returns milliseconds for caches. This clock is never set back, so cached values always expire. */
  cacheNow(): number
}

export const systemClock: Clock = { now: () => Date.now(), cacheNow: () => performance.now() }

/** How far the clocks of two servers may differ, in seconds. */
export const clockSkewSeconds = 30
