import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { commandsUnder } from '../../store/every-command.js'
import { runUsher } from '../../support/command-line.js'
import { setDatabase } from '../../support/operator-changes.js'
import { returnedCode } from '../../support/returned-login.js'
import { commandRow, optionRow } from './command-rows.js'
import { alone, commands, createOptions, databaseOptions } from './commands.js'
import { it as holdersTest } from './holders.js'
import { fieldRow, managementRow, operatorRow, publicRow, type Stage } from './http-rows.js'
import { fieldsOf, fieldValues, operations } from './requests.js'
import { formatMatrix, parseMatrix, type Row, type Sections } from './table.js'

// Sends each operation and each command by each kind of caller, and compares who is admitted with matrix.txt, which a person has
// reviewed. Its outcomes do not come from the code. With AUTHORITY_MATRIX=write the whole file writes what it observes instead:
// review that with `git diff --word-diff`.

const file = join(import.meta.dirname, 'matrix.txt')
const frozenText = readFileSync(file, 'utf8')
const [preface = ''] = frozenText.split(/^## /m)
const frozen = parseMatrix(frozenText)
// biome-ignore lint/style/noProcessEnv: says whether to write the file
const { AUTHORITY_MATRIX } = process.env
const isWritten = AUTHORITY_MATRIX === 'write'
const observed: Sections = {}

const it = holdersTest.extend(
  'stage',
  { scope: 'file' },
  async (
    { usher, store, console, database, foreign, operators, people, stranger, keyWith, takenEmail },
    { onCleanup },
  ) => {
    const on = { appUrl: 'https://app.example.com', loginMail: 'both' as const, singleSignOn: true }
    await setDatabase(store, database, on)
    await setDatabase(store, foreign, { singleSignOn: true })
    const without: Stage['without'] = {}
    for (const [name, settings] of Object.entries({
      account: { ...on, accountOperations: false },
      tenants: { ...on, tenantOperations: false },
      'login mail': { ...on, loginMail: 'off' as const },
      factors: { ...on, secondFactor: 'off' as const },
      passkeys: { ...on, appUrl: null },
      sso: { ...on, singleSignOn: false },
    })) {
      const other = await usher.newDatabase()
      await setDatabase(store, other, settings)
      without[name] = other
    }
    usher.clock.cacheAhead += 6_000
    const { database: operatorsPath } = console
    const given = {
      takenEmail,
      returnedCode: (challenge: string) =>
        returnedCode(usher, database.id, { challenge, subject: crypto.randomUUID() }),
    }
    const folder = await mkdtemp(join(tmpdir(), 'usher-matrix-'))
    onCleanup(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'users.ndjson'), `${JSON.stringify({ email: takenEmail })}\n`)
    const origin = await usher.app.listen({ host: '127.0.0.1', port: 0 })
    const stage = {
      usher,
      database,
      foreign,
      operators,
      operatorsPath,
      people,
      stranger,
      keyWith,
      without,
      given,
      origin,
      file: join(folder, 'users.ndjson'),
    }
    return stage satisfies Stage
  },
)

/** Compares a row with the frozen one of the same name. */
function check(section: string, row: Row) {
  const [[column, name] = ['', '']] = Object.entries(row)
  observed[section] = [...(observed[section] ?? []), row]
  if (isWritten) return
  expect(row).toEqual(frozen[section]?.find((each) => each[column] === name))
}

/** Fails if a section lacks a row, or has one of nothing. */
function checkNames(section: string, names: readonly string[]) {
  const found = frozen[section]?.map((row) => Object.values(row)[0])
  if (!isWritten) expect(found?.toSorted()).toEqual(names.toSorted())
}

afterAll(() => {
  if (isWritten) writeFileSync(file, formatMatrix(preface, observed))
})

const fields = fieldsOf([...operations.management, ...operations.operator])
const lines = Object.entries(commands).flatMap(([name, typed]) =>
  typed.map((more) => `${name} ${more}`.trim()),
)

it.for(operations.public)('$method $path ($name)', async (operation, { stage }) => {
  check('public', await publicRow(stage, operation))
})

it.for(operations.management)('$method $path ($name)', async (operation, { stage }) => {
  check('management', await managementRow(stage, operation))
})

it.for(operations.operator)('$method $path ($name)', async (operation, { stage }) => {
  check('operator', await operatorRow(stage, operation))
})

it.for(fields)('$row', async ({ operation, field, value, row }, { stage }) => {
  check('fields', await fieldRow(stage, { operation, field: { [field]: value }, row }))
})

it('each setting of changeSettings', async ({ stage: { ...stage } }) => {
  const { usher, database, operators } = stage
  const [operation] = operations.operator.filter(({ name }) => name === 'changeSettings')
  const url = operation?.path
    .replace(':workspaceSlug', database.workspaceSlug)
    .replace(':databaseName', database.databaseName)
  const headers = { authorization: `Bearer ${operators.all.at(-1)?.jwt}` }
  const { values } = (await usher.inject({ method: 'GET', url: url ?? '', headers })).json()
  const rows: Row[] = []
  for (const [name, value] of Object.entries(values))
    if (operation)
      rows.push(await fieldRow(stage, { operation, field: { settings: { [name]: value } }, row: name }))
  checkNames('settings', Object.keys(values))
  for (const { scopes: _, field = '', ...row } of rows) check('settings', { setting: field, ...row })
})

it.for(lines)('usher %s', async (line, { stage }) => {
  check('commands', await commandRow(stage, line))
})

it.for(Object.keys(databaseOptions))('usher database set and create --%s', async (option, { stage }) => {
  check('options', await optionRow(stage, option))
})

it('the matrix has every operation, field, command and option', async () => {
  for (const [section, of] of Object.entries(operations))
    checkNames(
      section,
      of.map(({ name }) => name),
    )
  checkNames(
    'fields',
    fields.map(({ row }) => row),
  )
  checkNames('commands', lines)
  checkNames(
    'options',
    Object.keys(databaseOptions).map((option) => `--${option}`),
  )
  for (const { name, path, optional } of [...operations.management, ...operations.operator])
    expect({ name, path, lacks: optional.filter((field) => !fieldValues[name]?.[field]) }).toEqual({
      name,
      path,
      lacks: [],
    })
  expect([...Object.keys(commands), ...alone].sort()).toEqual((await commandsUnder()).sort())
  const optionsOf = async (command: string) =>
    [...(await runUsher(['database', command, '--help'], {})).stdout.matchAll(/^ {2}--([a-z-]+)/gm)]
      .map(([, option = '']) => option)
      .filter((option) => option !== 'json')
  expect(Object.keys(databaseOptions).sort()).toEqual((await optionsOf('set')).sort())
  expect(createOptions.sort()).toEqual((await optionsOf('create')).sort())
})
