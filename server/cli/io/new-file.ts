import { open } from 'node:fs/promises'
import { Problem, usageError } from '../../domain/problem.js'
import type { Host } from './host.js'

/**
 * Creates a file with mode 0600. Follows no symbolic link, not even one to a file that does not exist.
 *
 * @param advice what to do if the file exists
 */
export async function createFile(host: Host, name: string, advice: string) {
  try {
    return await open(host.resolve(name), 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw usageError(`cannot create the file ${name} (${code})`)
    throw new Problem('file_exists', { detail: `${name} already exists. ${advice}` })
  }
}
