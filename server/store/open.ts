import type { Config } from '../config.js'
import { openEmbedded } from './embedded.js'
import { migrate, pendingMigrations } from './migrate.js'
import { openPostgres } from './postgres.js'
import type { Store } from './store.js'
import { tracedStore } from './traced-store.js'

/** The store on a server lacks migrations. */
export class NotMigratedError extends Error {
  constructor(pending: readonly string[]) {
    super(`the store lacks ${pending.length} migration(s), first ${pending[0]}; run: usher migrate`)
  }
}

/**
 * Opens the store that the settings name. The embedded one is brought up to date; a server is changed by
 * `usher migrate` alone.
 *
 * @param log is told of connections that broke while idle
 */
export async function openStore(config: Config, log: (error: Error) => void): Promise<Store> {
  const { databaseUrl, masterKey, storeConnections } = config
  if (databaseUrl && masterKey) {
    return tracedStore(openPostgres(databaseUrl, masterKey, log, storeConnections))
  }
  const store = await openEmbedded(config.dataDir, masterKey)
  try {
    await migrate(store.prisma)
    return tracedStore(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store for `usher migrate`: no time limit, and nothing applied yet. */
export function openForMigration(config: Config): Promise<Store> | Store {
  return config.databaseUrl && config.masterKey
    ? openPostgres(config.databaseUrl, config.masterKey, () => undefined, config.storeConnections, 0)
    : openEmbedded(config.dataDir, config.masterKey)
}

/** @throws {NotMigratedError} */
export async function requireMigrated(store: Store) {
  const pending = await pendingMigrations(store.prisma)
  if (pending.length > 0) throw new NotMigratedError(pending)
}
