import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { lockFolder } from './folder-lock.js'
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
    const key = masterKey ?? (await keyIn(join(folder, 'master.key')))
    const store = storeOver(await PGlite.create(join(folder, 'store')), key)
    return { ...store, close: () => store.close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** A store over an open PGlite, which is closed with it. */
export function storeOver(pglite: PGlite, masterKey: Buffer): Store {
  const prisma = prismaOver(new PrismaPGlite(pglite))
  const close = async () => {
    await prisma.$disconnect()
    await pglite.close()
  }
  return { prisma, masterKey, close }
}

async function keyIn(file: string) {
  const made = randomBytes(32).toString('base64')
  await writeFile(file, `${made}\n`, { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes as base64`)
  return key
}
