import type { ServerLoad } from '@usher/contract/operator'
import type { AppContext } from '../../context.js'
import { type Channel, channels, type DeliveryStatistics } from '../../outbox/statistics.js'

/** Messages that wait for an operator, by the last count of a process. */
interface Waiting {
  count: number
  /** A database that has some. */
  databaseId: string | null
}

/** What a process, or a server with several, reports of itself. Numbers of events are those since its last report. */
export interface Report {
  load: ServerLoad
  maxQueueSeconds: number
  /** Null: the store is embedded. */
  maxConnections: number | null
  waiting: Record<Channel, Waiting>
  /** Whether it has a successor of its master key. */
  hasNewMasterKey: boolean
}

/** How the values of processes are combined, and the values of an hour. */
const combinations = {
  queued: ['sum', 'max'],
  queueSeconds: ['max', 'max'],
  shed: ['sum', 'sum'],
  connections: ['sum', 'max'],
  // Each process searches the whole store.
  oldestMessageSeconds: ['max', 'max'],
  mailsSent: ['sum', 'sum'],
  mailsFailed: ['sum', 'sum'],
} as const satisfies Record<keyof ServerLoad, readonly ['sum' | 'max', 'sum' | 'max']>

const measures = Object.keys(combinations) as (keyof ServerLoad)[]

const combine = {
  sum: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  max: (values: readonly number[]) => Math.max(0, ...values),
}

/** Returns one load for those of the processes of a server, or of an hour. */
export function combined(loads: readonly ServerLoad[], of: 'processes' | 'hour'): ServerLoad {
  const entries = measures.map((name) => {
    const [processes, hour] = combinations[name]
    return [name, combine[of === 'hour' ? hour : processes](loads.map((load) => load[name]))]
  })
  return Object.fromEntries(entries)
}

/** Returns the largest count of the messages that wait. Each process counts those of the whole store. */
export const mostWaiting = (all: readonly Report['waiting'][], channel: Channel): Waiting =>
  all
    .map((waiting) => waiting[channel])
    .reduce((most, each) => (each.count > most.count ? each : most), { count: 0, databaseId: null })

/** Returns the report of a server with some processes. */
export function reportOf(reports: readonly [Report, ...Report[]]): Report {
  const [first] = reports
  const waiting = reports.map((each) => each.waiting)
  return {
    ...first,
    load: combined(
      reports.map(({ load }) => load),
      'processes',
    ),
    maxConnections:
      first.maxConnections === null ? null : combine.sum(reports.map((each) => each.maxConnections ?? 0)),
    waiting: { mail: mostWaiting(waiting, 'mail'), webhook: mostWaiting(waiting, 'webhook') },
  }
}

/** Returns a function that reports what this process does. */
export function createReporter(
  { hashing, store, now }: Pick<AppContext, 'hashing' | 'store' | 'now'>,
  deliveries: DeliveryStatistics,
): () => Report {
  let last = { shed: 0, mailsSent: 0, mailsFailed: 0 }
  return () => {
    const { queued, queueSeconds, shed } = hashing.stats()
    const { delivered: mailsSent, failed: mailsFailed } = deliveries.mail
    const since = {
      shed: shed - last.shed,
      mailsSent: mailsSent - last.mailsSent,
      mailsFailed: mailsFailed - last.mailsFailed,
    }
    last = { shed, mailsSent, mailsFailed }
    const connections = store.connections?.()
    const ages = channels.map((channel) => (now() - (deliveries[channel].oldestDueAt ?? now())) / 1000)
    const waitingOf = ({ notRetried, notRetriedIn }: DeliveryStatistics[Channel]) => ({
      count: notRetried,
      databaseId: notRetriedIn ?? null,
    })
    return {
      load: {
        queued,
        queueSeconds,
        connections: connections ? connections.total - connections.idle : 0,
        oldestMessageSeconds: combine.max(ages),
        ...since,
      },
      maxQueueSeconds: hashing.queueSeconds,
      maxConnections: connections?.max ?? null,
      waiting: { mail: waitingOf(deliveries.mail), webhook: waitingOf(deliveries.webhook) },
      hasNewMasterKey: store.newMasterKey !== undefined,
    }
  }
}
