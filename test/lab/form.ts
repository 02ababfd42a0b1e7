import { inject } from 'vitest'

/** Whether the tests run in their long form (`npm run lab`) or in the short one (`npm test`). */
export const isLong = inject('isLab')

/** Returns how often to do something: the first number in the short form, the second in the long one. */
export const times = (short: number, long: number) => (isLong ? long : short)

/** Prints a line of figures in the long form only. */
export const report = (line: string) => void (isLong && process.stdout.write(`${line}\n`))
