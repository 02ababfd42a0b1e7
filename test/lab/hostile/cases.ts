import { randomInt } from 'node:crypto'
import { times } from '../form.js'

// biome-ignore lint/style/noProcessEnv: says which run to repeat
const { HOSTILE_SEED, HOSTILE_PATH } = process.env

/** Seed of the generated cases: always the same in the short form, random in the long form, unless a run is repeated. */
export const seed = HOSTILE_SEED ? Number(HOSTILE_SEED) : times(1, randomInt(2 ** 31))

/** Returns the settings of a property: this many cases, or the one that failed, with 10 s each. */
export const cases = (numRuns: number, part = 0) => ({
  numRuns,
  seed: HOSTILE_PATH ? seed : (seed + part) | 0,
  ...(HOSTILE_PATH && { path: HOSTILE_PATH }),
  timeout: 10_000,
})
