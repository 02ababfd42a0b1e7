import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { AppContext } from '../domain/context.js'
import type { Problem } from '../domain/problem.js'
import { problemOfClientError } from '../http/socket-errors.js'

/** From a read of a cached row to a login that waited for its turn to be hashed. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What one process counts for Prometheus; docs/observability.md says what each means. */
export interface Metrics {
  registry: Registry
  /** Counts every answer of an app, and every connection that it closes because it speaks no HTTP. */
  observe(app: FastifyInstance): void
  /** For an answer that Fastify runs no hooks for. */
  countResponse(request: FastifyRequest, reply: FastifyReply): void
  countProblem(problem: Problem): void
}

/** Metrics of a service and of the process that it runs in. */
export function createMetrics({ hashing, store }: Pick<AppContext, 'hashing' | 'store'>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'usher_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const problems = new Counter({
    name: 'usher_problems_total',
    help: 'Failures that clients were told of, by their code.',
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
  gauge('usher_hash_threads_busy', 'Those that hash at this moment.', () => hash().busy)
  gauge('usher_hash_queue_length', 'Passwords that wait for a thread.', () => hash().queued)
  gauge('usher_hash_queue_seconds', 'How long one more would wait.', () => hash().queueSeconds, 'max')
  counter('usher_hash_jobs_total', 'Passwords that a thread took up.', () => hash().started)
  counter('usher_hash_wait_seconds_total', 'Time that these had waited.', () => hash().waitedSeconds)
  counter('usher_hash_shed_total', 'Passwords refused because too many waited.', () => hash().shed)
  const { connections } = store
  if (connections) {
    gauge('usher_store_connections', 'Open connections to the store.', () => connections().total)
    gauge('usher_store_connections_idle', 'Those that run no statement.', () => connections().idle)
    gauge('usher_store_waiting', 'Statements that wait for a connection.', () => connections().waiting)
  }

  const countResponse: Metrics['countResponse'] = ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    const labels = { method, route: routeOptions.url ?? 'unknown', status: statusCode }
    durations.observe(labels, elapsedTime / 1000)
  }
  return {
    registry,
    countResponse,
    countProblem: ({ code }) => problems.inc({ code }),
    observe(app) {
      app.addHook('onResponse', (request, reply, done) => {
        countResponse(request, reply)
        done()
      })
      app.server.on('clientError', (error: { code: string }) => {
        const problem = problemOfClientError(error)
        if (problem) problems.inc({ code: problem.code })
      })
    },
  }
}
