import cluster from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import type { DatabasePath } from '@usher/contract'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config.js'
import { createWorkspace } from '../domain/admin/workspaces.js'
import { createContext } from '../domain/context.js'
import { createDatabase } from '../domain/databases/find-database.js'
import { requireMasterKey } from '../domain/keys/master-key.js'
import { buildApp } from '../http/app.js'
import { drainMilliseconds } from '../http/drain-connections.js'
import { reportMetrics } from '../metrics/cluster-metrics.js'
import { createMetrics } from '../metrics/metrics.js'
import { startMetricsServer } from '../metrics/metrics-server.js'
import { isStoreUnavailable } from '../store/errors.js'
import { openStore, requireMigrated } from '../store/open.js'
import type { Store } from '../store/store.js'
import { createLogger } from '../telemetry/logger.js'
import { flushSpans } from '../telemetry/tracing.js'
import { drainOnRequest, workerSignals } from './cluster.js'
import { startupBanner } from './startup-banner.js'

/**
 * Serves until SIGTERM or SIGINT: then says on /readyz that it is ending, serves on for SHUTDOWN_DELAY_SECONDS,
 * stops accepting, finishes what is in flight, closes the store and exits 0. A second signal ends it at once.
 *
 * @param options.json logs JSON lines on a terminal too, as is done elsewhere
 * @throws where the port is taken, the folder in use, or the store not migrated; nothing is left open then
 */
export async function serve(config: Config, options: { json?: boolean } = {}) {
  const log = createLogger(config, options)
  const store = await openStore(config, (error) => log.warn({ err: error }, 'store connection lost'))
  try {
    await requireUsable(store, log)
    const database = config.databaseUrl ? undefined : await firstDatabase(store)
    const context = createContext(config, store)
    const metrics = config.metrics && createMetrics(context)
    if (metrics && config.metrics) await showMetrics(metrics.registry, config.metrics)
    const app = await buildApp(config, context, log, metrics)
    const delay = config.shutdownDelaySeconds * 1000
    const skip = ['beforeExit' as const, ...workerSignals]
    const grace = { delay: delay + drainMilliseconds, logger: log, skip }
    const { close } = closeWithGrace(grace, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'ending after an error')
      else log.info({ signal }, 'draining')
      context.isEnding = true
      if (!err) await setTimeout(delay)
      await app.close()
      await Promise.all([context.hashing.close(), store.close(), flushSpans().catch(() => undefined)])
    })
    await app.listen({ host: config.host, port: config.port })
    drainOnRequest(close)
    if (database) process.stderr.write(startupBanner(config.baseUrl, database))
  } catch (error) {
    await store.close()
    throw error
  }
}

/** A worker's are shown by the first process, added up with those of the others. */
const showMetrics = async (registry: Registry, address: NonNullable<Config['metrics']>) =>
  cluster.isWorker ? reportMetrics(registry) : startMetricsServer(address, () => registry)

/** The store must be ready for use, or be away and come back. */
async function requireUsable(store: Store, log: Logger) {
  try {
    await requireMigrated(store)
    await requireMasterKey(store)
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error
    log.warn({ err: error }, 'the store is away; answering 503 until it is back')
  }
}

/** The path of the oldest database, for the greeting; one is made in a store that has none. */
async function firstDatabase(store: Store): Promise<DatabasePath> {
  const oldest = await store.prisma.database.findFirst({
    include: { workspace: true },
    orderBy: { createdAt: 'asc' },
  })
  if (oldest) return { workspaceSlug: oldest.workspace.slug, databaseName: oldest.name }
  const path = { workspaceSlug: 'demo', databaseName: 'app' }
  const workspace = await store.prisma.workspace.findUnique({ where: { slug: path.workspaceSlug } })
  if (!workspace) await createWorkspace(store, path.workspaceSlug, new Date())
  await createDatabase(store, path, {}, new Date())
  return path
}
