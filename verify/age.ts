/**
 * Measures the age of what was read last by two clocks, and takes the greater one. The clock of the day goes on while the
 * machine sleeps, and the other one is never set back.
 */
export function createAge(now: () => number) {
  const both = () => ({ day: now(), steady: performance.now() })
  let readAt = { day: Number.NaN, steady: -Infinity }

  return {
    /** Milliseconds since the last read. Infinity before the first one. */
    ms() {
      const { day, steady } = both()
      return Math.max(Math.abs(day - readAt.day) || 0, steady - readAt.steady)
    },
    lastReadAt: () => (readAt.steady < 0 ? undefined : new Date(readAt.day)),
    /**
     * Returns a function that notes the end of a read that starts now. It takes for how many milliseconds after its start
     * the read is sure to be complete, and returns them, or those that passed if they are fewer.
     */
    start() {
      const startedAt = both()
      return (heldMs: number) => {
        const ms = Math.min(heldMs, performance.now() - startedAt.steady)
        readAt = { day: startedAt.day + ms, steady: startedAt.steady + ms }
        return ms
      }
    },
  }
}
