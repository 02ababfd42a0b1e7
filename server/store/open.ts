import { connectMilliseconds, type NodeSettings } from './citus/nodes.js'
import { isMigrated, migrate, pendingMigrations } from './migrate.js'
import type { Store } from './store.js'
import { tracedStore } from './traced-store.js'

/** Settings that say where the store is and how to open it. */
export interface StoreSettings {
  /** URL of a Postgres server, which requires `masterKey`. Undefined for the embedded store. */
  databaseUrl: string | undefined
  masterKey: Buffer | undefined
  /** The successor of the master key, until all keys are re-encrypted with it. */
  newMasterKey?: Buffer | undefined
  /** Maximum number of connections to the server. */
  storeConnections: number
  /** Maximum number of connections to each node of a distributed store. Undefined to use only that of the URL. */
  storeNodeConnections?: number | undefined
  /** Folder of the embedded store. */
  dataDir: string
}

/** The store on a server has pending migrations. */
export class NotMigratedError extends Error {
  constructor(pending: readonly string[]) {
    super(
      `the store has ${pending.length} pending migration(s), first ${pending[0]}. Run: npx @usher/server migrate`,
    )
  }
}

/** The settings name an embedded store that does not exist. */
export class NoStoreError extends Error {
  constructor(folder: string) {
    super(
      `no store in ${folder}. Set DATABASE_URL or DATA_DIR, or create a store with: npx @usher/server migrate`,
    )
  }
}

/**
 * Throws if there is no store, so that a command that reads or changes a store does not create one.
 *
 * @throws {NoStoreError}
 */
export async function requireStore({ databaseUrl, dataDir }: StoreSettings) {
  if (databaseUrl) return
  const { hasStore } = await import('./connect-embedded.js')
  if (!hasStore(dataDir)) throw new NoStoreError(dataDir)
}

/** Listeners for events of a store. */
export interface StoreEvents {
  /** Called when an idle connection breaks. */
  onConnectionError?: (error: Error) => void
  /** Called if others could read the embedded store until now. */
  warn?: (message: string) => void
}

/** Opens a store. Migrates the embedded store. A store on a server is migrated only by `usher migrate`. */
export async function openStore(settings: StoreSettings, events: StoreEvents = {}): Promise<Store> {
  const store = await connect(settings, events)
  try {
    if (!settings.databaseUrl && !(await isMigrated(store))) await migrate(store)
    return tracedStore(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store for `usher migrate`: without a time limit, and without migrating it. */
export const openForMigration = (settings: StoreSettings) => connect(settings, { statementMilliseconds: 0 })

/** Loads only the kind of store that the settings name. */
async function connect(
  { databaseUrl: url, masterKey, newMasterKey, storeConnections: connections, dataDir }: StoreSettings,
  { warn, ...options }: StoreEvents & { statementMilliseconds?: number },
): Promise<Store> {
  if (url && masterKey) {
    const { connectPostgres } = await import('./connect-postgres.js')
    return { ...connectPostgres({ url, masterKey, connections, ...options }), newMasterKey }
  }
  const { connectEmbedded } = await import('./connect-embedded.js')
  return { ...(await connectEmbedded(dataDir, masterKey, warn)), newMasterKey }
}

/** Returns how to use the nodes of a distributed store. Undefined if the settings do not say so. */
export async function nodesOf(
  { databaseUrl: url, masterKey, storeNodeConnections: connections }: StoreSettings,
  { warn, onConnectionError }: StoreEvents,
): Promise<NodeSettings | undefined> {
  if (!url || !masterKey || !connections) return undefined
  const { connectPostgres } = await import('./connect-postgres.js')
  const settings = {
    masterKey,
    connections,
    connectMilliseconds,
    ...(onConnectionError && { onConnectionError }),
  }
  const open = (node: string) => tracedStore(connectPostgres({ ...settings, url: urlAt(url, node) }))
  return { connections, open, warn }
}

/** Returns the URL with another host and port. @param node `host:port` */
function urlAt(url: string, node: string) {
  const at = new URL(url)
  at.searchParams.delete('host')
  at.searchParams.delete('port')
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(node) ?? []
  at.hostname = host.includes(':') ? `[${host}]` : host
  at.port = port
  return at.href
}

/** @throws {NotMigratedError} */
export async function requireMigrated(store: Store) {
  const pending = await pendingMigrations(store)
  if (pending.length > 0) throw new NotMigratedError(pending)
}
