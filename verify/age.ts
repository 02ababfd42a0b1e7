/**
 * Measures the age of the last read by two clocks, and uses the greater one. The system clock continues while the machine
 * sleeps, and the steady clock is never set back.
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
     * Starts a read. Returns a function to call when it has ended, with the milliseconds after the start up to which the read
     * is known to be complete. It returns them, or the elapsed milliseconds if they are fewer.
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
