import { report as print } from '../form.js'
import type { auditRows } from './audit.js'
import type { Load } from './load.js'

/** Prints the results of a scenario as a row of the table. */
export function report(
  title: string,
  load: Pick<Load, 'ledger' | 'count' | 'sent'>,
  { outages, readiness, recoveries }: { outages: number; readiness: number; recoveries: readonly number[] },
  found: Awaited<ReturnType<typeof auditRows>>,
) {
  const sorted = [...recoveries].sort((a, b) => a - b)
  const recovery = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]?.toFixed(0) ?? ''
  const cells = [
    title,
    outages,
    load.sent(),
    load.count(503),
    load.count(0),
    load.ledger.length,
    found.acknowledged,
    found.lost,
    found.unacknowledged,
    readiness,
    recovery(0.5),
    recovery(1),
  ]
  print(`| ${cells.join(' | ')} |`)
}
