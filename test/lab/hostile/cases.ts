import { randomInt } from 'node:crypto'

// biome-ignore lint/style/noProcessEnv: says which run to repeat
const { HOSTILE_SEED, HOSTILE_PATH } = process.env

/** Seed of the generated cases: random, unless a run is repeated. */
export const seed = HOSTILE_SEED ? Number(HOSTILE_SEED) : randomInt(2 ** 31)

/** Returns the settings of a property: this many cases, or the one that failed, with 10 s each. */
export const cases = (numRuns: number, part = 0) => ({
  numRuns,
  seed: HOSTILE_PATH ? seed : (seed + part) | 0,
  ...(HOSTILE_PATH && { path: HOSTILE_PATH }),
  timeout: 10_000,
})
