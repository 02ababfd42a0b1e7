import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { Scope, scopes } from '@usher/contract/management'
import { runChange } from '../../domain/change.js'
import {
  type CreatedApiKey,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../domain/management/api-keys.js'
import { databasePath, duration, tenantName } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { printable, table } from '../io/listing.js'
import { withDatabase, withStore } from '../io/with-store.js'

const day = 86_400
/** The same bounds for all: a second to ten years. */
const lifetime = duration(1, 3_650 * day)

export function configure(apiKey: Command, host: Host) {
  addCreateCommand(apiKey, host)
  addListCommand(apiKey, host)
  addRotateCommand(apiKey, host)
  addRevokeCommand(apiKey, host)
}

function addCreateCommand(apiKey: Command, host: Host) {
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
    .action((path, { name, scope, expiresIn, ...options }) =>
      withDatabase(host, path, async ({ context, request }) => {
        const described = { name, scopes: scope, expiresInSeconds: expiresIn }
        const created = await runChange(context, request, (change) => createApiKey(change, described))
        printCreated(host, options, [created, `Created API key ${created.id}`])
      }),
    )
}

function addListCommand(apiKey: Command, host: Host) {
  apiKey
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the API keys of a database, oldest first; expired keys are listed for 30 days')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(host, async (store) => {
        const keys = await listApiKeys(store, path)
        const text = table(keys, {
          ID: ({ id }) => id,
          'ENDS WITH': ({ lastFour }) => lastFour,
          'EXPIRES AT': ({ expiresAt }) => expiresAt.toISOString(),
          'LAST USED': ({ lastUsedOn }) => lastUsedOn?.toISOString().slice(0, 10) ?? 'never',
          SCOPES: (key) => key.scopes.join(','),
          NAME: ({ name }) => printable(name),
        })
        host.print(options, keys, keys.length > 0 ? text : 'No API keys.')
      }),
    )
}

function addRotateCommand(apiKey: Command, host: Host) {
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
    .action((path, id, { overlap, ...options }) =>
      withDatabase(host, path, async ({ context, request }) => {
        const rotation = { id, overlapSeconds: overlap }
        const created = await runChange(context, request, (change) => rotateApiKey(change, rotation))
        printCreated(host, options, [created, `Replaced API key ${id} with ${created.id}`])
      }),
    )
}

function addRevokeCommand(apiKey: Command, host: Host) {
  apiKey
    .command('revoke')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<key>', 'id of the key, as printed by api-key list')
    .description('delete an API key; all servers reject it immediately')
    .option('--json', 'print the result as JSON')
    .action((path, id, options) =>
      withDatabase(host, path, async ({ context, request }) => {
        const revoked = await runChange(context, request, (change) => revokeApiKey(change, id))
        host.print(options, revoked, `Revoked API key ${id}.`)
      }),
    )
}

/** Prints the key on a separate line at the end, where a script can read it. */
const printCreated = (host: Host, options: { json?: boolean }, [created, done]: [CreatedApiKey, string]) =>
  host.print(
    options,
    created,
    `${done}. It expires at ${created.expiresAt.toISOString()}. The key is not shown again:\n${created.key}`,
  )

/** Parses scopes separated by commas, and adds those of an earlier option. @throws {InvalidArgumentError} */
function addScopes(text: string, before: Scope[] = []): Scope[] {
  const { data } = Scope.array().safeParse(text.split(','))
  if (!data) throw new InvalidArgumentError(`Expected some of ${Scope.options.join(', ')}.`)
  return [...new Set([...before, ...data])]
}
