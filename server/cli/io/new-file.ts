import { open } from 'node:fs/promises'
import { OperatorError, UsageError } from '../../domain/management/operator-error.js'

/**
 * Creates a file with mode 0600. Follows no symbolic link, not even one to a file that does not exist.
 *
 * @param advice what to do if the file exists
 */
export async function createFile(name: string, advice: string) {
  try {
    return await open(name, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw new UsageError(`cannot create the file ${name} (${code})`)
    throw new OperatorError('file_exists', `${name} already exists. ${advice}`)
  }
}
