import { closeSync, existsSync, openSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { tryLock } from 'fs-native-extensions'
import { FolderInUseError } from './errors.js'
import { openKeyFile } from './key-file.js'
import { lazyPrisma } from './prisma.js'
import { createPrivateFolder, makeFilesPrivate } from './private-files.js'
import type { Store } from './store.js'

/**
 * Opens the embedded store: PGlite in this process. Creates its folder if necessary; only its owner can read it.
 *
 * @param masterKey by default the key in a file of the folder, which the first start creates
 * @param warn called if others could read the folder until now
 * @throws {FolderInUseError} if another process has the folder open
 */
export async function connectEmbedded(
  folder: string,
  masterKey?: Buffer,
  warn: (message: string) => void = () => undefined,
): Promise<Store> {
  createPrivateFolder(folder, warn)
  const unlock = lockFolder(folder)
  try {
    const store = masterKey ? storeOver(await openFiles(folder), masterKey) : await connectWithKeyFile(folder)
    return { ...store, close: () => store.close().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

async function connectWithKeyFile(folder: string): Promise<Store> {
  const keyFile = await openKeyFile(join(folder, 'master.key'))
  return { ...storeOver(await openFiles(folder), keyFile.key), keyFile }
}

/** Opens PGlite with 16 MB of buffers, because it would clear its default of 128 MB at each start. */
export const openPGlite = (options?: PGliteOptions) =>
  PGlite.create({ ...options, startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'] })

/** Returns a store over an open PGlite. Closing the store closes PGlite. */
export function storeOver(pglite: PGlite, masterKey: Buffer): Store {
  const queryBy =
    (connection: Pick<PGlite, 'query'>) =>
    async <Row>(text: string, values: unknown[]) =>
      (await connection.query<Row>(text, values)).rows
  const { loadPrisma, disconnect } = lazyPrisma(async () => {
    const { PrismaPGlite } = await import('pglite-prisma-adapter')
    return new PrismaPGlite(pglite)
  })
  return {
    query: queryBy(pglite),
    transaction: (_databaseId, work) => pglite.transaction((transaction) => work(queryBy(transaction))),
    readsAcrossDatabases: () => true,
    masterKey,
    loadPrisma,
    async close() {
      await disconnect()
      await pglite.close()
    },
  }
}

const pathsIn = (folder: string) => ({
  files: join(folder, 'store'),
  marker: join(folder, 'store.unfinished'),
})

/** Returns whether a folder has a complete store. */
export function hasStore(folder: string) {
  const { files, marker } = pathsIn(folder)
  return existsSync(files) && !existsSync(marker)
}

/**
 * Opens the files of PGlite. If a process is killed while PGlite creates them, they cannot be opened. A marker file
 * says that they contain no data yet, so that the next start creates them again.
 */
async function openFiles(folder: string) {
  const { files, marker } = pathsIn(folder)
  if (!hasStore(folder)) {
    await writeFile(marker, '')
    await rm(files, { recursive: true, force: true })
  }
  const pglite = await openPGlite({ dataDir: files })
  makeFilesPrivate(files)
  await rm(marker, { force: true })
  return pglite
}

/**
 * Locks a folder for this process, because two PGlite processes would corrupt each other's files. The lock is on a file
 * in the folder, so that it also works between containers that share a volume. The system releases it when the process
 * ends, in whatever way.
 *
 * @returns a function that releases the lock
 * @throws {FolderInUseError}
 */
function lockFolder(folder: string): () => void {
  // Not a FileHandle, which Node closes when nothing refers to it.
  const file = openSync(join(folder, 'lock'), 'a', 0o600)
  const unlock = () => closeSync(file)
  if (tryLock(file)) return unlock
  unlock()
  throw new FolderInUseError(folder)
}
