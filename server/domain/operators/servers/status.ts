import type { ServerLoad } from '@usher/contract/operator'
import { isStoreUnavailable } from '../../../store/errors.js'
import { findOperatorsRow } from '../../../store/queries/databases.js'
import { deleteServerStatus, putServerStatus } from '../../../store/queries/server-status.js'
import type { JsonObject } from '../../../store/store.js'
import type { Log } from '../../../telemetry/audit.js'
import { untraced } from '../../../telemetry/tracing.js'
import { version } from '../../../version.js'
import type { AppContext } from '../../context.js'
import { combined, type Report } from './report.js'

/** How often a server reports. */
export const reportMilliseconds = 15_000
const hourMilliseconds = 3_600_000

/** A report of a server, with the maxima of an hour. */
export interface Status extends Report {
  lastHour: ServerLoad
}

/** The status of a server, as one of its processes stores it. */
export interface ServerStatus {
  id: string
  /** Host and port. */
  name: string
  /** In milliseconds since the epoch. */
  startedAt: number
  status: Status
}

/** Returns a function that adds the maxima of an hour to each report. They are in memory only. */
export function createLastHour() {
  let loads: { at: number; load: ServerLoad }[] = []
  return (report: Report, now: number): Status => {
    loads = [...loads.filter(({ at }) => at > now - hourMilliseconds), { at: now, load: report.load }]
    const lastHour = combined(
      loads.map(({ load }) => load),
      'hour',
    )
    return { ...report, lastHour }
  }
}

/** Stores the status of a server, from this process. */
export interface StatusStore {
  put(server: ServerStatus): Promise<void>
  /** Deletes what this process has stored, and stores nothing from then on. */
  remove(): Promise<void>
}

/** Creates what stores the status of a server. Without an operators' database, nobody could read it, and nothing is stored. */
export function createStatusStore(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  log: Pick<Log, 'warn'>,
): StatusStore {
  let databaseId: string | undefined
  let stored: { databaseId: string; id: string } | undefined
  let isRemoved = false
  let running = Promise.resolve()

  async function put({ id, name, startedAt, status }: ServerStatus) {
    databaseId ??= (await findOperatorsRow(store))?.id
    if (databaseId === undefined) return
    stored = { databaseId, id }
    await putServerStatus(store, {
      ...stored,
      name,
      version,
      startedAt: new Date(startedAt),
      seenAt: new Date(now()),
      status: status as unknown as JsonObject,
    })
  }

  /** Runs one statement after the other, so that a row that is being written is deleted. */
  const inTurn = (work: () => Promise<unknown>) => {
    const logUnexpected = (err: unknown) => {
      if (!isStoreUnavailable(err)) log.warn({ err }, 'the status of the server was not stored')
    }
    running = running.then(() => untraced(work)).then(() => undefined, logUnexpected)
    return running
  }
  return {
    put: (server) => inTurn(async () => isRemoved || put(server)),
    remove: () =>
      inTurn(async () => {
        isRemoved = true
        if (stored) await deleteServerStatus(store, stored)
      }),
  }
}
