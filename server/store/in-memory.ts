import { hash, randomUUID } from 'node:crypto'
import { existsSync, openAsBlob } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { openPGlite, storeOver } from './connect-embedded.js'
import { checksumOfMigrations, migrate } from './migrate.js'
import type { Store } from './store.js'

const require = createRequire(import.meta.url)

/** In the package, not in the shared temporary folder, where others could put files. */
const cacheFolder = join(dirname(require.resolve('@usher/server/package.json')), '.cache')

/** The files that every store of the process starts from. */
let template: Promise<Blob> | undefined

/** Opens a migrated, empty embedded store that exists in memory only. */
export async function openInMemory(masterKey: Buffer): Promise<Store> {
  template ??= loadTemplate()
  return storeOver(await openPGlite({ loadDataDir: await template }), masterKey)
}

/**
 * Returns the files of a migrated, empty embedded store as an archive that PGlite loads. Keeps it in a folder for later
 * processes, if it can be written there: initializing Postgres takes five seconds of CPU time, and opening a copy a third
 * of a second.
 */
export async function loadTemplate(folder = cacheFolder, create = createTemplate): Promise<Blob> {
  const { dependencies } = require('@usher/server/package.json')
  const origin = `${dependencies['@electric-sql/pglite']} ${await checksumOfMigrations()}`
  const file = join(folder, `store-${hash('sha256', origin).slice(0, 16)}.tar`)
  if (existsSync(file)) return openAsBlob(file)
  const files = await create()
  await keep(file, files).catch(() => undefined)
  return files
}

/** Writes a file as a whole, so that a killed process leaves no part of it. */
async function keep(file: string, content: Blob) {
  const unfinished = `${file}.${randomUUID()}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(unfinished, content.stream())
  await rename(unfinished, file)
}

async function createTemplate(): Promise<Blob> {
  const pglite = await openPGlite()
  const store = storeOver(pglite, Buffer.alloc(32))
  await migrate(store)
  await dropTemplates(pglite)
  const files = await pglite.dumpDataDir('none')
  await store.close()
  return files
}

/** Drops the databases from which Postgres would create others: more than half of the files that a copy loads. */
async function dropTemplates(pglite: PGlite) {
  await pglite.query('UPDATE pg_database SET datistemplate = false')
  await pglite.query('DROP DATABASE template0')
  await pglite.query('DROP DATABASE template1')
}
