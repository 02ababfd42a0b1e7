import { Environment, secretVariables } from '../../server/environment.js'

const variables = [...Object.keys(Environment.shape), ...secretVariables.map((name) => `${name}_FILE`)]

/** All variables that the command line reads, empty, so that a developer's `.env` has no effect. */
export const noSettings: Record<string, string> = Object.fromEntries(variables.map((name) => [name, '']))
