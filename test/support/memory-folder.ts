import { constants } from 'node:fs'
import { access, chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Two files at a time have used 0.65 GiB. */
const requiredBytes = 2 * 2 ** 30

/** Creates a folder in memory. Returns undefined if there is not enough, or if no program may run there. */
export async function createMemoryFolder() {
  const space = await statfs(memory).catch(() => undefined)
  if (!space || space.bavail * space.bsize < requiredBytes) return
  // A container may have less memory than this file system promises.
  if (process.availableMemory() < 2 * requiredBytes) return
  const folder = await mkdtemp(join(memory, 'usher-test-'))
  const program = join(folder, 'program')
  try {
    await chmod(folder, 0o755)
    await writeFile(program, '', { mode: 0o755 })
    await access(program, constants.X_OK)
    return folder
  } catch {
    await rm(folder, { recursive: true })
  }
}
