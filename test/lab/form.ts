import { inject } from 'vitest'

/** Whether tests run in the long form (`npm run lab`), not in the short form (`npm test`, `npm run lab:short`). */
export const isLong = inject('isLab')

/** Returns the first number in the short form, the second in the long form. */
export const times = (short: number, long: number) => (isLong ? long : short)

/** Prints a line of results in the long form. */
export const report = (line: string) => void (isLong && process.stdout.write(`${line}\n`))
