import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError } from '../../config.js'

/**
 * Returns the variables in the file `.env` of the working directory.
 *
 * @throws {ConfigError} if there is a file that cannot be read
 */
export function readEnvFile(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // A folder of this name is usually a virtual environment of Python.
    if (['ENOENT', 'EISDIR'].includes(code)) return {}
    throw new ConfigError([`.env cannot be read (${code})`])
  }
}
