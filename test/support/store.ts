import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { openPGlite } from '../../server/store/connect-embedded.js'
import { query } from './citus.js'
import { type OpenStore, openOver, openPostgres } from './open-store.js'
import { databaseUrl } from './postgres-server.js'

const masterKey = randomBytes(32)

/** Tests with several processes use PgBouncer if it is installed. */
const server = (inject('instances') > 0 && inject('pgbouncerUrl')) || inject('postgresUrl')

/** A store. A Postgres store has the settings with which other processes can open it. */
export type TestStore = OpenStore & { settings?: Record<string, string> }

const settingsOf = (url: string) => ({ DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64') })

/** Opens a migrated, empty store of the kind of this run. `close` deletes it. */
export const openTestStore = (kind = inject('storeKind')): Promise<TestStore> =>
  kind === 'embedded' ? openEmbeddedCopy() : openPostgresCopy()

const openEmbeddedCopy = async () => openOver(await loadEmbeddedTemplate(), masterKey)

/** Opens the PGlite of a migrated, empty store in memory. */
export async function loadEmbeddedTemplate() {
  return openPGlite({ loadDataDir: await openAsBlob(inject('embeddedTemplate')) })
}

/** Creates a temporary DATA_DIR with an empty store. */
export async function createDataFolder(isMigrated = true) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-data-'))
  const dataDir = join(folder, 'store')
  await mkdir(dataDir)
  // PGlite would take ten times as long to unpack its files.
  await promisify(execFile)('tar', ['-xf', inject('embeddedTemplate'), '-C', dataDir])
  if (!isMigrated) await dropSchema(dataDir)
  return folder
}

async function dropSchema(dataDir: string) {
  const pglite = await openPGlite({ dataDir })
  await pglite.exec('DROP SCHEMA usher CASCADE')
  await pglite.close()
}

/** Opens a migrated, empty store on the Postgres server. `close` deletes it. */
export async function openPostgresCopy(): Promise<TestStore> {
  const { url, drop } = await createPostgresDatabase()
  const store = await openPostgres(url, masterKey)
  return { ...store, settings: settingsOf(url), close: () => store.close().then(drop) }
}

/**
 * Creates a database on the Postgres server.
 *
 * @param template a database without connections, of which it is a copy: a migrated store, distributed on Citus, unless
 *   another one is named. With `template0` it is empty.
 */
export async function createPostgresDatabase(template = 'usher_template') {
  const name = `usher_${randomUUID().replaceAll('-', '')}`
  const nodes = inject('postgresNodes').slice(0, template === 'template0' ? 1 : undefined)
  for (const node of nodes) await query(node, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    url: databaseUrl(server, name),
    async drop() {
      for (const node of nodes) await query(node, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Settings of a process, and a function that deletes their store. */
export interface StoreSettings {
  env: Record<string, string>
  remove: () => Promise<void>
}

/** Creates a store on the Postgres server. */
export async function createPostgresSettings(isMigrated = true): Promise<StoreSettings> {
  const { url, drop } = await createPostgresDatabase(isMigrated ? 'usher_template' : 'template0')
  return { env: settingsOf(url), remove: drop }
}

/** Creates a store in a temporary folder. */
export async function createFolderSettings(isMigrated = true): Promise<StoreSettings> {
  const folder = await createDataFolder(isMigrated)
  return { env: { DATA_DIR: folder }, remove: () => rm(folder, { recursive: true }) }
}
