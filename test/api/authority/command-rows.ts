import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { run } from '../../../server/cli/program.js'
import { callOf } from '../../../server/cli/transports/https.js'
import type { Transport } from '../../../server/cli/transports/transport.js'
import { Problem } from '../../../server/domain/problem.js'
import { createHostCall, hostCaller } from '../../../server/run/host.js'
import { nameOfCommand } from '../../store/every-command.js'
import { hostWith } from '../../support/command-line.js'
import * as typed from './commands.js'
import type { Operator } from './holders.js'
import { ensureDoomed, type Stage, signs } from './http-rows.js'
import { unknownId } from './requests.js'
import type { Row } from './table.js'

/** Who runs a command: the host if there is no operator. */
interface Runner {
  operator?: Operator
  path: { workspaceSlug: string; databaseName: string }
}

/** The signs of a command by operators, if they confirm what needs a confirmation, and if they do not. */
interface Cells {
  confirmed: string
  without: string
}

const commandOperations: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../../scripts/docs/command-operations.json', import.meta.url), 'utf8'),
)

const user = {
  id: unknownId,
  email: 'nobody@example.com',
  createdAt: '',
  memberships: [{ id: unknownId, name: 'Looms', role: 'member' }],
}

/** What reads would return if there were what a command names, so that the command goes on to its change. */
const found: Readonly<Record<string, unknown>> = {
  getUser: user,
  getTenant: { name: 'Looms', users: 0 },
  getConnection: { callbackUrl: '' },
  listInvitations: { invitations: [{ id: unknownId }] },
  listApiKeys: { apiKeys: [{ id: unknownId, ending: '', expiresAt: '', scopes: [], name: '' }] },
  listOperators: { operators: [{ ...user, rights: [] }] },
}

/** Runs a command. */
async function runBy(stage: Stage, command: string, { operator, path }: Runner): Promise<Cells> {
  const { given } = stage
  const isDeletion = command.includes(typed.doomed) && path !== stage.operatorsPath
  const { workspaceSlug, databaseName } = isDeletion ? await ensureDoomed(stage, path.workspaceSlug) : path
  const name = `${workspaceSlug}/${databaseName}`
  const values = { [typed.database]: name, [typed.doomed]: name, [typed.id]: unknownId }
  const args = command
    .split(' ')
    .filter(Boolean)
    .map((arg) => ({ ...values, [typed.taken]: given.takenEmail, [typed.file]: stage.file })[arg] ?? arg)
  const { host, output } = hostWith('')
  let isAsked = false
  const sent: string[] = []
  const call = operator
    ? callOf({
        origin: stage.origin,
        token: async () => operator.jwt,
        async confirm() {
          isAsked = true
          return operator.confirmation
        },
      })
    : callOfHost(stage)
  const open = async (): Promise<Transport> => ({
    call: (async (name, request) => {
      sent.push(name)
      const body = await call(name, request).catch(ifMissing(name))
      return found[name] ?? body
    }) as typeof call,
    hasConsole: true,
    close: async () => undefined,
  })
  const code = await run([...args, '--json'], host, open)
  // What the documents say about the role.
  const operation = commandOperations[nameOfCommand(args.join(' '))]
  if (!operator && !args.includes('--dry-run')) expect(sent).toContain(operation)
  const cells = (sign: string) => ({ confirmed: sign, without: isAsked ? 'c' : sign })
  if (code === 0) return cells('+')
  const error = output.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find((line) => 'exitCode' in line)
  if (['internal_error', 'unavailable', 'unexpected'].includes(error.code))
    throw new Error(`${command}: ${output.stderr}`)
  return cells(error.code === 'operators_database' ? '-' : (signs[error.code] ?? '+'))
}

const ifMissing = (name: string) => (error: unknown) => {
  if (found[name] && error instanceof Problem && !signs[error.code]) return found[name]
  throw error
}

const callOfHost = ({ usher: { context, config, app } }: Stage) =>
  createHostCall({ context, consoleUrl: config.consoleUrl, caller: hostCaller(app.log) })

async function byEach(
  stage: Stage,
  command: string,
  { operators, path }: { operators: readonly Operator[]; path: Runner['path'] },
) {
  const cells: Cells = { confirmed: '', without: '' }
  for (const operator of operators) {
    const { confirmed, without } = await runBy(stage, command, { operator, path })
    cells.confirmed += confirmed
    cells.without += without
  }
  return cells
}

/** Returns the row of a command. The row of its operation says who may use it where. */
export async function commandRow(stage: Stage, command: string): Promise<Row> {
  const { database: path, operators } = stage
  const own = await byEach(stage, command, { operators: operators.own, path })
  return {
    command,
    host: (await runBy(stage, command, { path })).confirmed,
    own: own.without,
    'own confirmed': own.confirmed,
  }
}

/** Returns the row of an option of commands, which belongs to their rows. */
export async function optionRow(stage: Stage, option: string): Promise<Row> {
  const { database: path } = stage
  const [, , admin, owner] = stage.operators.own as [Operator, Operator, Operator, Operator]
  const typedOn = (command: string) =>
    `${command} ${typed.database} --${option} ${typed.databaseOptions[option]}`.trim()
  const set = await runBy(stage, typedOn('database set'), { operator: admin, path })
  const created = typed.createOptions.includes(option)
    ? await runBy(stage, typedOn('database create'), { operator: owner, path })
    : { confirmed: '.', without: '.' }
  return {
    option: `--${option}`,
    'set: admin': set.without,
    'set: confirmed': set.confirmed,
    'create: owner': created.without,
    'create: confirmed': created.confirmed,
  }
}
