import { createHash } from 'node:crypto'
import { realpath, unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of the embedded store belongs to another process. */
export class FolderInUseError extends Error {
  constructor(folder: string) {
    super(`the folder ${folder} is in use by another process (a running server?); stop it first`)
  }
}

/**
 * Takes a folder for this process: two PGlite processes in one folder would destroy it. The lock is a socket
 * named after the folder's real path, which the system frees however the process ends.
 *
 * @returns a function that gives the folder free
 * @throws {FolderInUseError}
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const name = `usher-${createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 32)}`
  const lock = lockOn(process.platform, name)
  const release = (await listen(lock.path)) ?? (lock.isFile && (await takeOver(lock.path)))
  if (!release) throw new FolderInUseError(folder)
  return release
}

/** Linux has sockets without a file and Windows pipes, both gone with their process; others leave a file. */
function lockOn(platform: NodeJS.Platform, name: string) {
  if (platform === 'linux') return { path: `\0${name}`, isFile: false }
  if (platform === 'win32') return { path: `\\\\.\\pipe\\${name}`, isFile: false }
  return { path: join(tmpdir(), name), isFile: true }
}

/** A socket file that nobody answers on was left by a process that was killed. */
async function takeOver(path: string) {
  const isAnswered = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
  if (isAnswered) return undefined
  await unlink(path).catch(() => undefined)
  return listen(path)
}

function listen(path: string): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(path, () => resolve(() => new Promise((done) => server.close(() => done()))))
    server.unref()
  })
}
