import { audit, type Log } from '../../telemetry/audit.js'

const windowMilliseconds = 60_000
const maxLines = 10

/** Audits rejected tokens: at most 10 lines a minute, because anyone can send any number of them. */
export type RejectedTokens = (log: Log, databaseId: string, code: string) => void

/** @param now the clock, in milliseconds since the epoch */
export function createRejectedTokens(now: () => number): RejectedTokens {
  let windowStart = now()
  let lines = 0
  let suppressed = 0
  return (log, databaseId, code) => {
    const age = now() - windowStart
    // Negative if the clock was set back.
    if (age >= windowMilliseconds || age < 0) {
      windowStart = now()
      lines = 0
    }
    if (lines === maxLines) {
      suppressed += 1
      return
    }
    lines += 1
    audit(log, 'token.rejected', { databaseId, code, ...(suppressed > 0 && { suppressed }) })
    suppressed = 0
  }
}
