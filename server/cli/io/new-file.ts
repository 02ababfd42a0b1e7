import { Problem, usageError } from '../../domain/problem.js'

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
