import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { lockFolder } from './folder-lock.js'
import { openKeyFile } from './key-file.js'
import { prismaOver, type Store } from './store.js'

/**
 * The embedded store: PGlite in this process, its files under the folder, which is made if it is not there.
 *
 * @param masterKey absent: one is made in the folder at the first start and read from there later
 * @throws {FolderInUseError} where another process has the folder open
 */
export async function openEmbedded(folder: string, masterKey?: Buffer): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unlock = await lockFolder(folder)
  try {
    const store: Store = masterKey
      ? storeOver(await openFiles(folder), masterKey)
      : await openWithKeyFile(folder)
    return { ...store, close: () => store.close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
}

async function openWithKeyFile(folder: string): Promise<Store> {
  const keyFile = await openKeyFile(join(folder, 'master.key'))
  return { ...storeOver(await openFiles(folder), keyFile.key), keyFile }
}

/** A store over an open PGlite, which is closed with it. */
export function storeOver(pglite: PGlite, masterKey: Buffer): Store {
  const prisma = prismaOver(new PrismaPGlite(pglite))
  const close = async () => {
    await prisma.$disconnect()
    await pglite.close()
  }
  const query = async <Row>(text: string, values: unknown[]) => (await pglite.query<Row>(text, values)).rows
  return { prisma, query, masterKey, close }
}

/**
 * A process that is killed while PGlite makes its files leaves some that cannot be opened. A mark beside them
 * says that nothing has been kept in them yet, so the next start makes them anew.
 */
async function openFiles(folder: string) {
  const files = join(folder, 'store')
  const mark = join(folder, 'store.unfinished')
  if (existsSync(mark) || !existsSync(files)) {
    await writeFile(mark, '')
    await rm(files, { recursive: true, force: true })
  }
  const pglite = await PGlite.create(files)
  await rm(mark, { force: true })
  return pglite
}
