import type { Host } from '../../../server/cli/io/host.js'
import { run } from '../../../server/cli/program.js'
import { admitCommand, type RemoteCaller } from '../../../server/cli/remote/admit-command.js'
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

/** Runs a command as the server does. */
async function runBy(stage: Stage, command: string, { operator, path }: Runner): Promise<Cells> {
  const { usher, given } = stage
  const isDeletion = command.includes(typed.doomed) && path !== stage.operatorsPath
  const { workspaceSlug, databaseName } = isDeletion ? await ensureDoomed(stage, path.workspaceSlug) : path
  const name = `${workspaceSlug}/${databaseName}`
  const values = { [typed.database]: name, [typed.doomed]: name, [typed.id]: unknownId }
  const args = command
    .split(' ')
    .filter(Boolean)
    .map((arg) => ({ ...values, [typed.taken]: given.takenEmail })[arg] ?? arg)
  const { host, output } = hostWith('')
  const server = { config: usher.config, store: { ...usher.store, close: async () => undefined } }
  let isAsked = false
  const admit =
    operator &&
    admitterOf(stage, operator, async () => {
      isAsked = true
      return operator.confirmation
    })
  const code = await run([...args, '--json'], { ...host, server, ...(admit && { admit }) })
  const cells = (sign: string) => ({ confirmed: sign, without: isAsked ? 'c' : sign })
  if (code === 0) return cells('+')
  const error = output.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find((line) => 'exitCode' in line)
  if (['internal_error', 'unavailable'].includes(error.code)) throw new Error(`${command}: ${output.stderr}`)
  return cells(signs[error.code] ?? '+')
}

/** Returns what admits the commands of an operator on another machine. */
function admitterOf({ usher }: Stage, { jwt, id }: Operator, ask: () => Promise<string>): Host['admit'] {
  const caller = { log: usher.app.log } as unknown as RemoteCaller['caller']
  const { signal: stopping } = new AbortController()
  const by = { context: usher.context, caller, jwt, operatorId: id, requestId: 'command', stopping }
  return admitCommand(by, ask)
}

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

/** Returns the row of a command. */
export async function commandRow(stage: Stage, command: string): Promise<Row> {
  const { database, foreign, operators, operatorsPath } = stage
  const { none, own, all } = operators
  const isOfDatabase = command.includes(typed.database) || command.includes(typed.doomed)
  const by = (some: readonly Operator[], path: Runner['path']) =>
    byEach(stage, command, { operators: some, path })
  const [ofOwn, ofAll] = [await by(own, database), await by(all, foreign)]
  const isAlone = typed.alone.some((name) => command.startsWith(name))
  return {
    command,
    host: isAlone ? '.' : (await runBy(stage, command, { path: database })).confirmed,
    none: (await by([none], database)).confirmed,
    own: ofOwn.without,
    'own confirmed': ofOwn.confirmed,
    foreign: isOfDatabase ? (await by(own, foreign)).confirmed : '.',
    all: ofAll.without,
    'all confirmed': ofAll.confirmed,
    operators: isOfDatabase ? (await by(all.slice(-1), operatorsPath)).confirmed : '.',
  }
}

/** Returns the row of an option of commands, which belongs to their rows. */
export async function optionRow(stage: Stage, option: string): Promise<Row> {
  const { database: path } = stage
  // The row of the command says that the others may not.
  const operators = stage.operators.own.slice(-2)
  const typedOn = (command: string) =>
    `${command} ${typed.database} --${option} ${typed.databaseOptions[option]}`.trim()
  const set = await byEach(stage, typedOn('database set'), { operators, path })
  const created = typed.createOptions.includes(option)
    ? await byEach(stage, typedOn('database create'), { operators, path })
    : { confirmed: '.', without: '.' }
  return {
    option: `--${option}`,
    'set: host': (await runBy(stage, typedOn('database set'), { path })).confirmed,
    'set: admin owner': set.without,
    'set: confirmed': set.confirmed,
    'create: admin owner': created.without,
    'create: confirmed': created.confirmed,
  }
}
