import type { Worker } from 'node:cluster'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

const question = 'metrics'

/** How long a worker may take to answer; after that its last figures stand. */
const patienceMilliseconds = 1_000

type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** In a worker: tells the first process its metrics when asked. */
export function reportMetrics(registry: Registry) {
  process.on('message', async (message) => {
    if (message === question) process.send?.({ metrics: await registry.getMetricsAsJSON() })
  })
}

/** In the first process: metrics of all workers, added up. What a worker told stays counted when it is gone. */
export function createClusterMetrics(listening: ReadonlySet<Worker>) {
  const latest = new Map<Worker, Snapshot>()
  let ended: Snapshot = []
  const own = new Registry()
  const registers = [own]
  new Gauge({
    name: 'usher_workers',
    help: 'Processes that take connections.',
    registers,
    collect() {
      this.set(listening.size)
    },
  })
  const deaths = new Counter({
    name: 'usher_worker_deaths_total',
    help: 'Workers that ended without being told to.',
    registers,
  })

  function ask(worker: Worker) {
    return new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        worker.off('message', settle)
        resolve()
      }
      const timer = setTimeout(settle, patienceMilliseconds)
      worker.on('message', settle)
      worker.send(question, (error) => error && settle())
    })
  }

  return {
    /** To be called for each worker as it starts. */
    follow(worker: Worker) {
      worker.on('message', ({ metrics }: { metrics?: Snapshot }) => {
        if (metrics) latest.set(worker, metrics)
      })
      worker.once('exit', () => {
        const counted = (latest.get(worker) ?? []).filter(({ type }) => String(type) !== 'gauge')
        latest.delete(worker)
        ended = AggregatorRegistry.aggregate([ended, counted]).getMetricsAsArray() as Snapshot
      })
    },
    countDeath: () => deaths.inc(),
    async collect() {
      await Promise.all([...listening].map(ask))
      return AggregatorRegistry.aggregate([...latest.values(), ended, await own.getMetricsAsJSON()])
    },
  }
}
