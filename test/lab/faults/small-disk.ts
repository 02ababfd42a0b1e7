import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Mounts a small disk in memory that a test can fill. Throws if this user cannot mount. */
export async function mountSmallDisk(mebibytes: number) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', folder])
  } catch (error) {
    await rmdir(folder)
    throw error
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill() {
      const file = await open(ballast, 'a')
      for (const size of [2 ** 20, 2 ** 12]) {
        const write = async () => (await file.write(Buffer.alloc(size))).bytesWritten === size
        while (await write().catch(() => false));
      }
      await file.close()
    },
    empty: () => rm(ballast),
    async unmount() {
      await run('umount', [folder])
      await rmdir(folder)
    },
  }
}
