import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError } from '../../config.js'
import { secretVariables } from '../../environment.js'

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

type Variables = Record<string, string | undefined>

/**
 * Returns the environment with the secrets that are in files, as Docker and Kubernetes mount them. The value of
 * `NAME` is the content of the file that `NAME_FILE` names, without line breaks at its end.
 *
 * @throws {ConfigError} with the variable of every file that cannot be used, without its path or content
 */
export function withSecretFiles(env: Variables): Variables {
  const secrets: Variables = {}
  const errors: string[] = []
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) errors.push(`${name} and ${name}_FILE are both set. Set one of them`)
    else {
      try {
        secrets[name] = readSecret(file)
      } catch (error) {
        errors.push(`${name}_FILE ${(error as Error).message}`)
      }
    }
  }
  if (errors.length > 0) throw new ConfigError(errors)
  return { ...env, ...secrets }
}

/** Reads a secret. An empty file is an error, because an empty DATABASE_URL would open the embedded store. */
function readSecret(file: string) {
  const secret = readText(file).replace(/[\r\n]+$/, '')
  if (secret === '') throw new Error('names an empty file')
  return secret
}

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // Without the original message, which has the path: if the wrong variable was set, the path is the secret.
    throw new Error(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
