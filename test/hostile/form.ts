import { randomInt } from 'node:crypto'
import { formOf } from '../support/form.js'

/** The long form is `npm run test:hostile`. */
export const { isLong, times, report } = formOf('HOSTILE')

// biome-ignore lint/style/noProcessEnv: says which run is to be done again
const { HOSTILE_SEED, HOSTILE_PATH } = process.env

/** Where the generated cases begin: another place each time, unless a run is to be done again. */
export const seed = HOSTILE_SEED ? Number(HOSTILE_SEED) : randomInt(2 ** 31)

/** Settings of one property: as many cases, or the one that failed; 10 s for each. */
export const cases = (numRuns: number, part = 0) => ({
  numRuns,
  seed: HOSTILE_PATH ? seed : (seed + part) | 0,
  ...(HOSTILE_PATH && { path: HOSTILE_PATH }),
  timeout: 10_000,
})
