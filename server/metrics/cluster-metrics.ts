import type { Worker } from 'node:cluster'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

const requestMessage = 'metrics'

/** Time limit for the response of a worker. After it, the last values of the worker are used. */
const timeoutMilliseconds = 1_000

type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** In a worker: sends its metrics to the primary process on request. */
export function reportMetrics(registry: Registry) {
  process.on('message', async (message) => {
    if (message === requestMessage) process.send?.({ metrics: await registry.getMetricsAsJSON() })
  })
}

/** In the primary process: sums up the metrics of all workers, including the counters of exited ones. */
export function createClusterMetrics(listening: ReadonlySet<Worker>) {
  const latest = new Map<Worker, Snapshot>()
  let exited: Snapshot = []
  const own = new Registry()
  const registers = [own]
  new Gauge({
    name: 'usher_workers',
    help: 'Processes that accept connections.',
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

  function request(worker: Worker) {
    return new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        worker.off('message', settle)
        resolve()
      }
      const timer = setTimeout(settle, timeoutMilliseconds)
      worker.on('message', settle)
      worker.send(requestMessage, (error) => error && settle())
    })
  }

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
      await Promise.all([...listening].map(request))
      return AggregatorRegistry.aggregate([...latest.values(), exited, await own.getMetricsAsJSON()])
    },
  }
}
