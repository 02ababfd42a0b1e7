import { type Command, Option } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import { runChange } from '../../domain/change.js'
import { type Connection, callbackUrl, presetNames, titleOf } from '../../domain/connections/connection.js'
import { nameOfDatabase } from '../../domain/database-name.js'
import { databaseUrl } from '../../domain/databases/find-database.js'
import {
  addConnection,
  findWithSecret,
  listConnectionRows,
  removeConnection,
  setConnection,
} from '../../domain/management/connections.js'
import { usageError } from '../../domain/problem.js'
import { checkConnection } from '../../domain/providers/exchange-code.js'
import { createProviders } from '../../domain/providers/find-provider.js'
import { databasePath } from '../io/arguments.js'
import {
  connectionName,
  describeByOptions,
  linkByEmail,
  nameOption,
  optionsOf,
  trustEmail,
} from '../io/connection-options.js'
import type { Host } from '../io/host.js'
import { printable, table } from '../io/listing.js'
import { confirmDeletion, readSecret, requireTerminal } from '../io/terminal.js'
import { type DatabaseCommand, withDatabase } from '../io/with-store.js'

export function configure(connection: Command, host: Host) {
  addAddCommand(connection, host)
  addListCommand(connection, host)
  addSetCommand(connection, host)
  addCheckCommand(connection, host)
  addRemoveCommand(connection, host)
}

/** Returns a command on one connection of a database. */
const onConnection = (connection: Command, name: string) =>
  connection
    .command(name)
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<connection>', 'name of the connection, such as google', connectionName)

function addAddCommand(connection: Command, host: Host) {
  onConnection(connection, 'add')
    .description('let users log in with a provider; the secret of the client is typed or read from stdin')
    .requiredOption('--client-id <id>', 'id of the client, as the console of the provider shows it')
    .addOption(
      new Option('--preset <preset>', 'kind of the provider; by default that of the name').choices(
        presetNames,
      ),
    )
    .option('--issuer <url>', 'issuer of the provider, if the preset has none or another one')
    .option('--no-secret', 'the client has no secret')
    .option('--title <text>', 'what a button shows')
    .option('--scope <scopes>', 'scopes that replace those of the preset, separated by commas')
    .option('--audience <ids>', 'other client ids whose ID tokens are accepted, separated by commas')
    .option('--team-id <id>', 'Apple: team of the key that is the secret')
    .option('--key-id <id>', 'Apple: id of the key that is the secret')
    .addOption(linkByEmail())
    .addOption(trustEmail())
    .option('--json', 'print the result as JSON')
    .action((path, name, { json, clientId, preset, issuer, ...options }) => {
      const given = { name, preset, issuer, clientId, ...optionsOf(options) }
      // Wrong options fail before the secret is typed.
      describeByOptions(given)
      return withDatabase(host, path, async (on) => {
        const secret = options.secret ? await readSecret(host, 'Secret of the client: ') : null
        const context = { ...on.context, providers: createProviders(on.config) }
        const added = await addConnection(context, on.request, {
          connection: describeByOptions({ ...given, secret }),
          url: databaseUrl(on.config.baseUrl, path),
        })
        printConnection(on, { path, json }, { connection: added, done: `Added connection ${name}.` })
      })
    })
}

/** Prints a connection, and what the console of the provider needs. */
function printConnection(
  { config, host }: DatabaseCommand,
  { path, json }: { path: DatabasePath; json?: true | undefined },
  { connection, done }: { connection: Connection; done: string },
) {
  const { name, preset, issuer, clientId, options, isEnabled } = connection
  const callback = callbackUrl(databaseUrl(config.baseUrl, path), name)
  const title = titleOf(connection)
  const shown = { name, title, preset, issuer, clientId, ...options, isEnabled, callback }
  host.print({ json }, shown, `${done} Enter this callback URL in the console of the provider:\n${callback}`)
}

function addListCommand(connection: Command, host: Host) {
  connection
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the connections of a database, in the order in which users see them')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withDatabase(host, path, async ({ context, config, database }) => {
        const rows = (await listConnectionRows(context.store, database)).map(
          ({ sealedSecret, databaseId: _, ...row }) => ({
            ...row,
            hasSecret: sealedSecret !== null,
            callback: callbackUrl(databaseUrl(config.baseUrl, path), row.name),
          }),
        )
        const text = table(rows, {
          NAME: ({ name }) => name,
          STATE: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled'),
          PRESET: ({ preset }) => preset,
          ISSUER: ({ issuer }) => printable(issuer),
          'CLIENT ID': ({ clientId }) => printable(clientId),
        })
        host.print(options, rows, rows.length > 0 ? text : 'No connections.')
      }),
    )
}

function addSetCommand(connection: Command, host: Host) {
  onConnection(connection, 'set')
    .description('change a connection; servers apply it within 5 s')
    .option('--client-id <id>', 'id of the client')
    .option('--new-secret', 'replace the secret of the client, typed or read from stdin')
    .option('--title <text>', 'what a button shows')
    .option('--scope <scopes>', 'scopes that replace those of the preset, separated by commas')
    .option('--audience <ids>', 'other client ids whose ID tokens are accepted, separated by commas')
    .option('--team-id <id>', 'Apple: team of the key that is the secret')
    .option('--key-id <id>', 'Apple: id of the key that is the secret')
    .addOption(linkByEmail())
    .addOption(trustEmail())
    .addOption(
      new Option('--state <state>', 'whether users can log in with it').choices(['enabled', 'disabled']),
    )
    .option('--json', 'print the result as JSON')
    .action((path, name, { json, clientId, newSecret, state, ...given }) =>
      withDatabase(host, path, async (on) => {
        const changes = {
          ...(clientId !== undefined && { clientId }),
          ...(newSecret && { secret: await readSecret(host, 'Secret of the client: ') }),
          ...(state !== undefined && { isEnabled: state === 'enabled' }),
          ...optionsOf(given),
        }
        if (Object.keys(changes).length === 0) throw usageError('at least one option is required. See --help')
        const changed = await runChange(on.context, on.request, (change) =>
          setConnection(change, on.context.store, { name, changes }),
        ).catch(nameOption)
        printConnection(on, { path, json }, { connection: changed, done: `Changed connection ${name}.` })
      }),
    )
}

function addCheckCommand(connection: Command, host: Host) {
  onConnection(connection, 'check')
    .description('ask the provider whether it knows the client, and say what to correct')
    .option('--json', 'print the result as JSON')
    .action((path, name, { json }) =>
      withDatabase(host, path, async (on) => {
        const row = await findWithSecret(on.context.store, on.database, name)
        const of = { database: on.database, url: databaseUrl(on.config.baseUrl, path) }
        await checkConnection(createProviders(on.config), of, row)
        printConnection(
          on,
          { path, json },
          { connection: row, done: `The provider of ${name} accepts the client.` },
        )
      }),
    )
}

function addRemoveCommand(connection: Command, host: Host) {
  onConnection(connection, 'remove')
    .description('remove a connection; its identities stay, and count again if it is added again')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action((path, name, options) => {
      if (!options.yes) requireTerminal(host, `removing ${name}`)
      return withDatabase(host, path, async ({ context, request }) => {
        if (!options.yes) await confirmDeletion(host, name, `the connection of ${nameOfDatabase(path)}`)
        await runChange(context, request, (change) => removeConnection(change, name))
        host.print(options, { name }, `Removed connection ${name}.`)
      })
    })
}
