import { setTimeout as sleep } from 'node:timers/promises'
import { isForeignKeyViolation } from '../../store/errors.js'
import { addCounts, type DayCounts } from '../../store/queries/statistics.js'
import type { Queries } from '../../store/store.js'
import type { AuditCounter, AuditEvent, AuditFields, Log } from '../../telemetry/audit.js'
import { untraced } from '../../telemetry/tracing.js'

// What happens in databases is counted in memory, and added to the store every minute, so that requests write nothing for it. A
// process that is killed loses the counts of a minute.

const minuteMilliseconds = 60_000
/** Pause between two statements: 50 a second. */
const pauseMilliseconds = 20
/** Counts of so many days of databases are kept while the store does not accept them. */
const maxKept = 100_000

/** Returns the day of an instant (UTC). */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

export const noCounts = (): DayCounts => ({
  signUps: 0,
  logins: 0,
  failures: 0,
  throttled: 0,
  mails: 0,
  mailsFailed: 0,
})

/** The count to which an event belongs. */
const countOf: { [Event in AuditEvent]?: keyof DayCounts } = {
  'user.created': 'signUps',
  'login.succeeded': 'logins',
  'login.failed': 'failures',
  'second_factor.failed': 'failures',
  'passkey.refused': 'failures',
  'login.throttled': 'throttled',
}

/** Counts what happens in the databases of a process. */
export class DailyCounts implements AuditCounter {
  #counts = new Map<string, DayCounts>()

  constructor(private readonly now: () => number) {}

  /** Counts an audited event. */
  count(event: AuditEvent, { databaseId, suppressed = 0 }: AuditFields) {
    const name = countOf[event]
    if (name && databaseId) this.add(databaseId, name, 1 + suppressed)
  }

  add(databaseId: string, name: keyof DayCounts, number = 1) {
    const key = `${databaseId} ${dayOf(this.now())}`
    let counts = this.#counts.get(key)
    if (!counts) {
      if (this.#counts.size >= maxKept) return
      counts = noCounts()
      this.#counts.set(key, counts)
    }
    counts[name] += number
  }

  /** Adds the counts to the store. Those that it does not accept are added later. */
  async store(store: Queries, pause: () => Promise<unknown> = async () => undefined) {
    for (const [key, counts] of [...this.#counts]) {
      this.#counts.delete(key)
      const [databaseId = '', day = ''] = key.split(' ')
      try {
        await addCounts(store, { databaseId, day, ...counts })
      } catch (error) {
        // The database was deleted.
        if (isForeignKeyViolation(error)) continue
        this.#keep(key, counts)
        throw error
      }
      await pause()
    }
  }

  #keep(key: string, counts: DayCounts) {
    const kept = this.#counts.get(key) ?? noCounts()
    for (const name of Object.keys(counts) as (keyof DayCounts)[]) kept[name] += counts[name]
    this.#counts.set(key, kept)
  }
}

/** Adds the counts of a process to the store every minute, and when it is stopped. Does not keep the process alive. */
export function startStoringCounts(store: Queries, counts: DailyCounts, log: Pick<Log, 'warn'>) {
  const stopping = new AbortController()
  const wait = (milliseconds: number) =>
    sleep(milliseconds, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
  const storeAll = (pause?: () => Promise<unknown>) =>
    counts.store(store, pause).catch((err) => log.warn({ err }, 'the counts of a minute are stored later'))
  const running = untraced(async () => {
    while (!stopping.signal.aborted) {
      await wait(minuteMilliseconds)
      if (!stopping.signal.aborted) await storeAll(() => wait(pauseMilliseconds))
    }
  })
  return {
    async stop() {
      stopping.abort()
      await running
      await storeAll()
    },
  }
}
