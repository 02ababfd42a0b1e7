/** Returns the median, of an even number of values the upper one. */
export const median = (values: readonly number[]) => percentile(values, 0.5)

/** Returns the percentile by nearest rank. */
export function percentile(values: readonly number[], part: number) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Rounds to three significant digits. */
export function round(value: number) {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toFixed(Math.min(digits, 3))
}

export function table(head: readonly string[], rows: readonly (string | number)[][]) {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? round(cell) : cell)))
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...cells.map(line)].join('\n')
}
