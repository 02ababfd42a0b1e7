import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { AppContext } from '../domain/context.js'
import { type Channel, channels, type DeliveryStatistics } from '../domain/outbox/statistics.js'
import type { Problem } from '../domain/problem.js'

/** In seconds, for everything from a read of a cached row to a login that waited in the queue. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The Prometheus metrics of one process: see docs/observability.md. */
export interface Metrics {
  registry: Registry
  /** @param route pattern of the route, or undefined if no route matches the path */
  countResponse(method: string, route: string | undefined, status: number, seconds: number): void
  countProblem(problem: Problem): void
}

/** Creates the metrics of a server and of its process. */
export function createMetrics(
  { hashing, store, now }: Pick<AppContext, 'hashing' | 'store' | 'now'>,
  deliveries: DeliveryStatistics,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'usher_http_request_duration_seconds',
    help: 'Time from the header of a request to the end of its response. The route is a pattern, or unknown.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const problems = new Counter({
    name: 'usher_problems_total',
    help: 'Error responses.',
    labelNames: ['code'],
    registers,
  })

  const gauge = (name: string, help: string, read: () => number, aggregator?: 'max') =>
    new Gauge({
      name,
      help,
      registers,
      ...(aggregator && { aggregator }),
      collect() {
        this.set(read())
      },
    })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const hash = hashing.stats
  gauge('usher_hash_threads', 'Threads that hash passwords.', () => hash().threads)
  gauge('usher_hash_threads_busy', 'Threads that are hashing now.', () => hash().busy)
  gauge('usher_hash_queue_length', 'Passwords waiting for a thread.', () => hash().queued)
  gauge(
    'usher_hash_queue_seconds',
    'How long a password behind all others would wait, in the worker with the longest queue.',
    () => hash().queueSeconds,
    'max',
  )
  counter('usher_hash_jobs_total', 'Passwords that a thread has started to hash.', () => hash().started)
  counter(
    'usher_hash_wait_seconds_total',
    'Total time that these passwords waited.',
    () => hash().waitedSeconds,
  )
  counter(
    'usher_hash_shed_total',
    'Passwords rejected with 503 because the share of their network in the queue was full.',
    () => hash().shed,
  )
  const { connections } = store
  if (connections) {
    gauge('usher_store_connections', 'Open connections to a Postgres server.', () => connections().total)
    gauge('usher_store_connections_idle', 'Connections that run no statement.', () => connections().idle)
    gauge('usher_store_waiting', 'Statements waiting for a connection.', () => connections().waiting)
  }

  addDeliveryMetrics(registry, deliveries, now)

  return {
    registry,
    countResponse: (method, route = 'unknown', status, seconds) =>
      durations.observe({ method, route, status }, seconds),
    countProblem: ({ code }) => problems.inc({ code }),
  }
}

function addDeliveryMetrics(registry: Registry, deliveries: DeliveryStatistics, now: AppContext['now']) {
  const registers = [registry]
  new Counter({
    name: 'usher_messages_total',
    help: 'Mails and events: delivered, failed (an attempt), or expired (a mail whose code had expired).',
    labelNames: ['channel', 'result'],
    registers,
    collect() {
      this.reset()
      for (const channel of channels)
        for (const result of ['delivered', 'failed', 'expired'] as const)
          this.inc({ channel, result }, deliveries[channel][result])
    },
  })
  new Counter({
    name: 'usher_message_claims_failed_total',
    help: 'Statements that failed to claim due messages.',
    labelNames: ['channel'],
    registers,
    collect() {
      this.reset()
      for (const channel of channels) this.inc({ channel }, deliveries[channel].claimsFailed)
    },
  })
  const gauge = (name: string, help: string, read: (channel: Channel) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      // Each process searches the whole store.
      aggregator: 'max',
      registers,
      collect() {
        for (const channel of channels) this.set({ channel }, read(channel))
      },
    })
  gauge(
    'usher_message_oldest_due_seconds',
    'How long the longest due message has been due; 0 if none is.',
    (channel) => Math.max(0, (now() - (deliveries[channel].oldestDueAt ?? now())) / 1000),
  )
  gauge(
    'usher_messages_not_retried',
    'Messages that are not retried and wait for the operator. At most 1,000 are counted.',
    (channel) => deliveries[channel].notRetried,
  )
}
