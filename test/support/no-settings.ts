import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Environment, secretVariables } from '../../server/environment.js'

const variables = [...Object.keys(Environment.shape), ...secretVariables.map((name) => `${name}_FILE`)]

/**
 * All variables that the command line reads, so that a developer's `.env` and `.usher` have no effect: all are empty but
 * the folder of data.
 */
export const noSettings: Record<string, string> = {
  ...Object.fromEntries(variables.map((name) => [name, ''])),
  DATA_DIR: join(tmpdir(), 'usher-data'),
}
