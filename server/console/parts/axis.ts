/** Returns round numbers from 0 to at least the largest value, at most five. All are whole. */
export function axisOf(largest: number) {
  const rough = Math.max(1, largest / 3)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough
  const steps = Math.max(1, Math.ceil(largest / step))
  return { most: steps * step, ticks: Array.from({ length: steps + 1 }, (_, index) => index * step) }
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' })
export const shortCount = (value: number) => compact.format(value)

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** Returns a day without its year. */
export const shortDay = (day: string) => (day ? dayFormat.format(new Date(day)) : '')
