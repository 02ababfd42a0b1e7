import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { version } from '../version.js'
import type { Cli } from './io/cli.js'
import { type Host, ownProcess } from './io/host.js'
import type { Transport } from './transports/transport.js'

interface Group {
  description: string
  load: () => Promise<{ configure: (command: Command, cli: Cli) => unknown }>
}

/** The code of a command is loaded when it is used, because loading all commands takes 0.7 s of CPU time. */
const commands: Record<string, Group> = {
  serve: {
    description: 'start the server; SIGTERM or Ctrl-C stops it',
    load: () => import('./commands/serve.js'),
  },
  migrate: {
    description: 'apply pending migrations to the store',
    load: () => import('./commands/migrate.js'),
  },
  workspace: {
    description: 'manage workspaces, which contain databases',
    load: () => import('./commands/workspace.js'),
  },
  database: {
    description: 'manage databases, which contain users',
    load: () => import('./commands/database.js'),
  },
  user: { description: 'manage the users of a database', load: () => import('./commands/user.js') },
  tenant: { description: 'manage the tenants of a database', load: () => import('./commands/tenant.js') },
  hook: { description: 'test the sign-up hook of a database', load: () => import('./commands/hook.js') },
  mail: { description: 'look at the mails of a database', load: () => import('./commands/mail.js') },
  outbox: {
    description: 'manage the messages of a database that are not delivered yet',
    load: () => import('./commands/outbox.js'),
  },
  events: {
    description: 'expire the cursors of events and revocations',
    load: () => import('./commands/events.js'),
  },
  keys: { description: 'manage signing keys and the master key', load: () => import('./commands/keys.js') },
  connection: {
    description: 'manage the providers with which users of a database log in',
    load: () => import('./commands/connection.js'),
  },
  'api-key': {
    description: 'manage the API keys with which backends use the management API',
    load: () => import('./commands/api-key.js'),
  },
  operator: {
    description: 'manage the operators of the console, also after one has lost access',
    load: () => import('./commands/operator.js'),
  },
  login: {
    description: 'log in to the console of a server as an operator, in the browser',
    load: () => import('./commands/login.js'),
  },
  logout: { description: 'log out of the console of a server', load: () => import('./commands/logout.js') },
  store: {
    description: 'manage the store, which holds all data of Usher',
    load: () => import('./commands/store.js'),
  },
  openapi: { description: 'print the OpenAPI document', load: () => import('./commands/openapi.js') },
}

/** The commands that no server runs: they need the embedded store for themselves, or no store. */
export const inOwnProcess = [
  'serve',
  'migrate',
  'keys rewrap',
  'store distribute',
  'openapi',
  'login',
  'logout',
]

/**
 * Runs a command.
 *
 * @param args the arguments after `usher`
 * @param open opens the way to the store
 * @returns the exit code; docs/cli.md lists them
 */
export async function run(
  args: readonly string[],
  host: Host = ownProcess(),
  open: OpenTransport = openDefault,
): Promise<number> {
  const json = isJsonRequested(args)
  try {
    await parse(args, host, open)
    return 0
  } catch (error) {
    // They were reported as text where they occurred.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if ((error as { code?: unknown }).code === 'lines_rejected' && !json) return 1
    if (error instanceof CommanderError && !json) return 2
    const { reportError } = await import('./report-error.js')
    return reportError(error, { json, ...host })
  }
}

/** Parses arguments, and does what they say. Shows help immediately. */
async function parse(args: readonly string[], host: Host, openTransport: OpenTransport) {
  const json = isJsonRequested(args)
  const program = new Command('usher')
    .description(
      'User management for multi-tenant products. Settings are environment variables, also from the file .env.',
    )
    .version(version, '-v, --version', 'print the version')
    .option('--server <url>', 'run the command on this server, as the operator who has run login')
    .exitOverride()
    // Errors of commander begin as all others do.
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, write) => json || write(text.replace(/^error:/, 'usher:')),
    })
  const groups = Object.entries(commands).map(([name, { description, load }]) => {
    const command = program.command(name).description(description)
    return { command, load }
  })
  const { cli, close } = createCli(host, () => openTransport(host, program.opts().server))
  program.hook('preSubcommand', async (_program, used) => {
    for (const { command, load } of groups) if (command === used) (await load()).configure(command, cli)
  })
  program.hook('preAction', (_program, used) => requireHere(used, program.opts().server))
  // Commander's own help command would list no subcommands, because they are not loaded.
  const [first, ...rest] = args
  try {
    await program.parseAsync(first === 'help' ? [...rest, '--help'] : args, { from: 'user' })
  } finally {
    await close()
  }
}

type OpenTransport = (host: Host, server: string | undefined) => Promise<Transport>

const openDefault: OpenTransport = async (host, server) =>
  (await import('./transports/transport.js')).openTransport(host, server)

/** Returns what commands get. The way to a store is opened at the first request. */
function createCli(host: Host, open: () => Promise<Transport>) {
  let opened: Promise<Transport> | undefined
  const transport = () => {
    opened ??= open()
    return opened
  }
  const cli: Cli = {
    host,
    call: async (name, request) => (await transport()).call(name, request),
    hasConsole: async () => (await transport()).hasConsole,
  }
  return { cli, close: async () => (await opened?.catch(() => undefined))?.close() }
}

/** @throws {Problem} `usage_error` if a command that only this process can run is for a server */
async function requireHere(command: CommandUnknownOpts, server: string | undefined) {
  if (server === undefined || !inOwnProcess.includes(nameOf(command))) return
  const { usageError } = await import('../domain/problem.js')
  throw usageError(`${nameOf(command)} does not run on another server. Leave out --server`)
}

/** Returns the name of a command with its group, such as `user create`. */
const nameOf = (command: CommandUnknownOpts): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

/** Returns whether the options have `--json`. Arguments follow after `--`. */
const isJsonRequested = (args: readonly string[]) => {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}
