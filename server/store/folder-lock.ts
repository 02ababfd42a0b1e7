import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { FolderInUseError } from './errors.js'

/**
 * Locks a folder for this process, since two PGlite processes would corrupt each other's files. The lock is on a
 * file in the folder: it also holds between containers that share a volume, and the system releases it however the
 * process ends.
 *
 * @returns a function that releases the lock
 * @throws {FolderInUseError}
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = await open(join(folder, 'lock'), 'a', 0o600)
  if (tryLock(file.fd)) return () => file.close()
  await file.close()
  throw new FolderInUseError(folder)
}
