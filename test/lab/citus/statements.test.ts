import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { distribute } from '../../../server/store/citus/distribute.js'
import { referenceTables } from '../../../server/store/citus/tables.js'
import { types } from '../../../server/store/connect-postgres.js'
import { migrate } from '../../../server/store/migrate.js'
import { readEvents, readRevocations, sendEvents, sweep } from '../../store/every-operation.js'
import { sendEveryRequest } from '../../store/every-request.js'
import { startApp } from '../../support/app.js'
import type { OpenStore } from '../../support/open-store.js'
import { setDatabase } from '../../support/operator-changes.js'
import { startSmtp } from '../../support/smtp.js'
import { type CitusCluster, startCluster } from './cluster.js'
import { recorded, recordingPrisma, type Sent, sentBy } from './recording.js'
import { open, report } from './stage.js'

// Citus reports to a session what it sends to its nodes. Every statement of the operations must be sent to one node, which
// commits it without a second phase.

let cluster: CitusCluster
let store: OpenStore
let client: pg.Client
let sent: Sent[] = []
/** What each execution of a statement sent. */
const byStatement = new Map<string, Sent[][]>()

beforeAll(async () => {
  cluster = await startCluster()
  const url = await cluster.createDatabase('usher')
  store = await open(url)
  await migrate(store)
  await distribute(store)
  client = new pg.Client({ connectionString: url, types, options: recorded })
  await client.connect()
  client.on('notice', (notice) => {
    const one = sentBy(notice)
    if (one) sent.push(one)
  })
  await useEveryOperation(url)
})
afterAll(async () => {
  await client.end()
  await store.close()
  await cluster.stop()
})

/** Citus inserts the users of an import by COPY, and commits that in two phases, although it is on one node. */
const commitOfCopy = 'COMMIT after COPY'
let hasCopied = false

function record(text: string, commands: Sent[]) {
  hasCopied =
    text !== 'BEGIN' && (hasCopied || commands.some(({ sql }) => sql.startsWith('COPY insert_select')))
  const key = text === 'COMMIT' && hasCopied ? commitOfCopy : text
  byStatement.set(key, [...(byStatement.get(key) ?? []), commands])
}

/** Runs the operations, their statements one at a time on the session to which Citus reports. */
async function useEveryOperation(url: string) {
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<Result>(work: () => Promise<Result>) {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }
  async function run<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    sent = []
    try {
      return (await client.query({ text, values })).rows
    } finally {
      record(text, sent)
    }
  }
  const query: OpenStore['query'] = (text, values) => inTurn(() => run(text, values))
  const transaction: OpenStore['transaction'] = (_databaseId, work) =>
    inTurn(async () => {
      await run('BEGIN')
      try {
        const result = await work(run)
        await run('COMMIT')
        return result
      } catch (error) {
        await run('ROLLBACK')
        throw error
      }
    })
  const smtp = await startSmtp()
  const prisma = recordingPrisma(url, record)
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'usher@example.com' }
  const api = await startApp({ ...store, query, transaction, loadPrisma: prisma.loadPrisma }, settings)
  api.clock.now = Date.now()
  // Commands, which create and change databases on every node, are not recorded.
  const commands = await startApp(store)
  const newDatabase = async (webhookUrl?: string) => {
    const database = await commands.newDatabase()
    if (webhookUrl !== undefined) await setDatabase(store, database, { webhookUrl })
    return { ...database, ...api.client(database.workspaceSlug, database.databaseName) }
  }
  const recording = { ...api, store, newDatabase: () => newDatabase() }
  const { database } = await sendEveryRequest(recording, smtp)
  await sendEvents(recording, newDatabase)
  await readEvents(recording)
  await readRevocations(recording)
  await sweep(recording, database.id)
  await Promise.all([api.close(), commands.close()])
  await Promise.all([smtp.close(), prisma.close()])
}

const tablesOf = (text: string) => [
  ...new Set(
    [...text.matchAll(/(?:INTO|FROM|JOIN|UPDATE) "?usher"?\."?(\w+)/g)].map(([, table = '']) => table),
  ),
]

it('every statement of the operations is sent to one node and committed there once', () => {
  const found: string[] = []
  for (const [text, executions] of byStatement) {
    const isCommit = text.startsWith('COMMIT')
    // The others read the coordinator's own catalog.
    if (!isCommit && tablesOf(text).length === 0) continue
    // Every node has the reference tables.
    const expected = !isCommit && tablesOf(text).every((table) => referenceTables.includes(table)) ? 0 : 1
    const nodes = Math.max(...executions.map((commands) => new Set(commands.map(({ node }) => node)).size))
    const commands = Math.max(...executions.map(({ length }) => length))
    const isTwoPhase = executions.flat().some(({ sql }) => /PREPARE TRANSACTION|COMMIT PREPARED/.test(sql))
    const title = text.replace(/\s+/g, ' ').trim().slice(0, 60)
    report(title, nodes, commands, isTwoPhase ? 'two phases' : 'once')
    if (nodes !== expected || isTwoPhase !== (text === commitOfCopy)) found.push(text)
  }
  expect(found).toEqual([])
})

it('which are sign-ups of every kind, and use every distributed table', async () => {
  const tables = [...byStatement.keys()].map(tablesOf)
  const signUps = tables.map((each) => each.join(' '))
  for (const kind of ['user', 'user tenant membership'])
    for (const more of ['', ' idempotency_key']) expect(signUps).toContain(`${kind}${more} kept_event`)
  const distributed = await store.query<{ name: string }>(
    `SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid WHERE partmethod = 'h'`,
    [],
  )
  const used = new Set(tables.flat())
  expect(distributed.length).toBeGreaterThan(0)
  expect(distributed.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
})

it('a read is sent as it is, in one round trip', () => {
  const reads = [...byStatement].filter(
    ([text]) =>
      tablesOf(text).length > 0 && /^\s*SELECT/.test(text) && !/ FOR (NO KEY )?(UPDATE|SHARE)/.test(text),
  )
  expect(reads.length).toBeGreaterThan(0)
  // The first statement of a transaction also opens it on the node.
  const isSentOnce = (commands: Sent[]) => {
    const own = commands.filter(({ sql }) => !/^BEGIN /.test(sql))
    return own.length <= 1 && own.every(({ sql }) => /^SELECT/.test(sql))
  }
  const others = reads.flatMap(([text, executions]) => (executions.every(isSentOnce) ? [] : [text]))
  expect(others).toEqual([])
})

it('sign-ups and reads work where the server plans without values', async () => {
  await store.prisma.$executeRaw`ALTER DATABASE usher SET plan_cache_mode = force_generic_plan`
  const other = await open(`${cluster.coordinator.url.replace(/postgres$/, 'usher')}`)
  const api = await startApp(other)
  const database = await api.newDatabase('standard', 'generic')
  for (let count = 0; count < 7; count++) {
    const { token } = await database.signedUp({ newTenant: 'Engines' })
    expect((await database.me(token.jwt)).statusCode).toBe(200)
  }
  await api.close()
  await other.close()
})
