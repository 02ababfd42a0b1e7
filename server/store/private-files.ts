import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Permissions of all users except the owner. */
const others = 0o077

/** Windows has no such permissions. Node reports the same ones for all files there. */
const hasPermissions = process.platform !== 'win32'

/**
 * Creates a folder that only its owner can enter, or closes an existing one to others.
 *
 * @param warn called if others could enter it until now
 */
export function createPrivateFolder(folder: string, warn: (message: string) => void) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  makeFilesPrivate(folder, false)
  const { mode } = statSync(folder)
  if (!hasPermissions || (mode & others) === 0) return
  const found = `the folder of the embedded store, ${folder}, had mode ${(mode & 0o777).toString(8)}`
  try {
    chmodSync(folder, 0o700)
    warn(`${found}. It is now 700. Other users of this machine may have read the keys`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    warn(`${found}, and only its owner can change it to 700`)
  }
}

/** Returns whether a folder exists and only its owner can enter it. */
export function isPrivateFolder(folder: string) {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found !== undefined && (!hasPermissions || (found.mode & others) === 0)
}

/**
 * Closes the files in a folder to others, because PGlite creates the first ones with mode 666, whatever the umask is.
 * Synchronous, because a start waits for it, and a promise per file takes nine times as long.
 */
export function makeFilesPrivate(folder: string, recursive = true) {
  if (!hasPermissions) return
  for (const entry of readdirSync(folder, { recursive, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const { mode, uid } = lstatSync(file)
    if ((mode & others) !== 0 && uid === process.getuid?.()) chmodSync(file, 0o600)
  }
}
