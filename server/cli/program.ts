import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { version } from '../version.js'
import { type Host, ownProcess, type Run, type TypedCommand } from './io/host.js'

interface Group {
  description: string
  load: () => Promise<{ configure: (command: Command, host: Host, run: Run) => unknown }>
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

/** The running server has run the command. */
class RanOnServer extends Error {
  constructor(readonly exitCode: number) {
    super()
  }
}

/** Called with a command before it runs. It does not run if this throws. */
type BeforeAction = (command: TypedCommand, server: string | undefined) => Promise<void>

/**
 * Runs a command.
 *
 * @param args the arguments after `usher`
 * @returns the exit code; docs/cli.md lists them
 */
export async function run(args: readonly string[], host: Host = ownProcess()): Promise<number> {
  const json = isJsonRequested(args)
  try {
    if (host.admit) await runIfAdmitted(args, { ...host, admit: host.admit })
    else if (host.server) await parse(args, host)
    else await parse(args, host, (command, server) => runElsewhere({ command, args, server }, host))
    return 0
  } catch (error) {
    if (error instanceof RanOnServer) return error.exitCode
    // They were reported as text where they occurred.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if ((error as { code?: unknown }).code === 'lines_rejected' && !json) return 1
    if (error instanceof CommanderError && !json) return 2
    const { reportError } = await import('./report-error.js')
    return reportError(error, { json, ...host })
  }
}

/** Parses arguments, and does what they say. Shows help immediately. */
async function parse(args: readonly string[], host: Host, beforeAction?: BeforeAction) {
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
  program.hook('preSubcommand', async (_program, used) => {
    for (const { command, load } of groups) if (command === used) (await load()).configure(command, host, run)
  })
  program.hook('preAction', (_program, used) => beforeAction?.(typedCommand(used), program.opts().server))
  // Commander's own help command would list no subcommands, because they are not loaded.
  const [first, ...rest] = args
  await program.parseAsync(first === 'help' ? [...rest, '--help'] : args, { from: 'user' })
}

/** Has a server run a command, unless this process must run it. @throws {RanOnServer} */
async function runElsewhere(
  { command, args, server }: { command: TypedCommand; args: readonly string[]; server: string | undefined },
  host: Host,
) {
  if (inOwnProcess.includes(command.name)) {
    if (server === undefined) return
    const { usageError } = await import('../domain/problem.js')
    throw usageError(`${command.name} does not run on another server. Leave out --server`)
  }
  const { readConfig } = await import('./io/with-store.js')
  const url = server ?? readConfig(host).server
  const exitCode = await (url === undefined
    ? runOnThisMachine(args, host)
    : runOnAnother(url, { command, args }, host))
  if (exitCode !== undefined) throw new RanOnServer(exitCode)
}

async function runOnThisMachine(args: readonly string[], host: Host) {
  const { runOnServer } = await import('./running-server/run-on-server.js')
  return runOnServer(args, host)
}

async function runOnAnother(
  url: string,
  typed: { command: TypedCommand; args: readonly string[] },
  host: Host,
) {
  const { openRemoteSession } = await import('./remote/session.js')
  const { runRemotely } = await import('./remote/run-remotely.js')
  return runRemotely(await openRemoteSession(url, host), typed, host)
}

/** Finds out which command the arguments name, and runs it if its operator may run it. */
async function runIfAdmitted(args: readonly string[], host: Host & Required<Pick<Host, 'admit'>>) {
  let typed: TypedCommand | undefined
  const found = new Error('found')
  await parse(args, host, async (command) => {
    typed = command
    throw found
  }).catch((error) => {
    if (error !== found) throw error
  })
  if (typed) await host.admit(typed, host, (admitted) => parse(args, admitted))
}

const typedCommand = (command: CommandUnknownOpts): TypedCommand => ({
  name: nameOf(command),
  args: Object.fromEntries(
    command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]]),
  ),
  options: command.opts(),
})

/** Returns the name of a command with its group, such as `user create`. */
const nameOf = (command: CommandUnknownOpts): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

/** Returns whether the options have `--json`. Arguments follow after `--`. */
const isJsonRequested = (args: readonly string[]) => {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}
