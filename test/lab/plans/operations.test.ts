import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { validate as isUuid } from 'uuid'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Store } from '../../../server/store/store.js'
import { useEveryOperation } from '../../store/every-operation.js'
import { createFiller, largeTables } from '../../store/many-rows.js'
import { query } from '../../support/citus.js'
import { openPostgres } from '../../support/open-store.js'
import { createPostgresDatabase } from '../../support/store.js'
import { times } from '../form.js'
import { isSearch, type PlanMode, planOf, recordStatements, type Sent } from './statement-plans.js'

/** A statement that reads 100 rows reads about 100 buffers, of an index and of a table. */
const maxBuffers = 150
/** It changes 1,000 rows, and the indexes of each. */
const numbersEvents = (text: string) => text.includes('seq IS NULL ORDER BY stored_at, id LIMIT 1000')

function mostBuffers(text: string) {
  if (isSearch(text)) return Number.POSITIVE_INFINITY
  const other = Object.keys(boundedReads).find((part) => text.includes(part))
  if (other) return boundedReads[other] ?? 0
  return numbersEvents(text) ? 20_000 : maxBuffers
}

/** Statements that read more, but not more than a bound, by a part of their text. */
const boundedReads: Record<string, number> = {
  // A sweep counts the users of a database, 5,000 at a time.
  'AS counted': 5_000,
  // The console lists all operators. The database that this test fills is not theirs.
  'preferred_name AS "preferredName", u.created_at AS "createdAt",\n': 5_000,
  // It looks up the operator of each of the 50 actions of a page.
  'AS "operatorName"': 350,
  // The console counts the databases of the 50 workspaces of a page.
  'AS databases': 400,
}

const rows = 20_000
/** With 5,000 of them, reading all is the best plan of some statements. */
const databases = 10_000
const hour = 3_600_000

let statements: Sent[]
let recorded: Awaited<ReturnType<typeof createPostgresDatabase>>
/** After the recorded executions. */
let start: number
let url: string
let client: pg.Client
let close: () => Promise<void>

beforeAll(async () => {
  recorded = await createPostgresDatabase()
  const store = await openPostgres(recorded.url, randomBytes(32))
  const { recording, sent } = recordStatements(store, times(1, 3))
  await useEveryOperation(recording)
  statements = sent().filter(({ text }) => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text))
  start = Date.now()
  await keepStatistics(store)
  await store.close()
}, 180_000)
afterAll(() => recorded.drop())

/** Otherwise an autovacuum during a test would renew the statistics whose age the test decides. */
async function keepStatistics({ query }: Pick<Store, 'query'>) {
  const tables = await query<{ name: string }>(
    "SELECT relid::regclass AS name FROM pg_stat_user_tables WHERE schemaname = 'usher'",
    [],
  )
  for (const { name } of tables) await query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`, [])
}

beforeEach(async () => {
  const copy = await createPostgresDatabase(new URL(recorded.url).pathname.slice(1))
  url = copy.url
  client = new pg.Client({ connectionString: url })
  close = () => client.end().then(copy.drop)
  await client.connect()
})
afterEach(() => close())

/** Executes a statement, and rolls back. */
async function planned(statement: Sent, mode: PlanMode) {
  const plan = await planOf(client, statement, mode)
  // The next statement that reads the list would also read the 1,000 rows that are rolled back.
  if (numbersEvents(statement.text)) await client.query('VACUUM usher.revocation, usher.kept_event')
  return plan
}

it('no statement has another first text than the id of a database, for which a distributed store would take it', () => {
  const others = statements.filter(
    ({ values: [first] }) => typeof first === 'string' && !isUuid(first) && !first.startsWith('{'),
  )
  expect(others.map(({ text }) => text.trim())).toEqual([])
})

it('no statement of a server reads all recent rows if the statistics are older', {
  timeout: 180_000,
}, async () => {
  await (await createFiller(client, start)).addRows(rows / 10)
  await (await createFiller(client, start + 31 * hour, { isAnalyzed: false })).addRows(rows)
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

/** Returns what is wrong with the plans of statements in the recorded databases. */
async function costlyStatements(mode: PlanMode) {
  const large = await largeTables(client)
  const costly = new Set<string>()
  for (const statement of statements) {
    const { scanned, indexes, buffers = 0 } = await planned(statement, mode)
    const problems = scanned.filter((table) => large.has(table)).map((table) => `reads all of ${table}`)
    if (buffers > mostBuffers(statement.text))
      problems.push(`reads ${buffers} buffers by ${indexes.join(', ')}`)
    for (const problem of problems) costly.add(`${problem}: ${statement.text.trim()}`)
  }
  return [...costly]
}

it('no statement of a server reads a table of a large database as a whole', {
  timeout: 180_000,
}, async () => {
  await (await createFiller(client, start)).addRows(rows)
  expect(await costlyStatements('force_generic_plan')).toEqual([])
})

it('no statement of a server reads a large database as a whole if most databases are small', {
  timeout: 180_000,
}, async () => {
  // While the statistics are older: those of the tables count the pages of the new rows, but none of these rows.
  const beforeCommit = () => query(url, 'VACUUM ANALYZE')
  const [known, unknown] = [
    await createFiller(client, start),
    await createFiller(client, start, { isAnalyzed: false, beforeCommit }),
  ]
  await known.addDatabases(databases)
  await unknown.addRows(rows)
  expect(await costlyStatements('force_generic_plan')).toEqual([])
  expect(await costlyStatements('force_custom_plan')).toEqual([])
  await client.query('ANALYZE')
  expect(await costlyStatements('force_generic_plan')).toEqual([])
})
