/** The clocks of a server, which tests set. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number
  /** Returns milliseconds for caches. Nobody sets this clock, so what is cached ends in time. */
  cacheNow(): number
}

export const systemClock: Clock = { now: () => Date.now(), cacheNow: () => performance.now() }

/** How far the clocks of two servers may differ, in seconds (RFC 8725 asks for little). */
export const clockSkewSeconds = 30
