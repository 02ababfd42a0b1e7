import { randomBytes, randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { inject } from 'vitest'
import { storeOver } from '../../server/store/embedded.js'
import { openPostgres } from '../../server/store/postgres.js'
import type { Store } from '../../server/store/store.js'
import { databaseUrl } from './postgres-server.js'

const masterKey = randomBytes(32)

/** Where tests of several processes find the server: behind PgBouncer, where there is one. */
const server = (inject('instances') > 0 && inject('pgbouncerUrl')) || inject('postgresUrl')

/** A store, and where it is on a server the settings of a process that opens it too. */
export type TestStore = Store & { settings?: Record<string, string> }

const settingsOf = (url: string) => ({ DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64') })

/** A migrated, empty store of this run's kind, gone after the test. */
export const openTestStore = (kind = inject('storeKind')): Promise<TestStore> =>
  kind === 'embedded' ? openEmbeddedCopy() : openPostgresCopy()

/** A store of this run's kind with nothing in it. */
export async function openBareStore(): Promise<Store> {
  const store = await openTestStore()
  await store.prisma.$executeRaw`DROP SCHEMA usher CASCADE`
  return store
}

const openEmbeddedCopy = async () => storeOver(await loadEmbeddedTemplate(), masterKey)

/** The PGlite of a migrated, empty store, in memory or in a folder. */
export async function loadEmbeddedTemplate(dataDir = 'memory://') {
  return PGlite.create({ loadDataDir: await openAsBlob(inject('embeddedTemplate')), dataDir })
}

/** A new DATA_DIR under the folder for temporary files, with an empty store in it, migrated or bare. */
export async function makeDataFolder(isMigrated = true) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-data-'))
  const pglite = await loadEmbeddedTemplate(join(folder, 'store'))
  if (!isMigrated) await pglite.exec('DROP SCHEMA usher CASCADE')
  await pglite.close()
  return folder
}

/** A migrated, empty store on the Postgres server, whatever the run's kind. */
export async function openPostgresCopy(): Promise<TestStore> {
  const { url, drop } = await createPostgresDatabase()
  const store = openPostgres(url, masterKey, () => undefined)
  return { ...store, settings: settingsOf(url), close: () => store.close().then(drop) }
}

/** A database of its own on the Postgres server, whatever the run's kind: migrated, or bare with `template0`. */
export async function createPostgresDatabase(template: 'usher_template' | 'template0' = 'usher_template') {
  const name = `usher_${randomUUID().replaceAll('-', '')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    url: databaseUrl(server, name),
    drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function onServer(statement: string) {
  const client = new Client(inject('postgresUrl'))
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Settings of a process, and the removal of the store that they name. */
export interface StoreSettings {
  env: Record<string, string>
  remove: () => Promise<unknown>
}

/** A store of its own on the Postgres server, migrated or bare, as the settings of a process that opens it. */
export async function makePostgresSettings(isMigrated = true): Promise<StoreSettings> {
  const { url, drop } = await createPostgresDatabase(isMigrated ? 'usher_template' : 'template0')
  return { env: settingsOf(url), remove: drop }
}

/** The same in a new folder. */
export async function makeFolderSettings(isMigrated = true): Promise<StoreSettings> {
  const folder = await makeDataFolder(isMigrated)
  return { env: { DATA_DIR: folder }, remove: () => rm(folder, { recursive: true }) }
}
