import { isMigrated, migrate, pendingMigrations } from './migrate.js'
import type { Connected } from './prisma.js'
import { findOldestDatabase } from './queries/databases.js'
import type { ServerStore, Store } from './store.js'
import { tracedStore } from './traced-store.js'

/** Where the store is, and how it is opened. */
export interface StoreSettings {
  /** A Postgres server; undefined for the embedded store. Requires `masterKey`. */
  databaseUrl: string | undefined
  masterKey: Buffer | undefined
  /** The successor of the master key, until all keys are re-encrypted with it. */
  newMasterKey?: Buffer | undefined
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
  const { hasStore } = await import('./connect-embedded.js')
  if (!hasStore(dataDir)) throw new NoStoreError(dataDir)
}

/** Opens the store of a command. Migrates the embedded store; a server is migrated only by `usher migrate`. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const store = await addPrisma(await connect(settings, () => undefined))
  if (settings.databaseUrl) return tracedStore(store)
  return closingOnError(store, async () => {
    if (!(await isMigrated(store))) await migrate(store.prisma)
    return tracedStore(store)
  })
}

/**
 * Does the same for a server, but loads Prisma only for an embedded store that must be migrated or filled.
 *
 * @param onConnectionError called when an idle connection breaks
 * @param warn called if others could read the embedded store until now
 * @param fill called for an embedded store without a database
 */
export async function openServerStore(
  settings: StoreSettings,
  onConnectionError: (error: Error) => void,
  warn: (message: string) => void,
  fill: (store: Store) => Promise<unknown>,
): Promise<ServerStore> {
  const connected = await connect(settings, onConnectionError, undefined, warn)
  const { store } = connected
  if (settings.databaseUrl) return tracedStore(store)
  return closingOnError(store, async () => {
    const mustMigrate = !(await isMigrated(store))
    if (!mustMigrate && (await findOldestDatabase(store))) return tracedStore(store)
    const filled = await addPrisma(connected)
    if (mustMigrate) await migrate(filled.prisma)
    if (!(await findOldestDatabase(store))) await fill(filled)
    return tracedStore(filled)
  })
}

async function closingOnError<T>(store: ServerStore, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store for `usher migrate`: without a time limit, and without migrating it. */
export const openForMigration = async (settings: StoreSettings) =>
  addPrisma(await connect(settings, () => undefined, 0))

async function addPrisma(connected: Connected) {
  const { withPrisma } = await import('./prisma.js')
  return withPrisma(connected)
}

/** Loads only the kind of store that the settings name. */
async function connect(
  { databaseUrl, masterKey, newMasterKey, storeConnections, dataDir }: StoreSettings,
  onConnectionError: (error: Error) => void,
  statementMilliseconds?: number,
  warn?: (message: string) => void,
): Promise<Connected> {
  const connectKind = async () => {
    if (databaseUrl && masterKey) {
      const { connectPostgres } = await import('./connect-postgres.js')
      return connectPostgres(
        databaseUrl,
        masterKey,
        onConnectionError,
        storeConnections,
        statementMilliseconds,
      )
    }
    const { connectEmbedded } = await import('./connect-embedded.js')
    return connectEmbedded(dataDir, masterKey, warn)
  }
  const { store, adapter } = await connectKind()
  return { store: { ...store, newMasterKey }, adapter }
}

/** @throws {NotMigratedError} */
export async function requireMigrated(store: ServerStore) {
  const pending = await pendingMigrations(store)
  if (pending.length > 0) throw new NotMigratedError(pending)
}
