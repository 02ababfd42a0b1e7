import cluster from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Registry } from 'prom-client'
import type { Config } from '../config.js'
import { drainMilliseconds } from '../http/drain-connections.js'
import { startUsher } from '../index.js'
import { startMetricsServer } from '../metrics/metrics-server.js'
import { listenOnSocket } from '../socket/listen.js'
import { createLogger } from '../telemetry/logger.js'
import { flushSpans } from '../telemetry/tracing.js'
import { drainOnRequest, workerSignals } from './cluster.js'
import { followStatus } from './server-status.js'
import { showSetupLink } from './setup-link.js'
import { startupBanner } from './startup-banner.js'

/** Accepts no commands any more, and waits for running ones for at most some milliseconds. */
type StopCommands = (milliseconds: number) => Promise<void>

interface ServeOptions {
  /** Whether to log JSON lines even on a terminal. */
  json?: boolean
}

/**
 * Serves until SIGTERM or SIGINT. Then /readyz returns 503 while requests are served for SHUTDOWN_DELAY_SECONDS. After
 * that, the server accepts no requests, finishes those in flight, closes the store and exits with 0. A second signal
 * ends the process immediately.
 *
 * @throws if the port is in use or the store cannot be used. Everything is closed then
 */
export async function serve(config: Config, options: ServeOptions = {}) {
  const log = await createLogger(config, options)
  if (cluster.isPrimary) for (const warning of config.warnings) log.warn(warning)
  const usher = await startUsher(config, { log })
  const { app, managementApp, context, metrics, firstDatabase, setupLink } = usher
  let stopCommands: StopCommands | undefined
  try {
    if (metrics && config.metrics) await publishMetrics(metrics, config.metrics)
    const delay = config.shutdownDelaySeconds * 1000
    const skip = ['beforeExit' as const, ...workerSignals]
    const grace = { delay: delay + drainMilliseconds, logger: log, skip }
    const { close } = closeWithGrace(grace, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'shutting down after an error')
      else log.info({ signal }, 'draining')
      context.isEnding = true
      if (!err) await setTimeout(delay)
      // A second is left to close the store.
      await Promise.all([stopCommands?.(drainMilliseconds - 1_000), app.close(), managementApp?.close()])
      await usher.close()
      await flushSpans().catch(() => undefined)
    })
    // Throws an unhandled rejection, which close-with-grace logs. It drains and exits with 1. A worker is then
    // replaced.
    context.hashing.stopped.then((error) => {
      throw error
    })
    await app.listen({ host: config.host, port: config.port })
    await managementApp?.listen({ host: config.host, port: config.managementPort })
    if (!config.databaseUrl) stopCommands = await listenOnSocket({ ...config, context, log })
    followStatus(usher, config)
    drainOnRequest(close)
    if (firstDatabase) process.stderr.write(startupBanner(config, firstDatabase))
    if (setupLink && (cluster.isPrimary || cluster.worker?.id === 1)) await showSetupLink(config, setupLink)
  } catch (error) {
    await stopCommands?.(0)
    await usher.close()
    throw error
  }
}

async function publishMetrics(registry: Registry, address: NonNullable<Config['metrics']>) {
  if (!cluster.isWorker) return startMetricsServer(address, () => registry)
  const { reportMetrics } = await import('../metrics/cluster-metrics.js')
  reportMetrics(registry)
}
