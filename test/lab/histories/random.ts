/** A generator of random numbers that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed
  function next() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    chance: (probability: number) => next() < probability,
    below: (end: number) => Math.floor(next() * end),
    pick: <T>(items: readonly T[]): T | undefined => items[Math.floor(next() * items.length)],
    /** Picks one of the last items, the latest most often. */
    recent: <T>(items: readonly T[]): T | undefined =>
      items[items.length - 1 - Math.floor(next() ** 3 * items.length)],
  }
}

export type Random = ReturnType<typeof randomOf>
