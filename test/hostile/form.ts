import { randomInt } from 'node:crypto'

/** The long form is `npm run test:hostile`, the short one a part of `npm test`. */
// biome-ignore lint/style/noProcessEnv: says which of the two, and which run is to be done again
const { HOSTILE, HOSTILE_SEED, HOSTILE_PATH } = process.env
export const isLong = HOSTILE === 'long'

/** How often something is done in the short form and in the long one. */
export const times = (short: number, long: number) => (isLong ? long : short)

/** Where the generated cases begin: another place each time, unless a run is to be done again. */
export const seed = HOSTILE_SEED ? Number(HOSTILE_SEED) : randomInt(2 ** 31)

/** Settings of one property: as many cases, or the one that failed; 10 s for each. */
export const cases = (numRuns: number, part = 0) => ({
  numRuns,
  seed: HOSTILE_PATH ? seed : (seed + part) | 0,
  ...(HOSTILE_PATH && { path: HOSTILE_PATH }),
  timeout: 10_000,
})

/** Prints a line of figures in the long form; the short one keeps quiet. */
export const report = (line: string) => void (isLong && process.stdout.write(`${line}\n`))
