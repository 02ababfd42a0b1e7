import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { distribute } from '../../../server/store/citus/distribute.js'
import { migrate } from '../../../server/store/migrate.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { query } from '../../support/citus.js'
import { findCitus } from '../../support/installed-postgres.js'
import { createCluster, freePort, type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { median, percentile } from '../bench/figures.js'
import { closedLoop, requestBytes } from '../bench/load.js'
import { cpuSeconds, startServer } from '../bench/processes.js'
import { startCluster } from './cluster.js'
import { masterKey, open, report } from './stage.js'

// A coordinator, two workers, a plain Postgres, the servers and the load share the machine, so only ratios say something.

const rounds = 5
const seconds = 3
const users = 500
const password = 'correct horse battery'
const path = '/workspaces/acme/databases/app/users'

const operations = { 'sign-up': 8, login: 8, me: 8, 'me over 64 connections': 64 }
type Operation = keyof typeof operations

it('serves every request on a distributed store, and reports its rates and those of plain Postgres', async () => {
  const postgres = await startPlain()
  const plain = await openStage(postgres.url, [postgres])
  const cluster = await startCluster()
  onTestFinished(cluster.stop)
  const url = await cluster.createDatabase('usher')
  const citus = await openStage(url, [cluster.coordinator, ...cluster.workers])
  const own = await ownNode(url, cluster.workers)
  const nodes = [own, cluster.coordinator, ...cluster.workers.filter((worker) => worker !== own)]
  const atOwn = new URL(url)
  atOwn.host = new URL(own.url).host
  const stages = {
    plain,
    coordinator: citus,
    'its own node': { ...citus, port: await startUsher(atOwn.href), nodes },
    'coordinator, with STORE_NODE_CONNECTIONS': {
      ...citus,
      port: await startUsher(url, { STORE_NODE_CONNECTIONS: '10' }),
      nodes,
    },
  }
  report(
    'operation, DATABASE_URL names',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'its CPU ms',
    'of other nodes',
    'rate',
  )
  for (const operation of Object.keys(operations) as Operation[]) {
    const turns = Object.keys(stages).map((name) => ({ name, all: [] as number[][] }))
    for (let round = 0; round < rounds; round++) {
      for (const [index, stage] of Object.values(stages).entries()) {
        turns[index]?.all.push(await turn(stage, operation))
      }
    }
    for (const { name, all } of turns) {
      const columns = [0, 1, 2, 3, 4].map((column) => median(all.map((each) => each[column] ?? 0)))
      const figures = columns.map((value, column) => value.toFixed(column < 3 ? 1 : 3))
      const ratio = median(all.map(([rate = 0], round) => rate / (turns[0]?.all[round]?.[0] ?? 0)))
      report(`${operation}, ${name}`, ...figures, ratio.toFixed(2))
    }
  }
})

/** Returns the worker that has the rows of the database. */
async function ownNode(url: string, workers: readonly PostgresServer[]) {
  const [row] = await query<{ host: string }>(
    url,
    `SELECT nodename || ':' || nodeport AS host FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('usher."user"', (SELECT id FROM usher.database))`,
  )
  const own = workers.find((worker) => new URL(worker.url).host === row?.host)
  if (!own) throw new Error(`no worker is ${row?.host}`)
  return own
}

async function startPlain() {
  const folder = await mkdtemp(join(tmpdir(), 'usher-plain-'))
  const postgres = await startPostgres({}, undefined, await createCluster(folder, findCitus()))
  onTestFinished(() => postgres.stop().then(() => rm(folder, { recursive: true })))
  return postgres
}

/** @param nodes first that of the URL, then its workers if the store is to be distributed */
async function openStage(url: string, nodes: PostgresServer[]) {
  const store = await open(url)
  await migrate(store)
  if (nodes.length > 1) await distribute(store)
  await createWorkspace(store, 'acme', new Date())
  await createDatabase(
    { store, now: new Date() },
    { workspaceSlug: 'acme', databaseName: 'app' },
    { signUpsPerHour: 0 },
  )
  await store.close()
  const port = await startUsher(url)
  const accounts: { email: string; me: string }[] = []
  while (accounts.length < users) {
    const email = `${randomBytes(9).toString('hex')}@example.com`
    const body = JSON.stringify({ email, password, newTenant: 'Engines' })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
    const { token } = (await response.json()) as { token: { jwt: string } }
    accounts.push({ email, me: requestBytes('GET', `${path}/me`, { token: token.jwt }) })
  }
  return { port, nodes, accounts, next: 0 }
}

/** Returns the port of a server on the store. */
async function startUsher(url: string, more: Record<string, string> = {}) {
  const port = await freePort()
  const server = await startServer(port, ['server/bin/usher.js', 'serve'], {
    ...cheapHashes,
    DATABASE_URL: url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    PORT: String(port),
    // One issuer, so that a token of one server is valid at the other.
    BASE_URL: 'http://localhost:3000',
    WORKERS: '1',
    ...more,
  })
  onTestFinished(server.stop)
  return port
}

/** Returns rate, median and 99th percentile of the latency, and CPU time per request; times in milliseconds. */
async function turn(stage: Awaited<ReturnType<typeof openStage>>, operation: Operation) {
  const account = () => stage.accounts[stage.next++ % users] ?? { email: '', me: '' }
  const signUp = () => ({
    email: `${randomBytes(9).toString('hex')}@example.com`,
    password,
    newTenant: 'Engines',
  })
  const next = {
    'sign-up': () => requestBytes('POST', path, { body: signUp() }),
    login: () => requestBytes('POST', `${path}/login`, { body: { email: account().email, password } }),
    me: () => account().me,
    'me over 64 connections': () => account().me,
  }[operation]
  const cpuBefore = await cpuOf(stage.nodes)
  const { latencies, seconds: took } = await closedLoop(stage.port, seconds, next, operations[operation])
  const good = latencies.get(operation === 'sign-up' ? 201 : 200) ?? []
  expect([...latencies.values()].flat()).toHaveLength(good.length)
  const [first = 0, ...others] = (await cpuOf(stage.nodes)).map(
    (after, index) => after - (cpuBefore[index] ?? 0),
  )
  const perRequest = (seconds: number) => (seconds * 1000) / good.length
  const ofOthers = others.reduce((sum, value) => sum + value, 0)
  return [
    good.length / took,
    percentile(good, 0.5),
    percentile(good, 0.99),
    perRequest(first),
    perRequest(ofOthers),
  ]
}

const cpuOf = (nodes: PostgresServer[]) => Promise.all(nodes.map((node) => cpuSeconds(node.pid())))
