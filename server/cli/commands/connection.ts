import { type Command, Option } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import type { ConnectionDetails } from '@usher/contract/operator'
import { presetNames } from '../../domain/connections/connection.js'
import { nameOfDatabase } from '../../domain/database-name.js'
import { usageError } from '../../domain/problem.js'
import { databasePath } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { connectionName, linkByEmail, nameOption, optionsOf, trustEmail } from '../io/connection-options.js'
import { printable, table } from '../io/listing.js'
import { confirmDeletion, readSecret, requireTerminal } from '../io/terminal.js'

export function configure(connection: Command, cli: Cli) {
  addAddCommand(connection, cli)
  addListCommand(connection, cli)
  addSetCommand(connection, cli)
  addCheckCommand(connection, cli)
  addRemoveCommand(connection, cli)
}

/** Returns a command on one connection of a database. */
const onConnection = (connection: Command, name: string) =>
  connection
    .command(name)
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<connection>', 'name of the connection, such as google', connectionName)

function addAddCommand(connection: Command, { host, call }: Cli) {
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
    .action(async (params, name, { json, secret: hasSecret, clientId, preset, issuer, ...given }) => {
      const described = { name, preset, issuer, clientId, ...optionsOf(given) }
      const secret = hasSecret ? await readSecret(host, 'Secret of the client: ') : undefined
      const body = { ...described, ...(secret !== undefined && { secret }) }
      const added = await call('addConnection', { params, body }).catch(nameOption)
      host.print({ json }, added, textOf(added, `Added connection ${name}.`))
    })
}

/** Returns a text with what the console of the provider needs. */
const textOf = ({ callbackUrl }: ConnectionDetails, done: string) =>
  `${done} Enter this callback URL in the console of the provider:\n${callbackUrl}`

const pathOf = (path: DatabasePath, connection: string) => ({ params: { ...path, connection } })

function addListCommand(connection: Command, { host, call }: Cli) {
  connection
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the connections of a database, in the order in which users see them')
    .option('--json', 'print the result as JSON')
    .action(async (params, options) => {
      const body = await call('listConnectionDetails', { params, query: {} })
      const text = table(body.connections, {
        NAME: ({ name }) => name,
        STATE: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled'),
        PRESET: ({ preset }) => preset,
        ISSUER: ({ issuer }) => printable(issuer),
        'CLIENT ID': ({ clientId }) => printable(clientId),
      })
      host.print(options, body, body.connections.length > 0 ? text : 'No connections.')
    })
}

function addSetCommand(connection: Command, { host, call }: Cli) {
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
    .action(async (path, name, { json, clientId, newSecret, state, ...given }) => {
      const body = {
        ...(clientId !== undefined && { clientId }),
        ...(newSecret && { secret: await readSecret(host, 'Secret of the client: ') }),
        ...(state !== undefined && { isEnabled: state === 'enabled' }),
        ...optionsOf(given),
      }
      if (Object.keys(body).length === 0) throw usageError('at least one option is required. See --help')
      const changed = await call('changeConnection', { ...pathOf(path, name), body }).catch(nameOption)
      host.print({ json }, changed, textOf(changed, `Changed connection ${name}.`))
    })
}

function addCheckCommand(connection: Command, { host, call }: Cli) {
  onConnection(connection, 'check')
    .description('ask the provider whether it knows the client, and say what to correct')
    .option('--json', 'print the result as JSON')
    .action(async (path, name, options) => {
      await call('checkConnection', pathOf(path, name))
      const checked = await call('getConnection', pathOf(path, name))
      host.print(options, checked, textOf(checked, `The provider of ${name} accepts the client.`))
    })
}

function addRemoveCommand(connection: Command, { host, call }: Cli) {
  onConnection(connection, 'remove')
    .description('remove a connection; its identities stay, and count again if it is added again')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action(async (path, name, options) => {
      if (!options.yes) {
        requireTerminal(host, `removing ${name}`)
        await confirmDeletion(host, name, `the connection of ${nameOfDatabase(path)}`)
      }
      // The operation also succeeds if there is no such connection, but who types a name may have mistyped it.
      await call('getConnection', pathOf(path, name))
      await call('removeConnection', pathOf(path, name))
      host.print(options, {}, `Removed connection ${name}.`)
    })
}
