import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { distribute } from '../../../server/store/citus/distribute.js'
import { referenceTables } from '../../../server/store/citus/tables.js'
import { migrate } from '../../../server/store/migrate.js'
import type { Store } from '../../../server/store/store.js'
import { password, startApp, validUser } from '../../support/app.js'
import { type CitusCluster, startCluster } from '../../support/citus-cluster.js'
import { open, report } from './stage.js'

// Citus tells a session what it sends to its nodes. Every statement of the operations must be sent to one node, which
// commits it without a second phase.

interface Sent {
  sql: string
  node: string
}

let cluster: CitusCluster
let store: Store
let client: pg.Client
let sent: Sent[] = []
const byStatement = new Map<string, Sent[]>()

beforeAll(async () => {
  cluster = await startCluster()
  const url = await cluster.createDatabase('usher')
  store = open(url)
  await migrate(store.prisma)
  await distribute(store.prisma)
  client = new pg.Client({ connectionString: url, options: '-c plan_cache_mode=auto' })
  await client.connect()
  await client.query('SET citus.log_remote_commands = on')
  client.on('notice', ({ message = '', detail = '' }) => {
    const [, sql] = /^issuing (.*)$/s.exec(message) ?? []
    const [, node] = /on server \S+@(\S+)/.exec(detail) ?? []
    if (sql && node) sent.push({ sql, node })
  })
  await useEveryOperation()
})
afterAll(async () => {
  await client.end()
  await store.close()
  await cluster.stop()
})

/** Runs the operations, their statements one at a time on the session that Citus tells. */
async function useEveryOperation() {
  let last: Promise<unknown> = Promise.resolve()
  const query = <Row>(text: string, values: unknown[]): Promise<Row[]> => {
    const run = async () => {
      sent = []
      try {
        return (await client.query({ text, values })).rows
      } finally {
        byStatement.set(text, [...(byStatement.get(text) ?? []), ...sent])
      }
    }
    const result = last.then(run, run)
    last = result.catch(() => undefined)
    return result
  }
  const api = await startApp({ ...store, query })
  const database = await api.newDatabase()
  const taken = validUser({ newTenant: 'Engines' })
  const { token } = await database.signedUp(taken)
  const headers = { 'idempotency-key': 'once' }
  const withKey = (payload: object) => api.send({ method: 'POST', url: database.users, payload, headers })
  const wrong = { email: taken.email, password: 'wrong password' }
  const statuses = [
    await database.createUser(validUser()),
    await database.createUser(taken),
    await withKey(validUser()),
    await api.send({
      method: 'POST',
      url: database.users,
      payload: validUser({ newTenant: 'Compilers' }),
      headers: { 'idempotency-key': 'again' },
    }),
    await database.me(token.jwt),
    await database.login(wrong),
    await database.login({ email: taken.email, password }),
  ].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([201, 409, 201, 201, 200, 401, 200])
  await api.close()
}

const tablesOf = (text: string) => [
  ...new Set([...text.matchAll(/(?:INTO|FROM|JOIN) usher\."?(\w+)/g)].map(([, table = '']) => table)),
]

it('every statement of the operations is sent to one node and committed there once', () => {
  const found: string[] = []
  for (const [text, commands] of byStatement) {
    // The others read the coordinator's own catalog.
    if (!/(INTO|FROM|JOIN) usher\./.test(text)) continue
    const nodes = new Set(commands.map(({ node }) => node))
    const isTwoPhase = commands.some(({ sql }) => /PREPARE TRANSACTION|COMMIT PREPARED/.test(sql))
    report(
      text.replace(/\s+/g, ' ').trim().slice(0, 60),
      nodes.size,
      commands.length,
      isTwoPhase ? 'two phases' : 'once',
    )
    // Every node has the reference tables.
    const expected = tablesOf(text).every((table) => referenceTables.includes(table)) ? 0 : 1
    if (nodes.size !== expected || isTwoPhase) found.push(text)
  }
  expect(found).toEqual([])
})

it('which are sign-ups of every kind, logins, reads and counts', () => {
  const tables = [...byStatement.keys()].map((text) => tablesOf(text).join(' '))
  for (const written of [
    'user',
    'user tenant membership',
    'user idempotency_key',
    'user tenant membership idempotency_key',
  ]) {
    expect(tables).toContain(written)
  }
  expect(tables.join()).toMatch(/login_failures/)
  expect(tables.join()).toMatch(/signing_key/)
  expect(tables.join()).toMatch(/hash_parameters/)
})

it('a read of one table is sent as it is, in one round trip', () => {
  const reads = [...byStatement].filter(([text]) => /^\s*SELECT/.test(text))
  expect(reads.length).toBeGreaterThan(0)
  for (const [, commands] of reads) expect(commands.every(({ sql }) => /^SELECT/.test(sql))).toBe(true)
})

it('sign-ups and reads work where the server plans without values', async () => {
  await store.prisma.$executeRaw`ALTER DATABASE usher SET plan_cache_mode = force_generic_plan`
  const other = open(`${cluster.coordinator.url.replace(/postgres$/, 'usher')}`)
  const api = await startApp(other)
  const database = await api.newDatabase('standard', 'generic')
  for (let count = 0; count < 7; count++) {
    const { token } = await database.signedUp({ newTenant: 'Engines' })
    expect((await database.me(token.jwt)).statusCode).toBe(200)
  }
  await api.close()
  await other.close()
})
