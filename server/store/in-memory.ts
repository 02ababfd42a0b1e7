import type { PGlite } from '@electric-sql/pglite'
import { openPGlite, storeOver } from './connect-embedded.js'
import { migrate } from './migrate.js'
import type { Store } from './store.js'

/** A copy of the first store of the process. Initializing Postgres takes seconds, and opening a copy half a second. */
let template: Promise<Blob> | undefined

/** Opens a migrated, empty embedded store that exists in memory only. */
export async function openInMemory(masterKey: Buffer): Promise<Store> {
  template ??= createTemplate()
  return storeOver(await openPGlite({ loadDataDir: await template }), masterKey)
}

/** Returns the files of a migrated, empty embedded store as an archive that PGlite loads. */
export async function createTemplate(): Promise<Blob> {
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
