import type { AppRoute } from '@ts-rest/core'
import { contract, databasePath } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useEveryOperation } from '../support/every-operation.js'
import { createFiller } from '../support/many-rows.js'
import { isSearch, type PlanMode, planOf, recordStatements, type Sent } from '../support/statement-plans.js'
import { openPostgresCopy } from '../support/store.js'

/** A statement that reads 100 rows reads about 100 buffers, of an index and of a table. */
const maxBuffers = 150
/** It changes 1,000 rows. */
const numbersEvents = (text: string) => text.includes('seq IS NULL ORDER BY stored_at, id LIMIT 1000')
const rows = 20_000
const databases = 5_000
const hour = 3_600_000
const start = Date.now()

let operations: Set<string>
let statements: Sent[]
let client: pg.Client
let filler: Awaited<ReturnType<typeof createFiller>>
let close: () => Promise<void>

beforeAll(async () => {
  const store = await openPostgresCopy()
  const { recording, sent } = recordStatements(store)
  client = new pg.Client({ connectionString: store.settings?.DATABASE_URL })
  close = () => client.end().then(store.close)
  await client.connect()
  operations = await useEveryOperation(recording)
  statements = sent().filter(({ text }) => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text))
  filler = await createFiller(client, start)
})
afterAll(() => close())

it('the recorded statements are those of all operations of a database', () => {
  const declared = [contract, managementContract]
    .flatMap((api) => Object.values(api).flatMap((router) => Object.values(router) as AppRoute[]))
    .filter(({ path }) => path.includes(databasePath))
    .map(({ method, path }) => `${method} ${path}`)
  expect(declared.filter((operation) => !operations.has(operation))).toEqual([])
  expect(new Set(statements.map(({ text }) => text)).size).toBeGreaterThan(declared.length)
})

/** Executes a statement, and rolls back. */
async function planned(statement: Sent, mode: PlanMode) {
  const plan = await planOf(client, statement, mode)
  // The next statement that reads the list would also read the 1,000 rows that are rolled back.
  if (numbersEvents(statement.text)) await client.query('VACUUM usher.revocation, usher.kept_event')
  return plan
}

it('no statement of a server reads all recent rows if the statistics are older', {
  timeout: 180_000,
}, async () => {
  await filler.addRows(rows / 10)
  const recent = await createFiller(client, start + 31 * hour, false)
  await recent.addRows(rows)
  const costly: string[] = []
  for (const statement of statements.map(executedLater)) {
    const { buffers: generic = 0 } = await planned(statement, 'force_generic_plan')
    const { buffers: custom = 0 } = await planned(statement, 'force_custom_plan')
    if (custom > Math.max(maxBuffers, 2 * generic)) costly.push(statement.text.trim())
  }
  expect(costly).toEqual([])
})

/** After all rows of the first hour, also if a statement looks for rows of the last day. */
const executedLater = ({ text, values }: Sent) => ({
  text,
  values: values.map((value) => (value instanceof Date ? new Date(value.getTime() + 30 * hour) : value)),
})

/** Returns what is wrong with the generic plans of statements. */
async function costlyStatements() {
  const large = await filler.largeTables()
  const costly = new Set<string>()
  for (const statement of statements) {
    const { scanned, buffers = 0 } = await planned(statement, 'force_generic_plan')
    const problems = scanned.filter((table) => large.has(table)).map((table) => `reads all of ${table}`)
    if (buffers > maxBuffers && !isSearch(statement.text) && !numbersEvents(statement.text))
      problems.push('reads many buffers')
    for (const problem of problems) costly.add(`${problem}: ${statement.text.trim()}`)
  }
  return [...costly]
}

it('no statement of a server reads a table of a large database as a whole', {
  timeout: 180_000,
}, async () => {
  await filler.addRows(rows)
  expect(await costlyStatements()).toEqual([])
})

it('no statement of a server reads a large database as a whole if most databases are small', {
  timeout: 180_000,
}, async () => {
  await filler.addDatabases(databases)
  expect(await costlyStatements()).toEqual([])
})
