import { isMigrated, migrate, pendingMigrations } from './migrate.js'
import type { Store } from './store.js'
import { tracedStore } from './traced-store.js'

/** Where the store is, and how it is opened. */
export interface StoreSettings {
  /** A Postgres server; undefined for the embedded store. Requires `masterKey`. */
  databaseUrl: string | undefined
  masterKey: Buffer | undefined
  /** Connections to the server at most. */
  storeConnections: number
  /** Folder of the embedded store. */
  dataDir: string
}

/** The store on a server has pending migrations. */
export class NotMigratedError extends Error {
  constructor(pending: readonly string[]) {
    super(`the store has ${pending.length} pending migration(s), first ${pending[0]}. Run: usher migrate`)
  }
}

/** The settings name an embedded store that was not created yet. */
export class NoStoreError extends Error {
  constructor(folder: string) {
    super(`no store in ${folder}. Set DATABASE_URL or DATA_DIR, or create a store with: usher migrate`)
  }
}

/** @throws {NoStoreError} so that a command that only reads or changes a store does not create one */
export async function requireStore({ databaseUrl, dataDir }: StoreSettings) {
  if (databaseUrl) return
  const { hasStore } = await import('./embedded.js')
  if (!hasStore(dataDir)) throw new NoStoreError(dataDir)
}

/**
 * Opens the store. Migrates the embedded store; a server is migrated only by `usher migrate`.
 *
 * @param onConnectionError called when an idle connection breaks
 * @param warn called if others could read the embedded store until now
 */
export async function openStore(
  settings: StoreSettings,
  onConnectionError: (error: Error) => void,
  warn?: (message: string) => void,
): Promise<Store> {
  const store = await open(settings, onConnectionError, undefined, warn)
  if (settings.databaseUrl) return tracedStore(store)
  try {
    if (!(await isMigrated(store))) await migrate(store.prisma)
    return tracedStore(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store for `usher migrate`: without a time limit, and without migrating it. */
export const openForMigration = (settings: StoreSettings) => open(settings, () => undefined, 0)

/** Loads only the kind of store that the settings name. */
async function open(
  { databaseUrl, masterKey, storeConnections, dataDir }: StoreSettings,
  onConnectionError: (error: Error) => void,
  statementMilliseconds?: number,
  warn?: (message: string) => void,
): Promise<Store> {
  if (databaseUrl && masterKey) {
    const { openPostgres } = await import('./postgres.js')
    return openPostgres(databaseUrl, masterKey, onConnectionError, storeConnections, statementMilliseconds)
  }
  const { openEmbedded } = await import('./embedded.js')
  return openEmbedded(dataDir, masterKey, warn)
}

/** @throws {NotMigratedError} */
export async function requireMigrated(store: Store) {
  const pending = await pendingMigrations(store)
  if (pending.length > 0) throw new NotMigratedError(pending)
}
