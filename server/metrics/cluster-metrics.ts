import type { Worker } from 'node:cluster'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { answer, ask } from './ask-worker.js'

const question = 'metrics'

type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** In a worker: sends its metrics to the primary process on request. */
export const reportMetrics = (registry: Registry) => answer(question, () => registry.getMetricsAsJSON())

/** In the primary process: sums up the metrics of all workers, including the counters of exited ones. */
export function createClusterMetrics(listening: ReadonlySet<Worker>) {
  const latest = new Map<Worker, Snapshot>()
  let exited: Snapshot = []
  const own = new Registry()
  const registers = [own]
  new Gauge({
    name: 'usher_workers',
    help: 'Processes that accept connections, if there are several.',
    registers,
    collect() {
      this.set(listening.size)
    },
  })
  const deaths = new Counter({
    name: 'usher_worker_deaths_total',
    help: 'Workers that exited unexpectedly.',
    registers,
  })

  return {
    /** Call this for each new worker. */
    follow(worker: Worker) {
      worker.on('message', ({ metrics }: { metrics?: Snapshot }) => {
        if (metrics) latest.set(worker, metrics)
      })
      worker.once('exit', () => {
        const counted = (latest.get(worker) ?? []).filter(({ type }) => String(type) !== 'gauge')
        latest.delete(worker)
        exited = AggregatorRegistry.aggregate([exited, counted]).getMetricsAsArray() as Snapshot
      })
    },
    countDeath: () => deaths.inc(),
    async collect() {
      // Of a worker that does not respond, the last values are used.
      await Promise.all([...listening].map((worker) => ask(worker, question)))
      return AggregatorRegistry.aggregate([...latest.values(), exited, await own.getMetricsAsJSON()])
    },
  }
}
