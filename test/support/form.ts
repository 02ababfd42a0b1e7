/**
 * Whether some tests run in their long form, by npm scripts of their own, or in the short one, a part of `npm test`.
 *
 * @param variable of the environment that says so
 */
export function formOf(variable: 'FAULTS' | 'HOSTILE') {
  // biome-ignore lint/style/noProcessEnv: says which of the two
  const isLong = process.env[variable] === 'long'
  return {
    isLong,
    /** How often something is done in the short form and in the long one. */
    times: (short: number, long: number) => (isLong ? long : short),
    /** Prints a line of figures in the long form; the short one keeps quiet. */
    report: (line: string) => void (isLong && process.stdout.write(`${line}\n`)),
  }
}
