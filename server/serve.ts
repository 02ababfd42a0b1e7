import closeWithGrace from 'close-with-grace'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import { buildApp } from './app.js'
import type { Config } from './config.js'
import { createDatabase } from './domain/databases.js'
import { requireMasterKey } from './domain/master-key.js'
import { createService } from './domain/service.js'
import { createWorkspace } from './domain/workspaces.js'
import { greeting } from './greeting.js'
import { openStore, requireMigrated } from './store/open.js'
import type { Store } from './store/store.js'
import { isStoreUnavailable } from './store/unavailable.js'

/** How long requests in flight may take after SIGTERM. */
const drainMilliseconds = 10_000

/**
 * Serves until SIGTERM or SIGINT: then stops accepting, finishes what is in flight, closes the store and
 * exits 0. A second signal ends it at once.
 *
 * @param options.json logs JSON lines on a terminal too, as is done elsewhere
 * @throws where the port is taken, the folder in use, or the store not migrated; nothing is left open then
 */
export async function serve(config: Config, options: { json?: boolean } = {}) {
  const forPeople = process.stdout.isTTY && !options.json
  const log = pino({ level: config.logLevel }, forPeople ? pretty() : undefined)
  const store = await openStore(config, (error) => log.warn({ err: error }, 'store connection lost'))
  try {
    await prepare(config, store, log)
    const app = await buildApp(config, await createService(config, store), log)
    await app.listen({ host: config.host, port: config.port })
    closeWithGrace({ delay: drainMilliseconds, logger: log }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'ending after an error')
      else log.info({ signal }, 'draining')
      await app.close()
      await store.close()
    })
  } catch (error) {
    await store.close()
    throw error
  }
  if (!config.databaseUrl) process.stderr.write(greeting(config))
}

/** The embedded store gets a first database; a server must be ready for use, or be away and come back. */
async function prepare(config: Config, store: Store, log: Logger) {
  try {
    await requireMigrated(store)
    await requireMasterKey(store)
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error
    log.warn({ err: error }, 'the store is away; answering 503 until it is back')
  }
  if (config.databaseUrl || (await store.prisma.workspace.count()) > 0) return
  await createWorkspace(store, 'demo', new Date())
  await createDatabase(store, { workspaceSlug: 'demo', databaseName: 'app' }, {}, new Date())
}
