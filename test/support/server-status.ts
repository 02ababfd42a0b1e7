import { v7 as uuidv7 } from 'uuid'
import { type Report, reportOf } from '../../server/domain/operators/servers/report.js'
import { createLastHour } from '../../server/domain/operators/servers/status.js'
import type { Usher } from '../../server/index.js'

/** Stores the status of a server with one process, as it does every 15 s. */
export async function reportStatus(
  { report, putStatus }: Pick<Usher, 'report' | 'putStatus'>,
  { name, now, ...changes }: { name: string; now: number } & Partial<Report>,
) {
  const { load, ...others } = reportOf([report()])
  // Not the mails that the server of the test sends meanwhile.
  const given = { ...others, load: { ...load, mailsSent: 0, mailsFailed: 0 }, ...changes }
  const status = createLastHour()(given, now)
  await putStatus({ id: uuidv7(), name, startedAt: now, status })
}
