import { createReadStream } from 'node:fs'
import { access, constants, open, stat } from 'node:fs/promises'
import { Problem, usageError } from '../../domain/problem.js'

/** Returns the size of a file in bytes. Undefined if it cannot be read. */
export async function sizeOf(path: string) {
  const found = await access(path, constants.R_OK).then(
    () => stat(path),
    () => undefined,
  )
  return found?.isDirectory() ? undefined : found?.size
}

export const readChunks = (path: string): AsyncIterable<Buffer> => createReadStream(path)

/** Creates a file with mode 0600. Follows no symbolic link, not even one to a file that does not exist. */
export const openNew = (path: string) => open(path, 'wx', 0o600)

/**
 * Creates a file, and says why that fails.
 *
 * @param create fails with the code `EEXIST` if the file exists
 * @param advice what to do then
 */
export async function createFile<File>(
  name: string,
  create: () => Promise<File>,
  advice: string,
): Promise<File> {
  try {
    return await create()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw usageError(`cannot create the file ${name} (${code})`)
    throw new Problem('file_exists', { detail: `${name} already exists. ${advice}` })
  }
}
