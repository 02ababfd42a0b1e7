import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import closeWithGrace from 'close-with-grace'
import type { Config } from '../config.js'
import { drainMilliseconds } from '../http/drain-connections.js'
import { startMetricsServer } from '../metrics/metrics-server.js'
import { createLogger } from '../telemetry/logger.js'
import { closeOrphanedConnections } from './orphaned-connections.js'
import { startClusterStatus } from './server-status.js'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
const drainMessage = 'drain'
const servingMessage = 'serving'

/** Delay before a worker is replaced. It doubles each time, unless the last worker ran for a long time. */
const firstWaitMilliseconds = 100
const longestWaitMilliseconds = 30_000
const longLifeMilliseconds = 60_000

/**
 * Serves with several processes on one port. Each worker runs `serve`. This process starts them, replaces those that
 * exit, and drains them on SIGTERM or SIGINT. If the first worker cannot serve, it reports why, and this process exits
 * with the same code.
 */
export async function serveWithWorkers(config: Config, options: { json?: boolean }) {
  const log = await createLogger(config, options)
  for (const warning of config.warnings) log.warn(warning)
  const listening = new Set<Worker>()
  const metrics = config.metrics && (await publishMetrics(config.metrics, listening))
  let hasListened = false
  let isDraining = false

  function start(slot: number, deaths = 0) {
    const startedAt = performance.now()
    const worker = cluster.fork(shareOf(config, slot))
    closeOrphanedConnections(worker, listening)
    metrics?.follow(worker)
    let didListen = false
    worker.on('message', (message) => {
      if (message !== servingMessage) return
      listening.add(worker)
      didListen = true
      if (hasListened) return
      hasListened = true
      startClusterStatus(config.port, listening)
      if (!isDraining) for (let other = 1; other < config.workers; other++) start(other)
    })
    worker.once('exit', (code: number | null, signal) => {
      listening.delete(worker)
      if (isDraining) return
      // No worker could serve, so a replacement would report the same error.
      if (!hasListened || (!didListen && code && listening.size === 0)) process.exit(code || 1)
      const before = performance.now() - startedAt > longLifeMilliseconds ? 0 : deaths
      const milliseconds = Math.min(firstWaitMilliseconds * 2 ** before, longestWaitMilliseconds)
      log.error({ worker: worker.id, code, signal, milliseconds }, 'a worker exited; starting another')
      metrics?.countDeath()
      setTimeout(() => isDraining || start(slot, before + 1), milliseconds)
    })
  }

  async function drain(worker: Worker) {
    if (worker.isDead()) return
    // The worker may exit before the message arrives.
    if (listening.has(worker)) worker.send(drainMessage, () => undefined)
    else worker.process.kill()
    const [code] = await once(worker, 'exit')
    if (code) throw new Error(`worker ${worker.id} exited with code ${code}`)
  }

  const delay = config.shutdownDelaySeconds * 1000 + drainMilliseconds + 1_000
  const grace = { delay, logger: log, skip: ['beforeExit' as const] }
  closeWithGrace(grace, async ({ err, signal }) => {
    isDraining = true
    if (err) log.fatal({ err }, 'shutting down after an error')
    else log.info({ signal }, 'draining')
    await Promise.all(
      Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [drain(worker)] : [])),
    )
  })
  start(0)
}

async function publishMetrics(address: NonNullable<Config['metrics']>, listening: ReadonlySet<Worker>) {
  const { createClusterMetrics } = await import('../metrics/cluster-metrics.js')
  const metrics = createClusterMetrics(listening)
  await startMetricsServer(address, metrics.collect)
  return metrics
}

function shareOf({ workers, hashing, storeConnections, storeNodeConnections }: Config, slot: number) {
  const share = (total: number, min: number) =>
    String(Math.max(min, Math.floor(total / workers) + (slot < total % workers ? 1 : 0)))
  return {
    HASH_CONCURRENCY: share(hashing.concurrency, 1),
    STORE_CONNECTIONS: share(storeConnections, 2),
    ...(storeNodeConnections && { STORE_NODE_CONNECTIONS: share(storeNodeConnections, 2) }),
  }
}

/**
 * A worker may get these signals from the terminal and from the primary process. The second must not end it
 * immediately.
 */
export const workerSignals = cluster.isWorker ? signals : []

export function drainOnRequest(close: () => void) {
  if (!cluster.isWorker) return
  const drain = () => {
    if (!('closing' in closeWithGrace && closeWithGrace.closing)) close()
  }
  for (const signal of signals) process.on(signal, drain)
  process.on('message', (message) => {
    if (message === drainMessage) drain()
  })
  process.send?.(servingMessage)
}
