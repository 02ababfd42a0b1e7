import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { Scope, scopes } from '@usher/contract/management'
import type { NewApiKey } from '@usher/contract/operator'
import { nameOfDatabase } from '../../domain/database-name.js'
import { Problem } from '../../domain/problem.js'
import { databasePath, duration, tenantName } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { printable, table } from '../io/listing.js'

const day = 86_400
/** The same bounds for all: a second to ten years. */
const lifetime = duration(1, 3_650 * day)

export function configure(apiKey: Command, cli: Cli) {
  addCreateCommand(apiKey, cli)
  addListCommand(apiKey, cli)
  addRotateCommand(apiKey, cli)
  addRevokeCommand(apiKey, cli)
}

function addCreateCommand(apiKey: Command, { host, call }: Cli) {
  apiKey
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .description('create an API key for a database, and print it once')
    .requiredOption('--name <name>', 'what the key is for', tenantName)
    .requiredOption('--scope <scopes>', 'what the key allows, such as "users:read,users:write"', addScopes)
    .addOption(
      new Option('--expires-in <duration>', 'lifetime, such as 90d, 12h or 30m')
        .argParser(lifetime)
        .default(365 * day, '365d'),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nScopes:\n${Object.entries(scopes)
        .map(([scope, text]) => `  ${scope.padEnd(20)}${text}`)
        .join('\n')}`,
    )
    .action(async (params, { name, scope: scopes, expiresIn: expiresInSeconds, ...options }) => {
      const created = await call('createApiKey', { params, body: { name, scopes, expiresInSeconds } })
      host.print(options, created, textOf(created, `Created API key ${created.id}`))
    })
}

function addListCommand(apiKey: Command, { host, call }: Cli) {
  apiKey
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the API keys of a database, oldest first; expired keys are listed for 30 days')
    .option('--json', 'print the result as JSON')
    .action(async (params, options) => {
      const body = await call('listApiKeys', { params, query: {} })
      const text = table(body.apiKeys, {
        ID: ({ id }) => id,
        'ENDS WITH': ({ ending }) => ending,
        'EXPIRES AT': ({ expiresAt }) => expiresAt,
        'LAST USED': ({ lastUsedOn }) => lastUsedOn ?? 'never',
        SCOPES: (key) => key.scopes.join(','),
        NAME: ({ name }) => printable(name),
      })
      host.print(options, body, body.apiKeys.length > 0 ? text : 'No API keys.')
    })
}

function addRotateCommand(apiKey: Command, { host, call }: Cli) {
  apiKey
    .command('rotate')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<key>', 'id of the key, as printed by api-key list')
    .description('replace an API key with a new one of the same name, scopes and lifetime')
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the replaced key is still accepted, such as 1h; 0 for a leaked one',
      )
        .argParser(duration(0, 30 * day))
        .default(day, '24h'),
    )
    .option('--json', 'print the result as JSON')
    .action(async (path, apiKeyId, { overlap: overlapSeconds, ...options }) => {
      const created = await call('rotateApiKey', { params: { ...path, apiKeyId }, body: { overlapSeconds } })
      host.print(options, created, textOf(created, `Replaced API key ${apiKeyId} with ${created.id}`))
    })
}

function addRevokeCommand(apiKey: Command, { host, call }: Cli) {
  apiKey
    .command('revoke')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<key>', 'id of the key, as printed by api-key list')
    .description('delete an API key; all servers reject it immediately')
    .option('--json', 'print the result as JSON')
    .action(async (params, apiKeyId, options) => {
      // The operation also succeeds if there is no such key, but who types an id may have mistyped it.
      const { apiKeys } = await call('listApiKeys', { params, query: {} })
      if (!apiKeys.some(({ id }) => id === apiKeyId))
        throw new Problem('api_key_not_found', {
          detail: `API key ${apiKeyId} does not exist in ${nameOfDatabase(params)}.`,
        })
      await call('revokeApiKey', { params: { ...params, apiKeyId } })
      host.print(options, {}, `Revoked API key ${apiKeyId}.`)
    })
}

/** Returns text with the key on a separate line at the end, where a script can read it. */
const textOf = ({ expiresAt, key }: NewApiKey, done: string) =>
  `${done}. It expires at ${expiresAt}. The key is not shown again:\n${key}`

/** Parses scopes separated by commas, and adds those of an earlier option. @throws {InvalidArgumentError} */
function addScopes(text: string, before: Scope[] = []): Scope[] {
  const { data } = Scope.array().safeParse(text.split(','))
  if (!data) throw new InvalidArgumentError(`Expected some of ${Scope.options.join(', ')}.`)
  return [...new Set([...before, ...data])]
}
