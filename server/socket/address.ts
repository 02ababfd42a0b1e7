import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Header with the version of both sides. */
export const versionHeader = 'usher-version'

const name = 'usher.sock'

/** Maximum length of the path of a socket on macOS. Linux allows four more bytes. */
const maxBytes = 103

/** Whether the system has named pipes instead of sockets in folders. */
const hasPipes = process.platform === 'win32'

/** Returns the file of a server's socket in the folder of its embedded store. Undefined on Windows. */
export const socketFile = (folder: string) => (hasPipes ? undefined : join(folder, name))

/**
 * Calls a function with the address of a server's socket. A path that is too long for the system is shortened by a
 * temporary link, which is removed when the function returns: Node listens and connects synchronously.
 */
export function withAddress<Result>(folder: string, use: (address: string) => Result): Result {
  if (hasPipes) {
    const id = createHash('sha256').update(resolve(folder).toLowerCase()).digest('hex')
    return use(`\\\\.\\pipe\\usher-${id}`)
  }
  const file = join(folder, name)
  if (Buffer.byteLength(file) <= maxBytes) return use(file)
  const temporary = mkdtempSync(join(tmpdir(), 'usher-'))
  try {
    const link = join(temporary, 'data')
    symlinkSync(resolve(folder), link)
    return use(join(link, name))
  } finally {
    rmSync(temporary, { recursive: true })
  }
}
