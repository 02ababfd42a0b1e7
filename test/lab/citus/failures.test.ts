import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { query } from '../../support/citus.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { freeze } from './cluster.js'
import { expectNoLoss, openStage, report } from './stage.js'
import { type Account, summaryOf } from './traffic.js'

let stage: Awaited<ReturnType<typeof openStage>>
let traffic: ReturnType<typeof stage.startTraffic>
let one: PostgresServer
let other: PostgresServer
let ofOne: string[]
let ofOther: string[]
/** Users of further traffic. */
const accounts: Account[] = []

/** Starts a cluster for the tests of a group, with this server. */
function beforeAndAfter(settings?: Record<string, string>) {
  beforeAll(async () => {
    accounts.length = 0
    stage = await openStage(0, settings)
    ;[one, other] = stage.cluster.workers as [PostgresServer, PostgresServer]
    ofOne = stage.databasesOf(one)
    ofOther = stage.databasesOf(other)
    traffic = stage.startTraffic()
    await traffic.during(5)
  })
  afterAll(() => stage.close())
}

const row = (
  title: string,
  { served, unavailable, other: rest, p99, longest }: ReturnType<typeof summaryOf>,
) => report(title, served, unavailable, rest, `${p99.toFixed(0)} ms`, `${longest.toFixed(0)} ms`)

/** Starts a server again once what SIGKILL left behind has ended. */
const restart = (server: PostgresServer) => vi.waitFor(server.start, { timeout: 30_000, interval: 200 })

/** Waits until every database is served again. */
async function expectServed() {
  await expect
    .poll(async () => summaryOf(await traffic.during(1), [...ofOne, ...ofOther]).unavailable, {
      timeout: 60_000,
    })
    .toBe(0)
  const after = await traffic.during(3)
  expect(summaryOf(after, ofOne).served).toBeGreaterThan(0)
  expect(summaryOf(after, ofOther).served).toBeGreaterThan(0)
}

function testWorkers() {
  it('a killed worker takes its own databases with it, and no other', async () => {
    const before = await traffic.during(8)
    row('no failure, all databases', summaryOf(before, [...ofOne, ...ofOther]))
    await other.kill('SIGKILL')
    const during = await traffic.during(10)
    await restart(other)
    const [running, killed] = [summaryOf(during, ofOne), summaryOf(during, ofOther)]
    row('worker killed, databases of the other worker', running)
    row('worker killed, its own databases', killed)
    expect(running).toMatchObject({ unavailable: 0, other: 0 })
    expect(running.served).toBeGreaterThan(0)
    expect(killed.other).toBe(0)
    expect(killed.unavailable).toBeGreaterThan(0)
    expect(killed.longest).toBeLessThan(2_000)
    await expectServed()
  })

  it('a frozen worker takes its own databases with it, and no other', async () => {
    const before = summaryOf(await traffic.during(8), ofOne)
    const thaw = await freeze(other)
    const during = await traffic.during(10)
    thaw()
    const [running, frozen] = [summaryOf(during, ofOne), summaryOf(during, ofOther)]
    row('worker frozen, databases of the other worker before', before)
    row('worker frozen, databases of the other worker', running)
    row('worker frozen, its own databases', frozen)
    expect(running).toMatchObject({ unavailable: 0, other: 0 })
    expect(running.p99).toBeLessThan(3 * before.p99)
    expect(frozen.other).toBe(0)
    expect(frozen.unavailable).toBeGreaterThan(0)
    // Twice the limit of a statement: a login fails to store its network, continues, and the next statement waits again.
    expect(frozen.longest).toBeLessThan(4_000)
    await expectServed()
  })
}

function testLoss() {
  it('no acknowledged sign-up, session, refresh, password or mail is lost', () => expectNoLoss(traffic))

  it('every stored change sends its events in order, and no other does', () =>
    stage.expectEvents([...accounts, ...traffic.accounts]))
}

describe('servers that use the coordinator', () => {
  beforeAndAfter()
  testWorkers()

  it('commands say which worker cannot be reached, and do what they can', async () => {
    // Without traffic, because its users are changed, and its deletion begins although it cannot end.
    const own = `acme/${ofOne[2]}`
    const email = 'ada@example.com'
    expect(await stage.usher(`database set ${own} --webhook-url none`)).toMatchObject({ code: 0 })
    expect(await stage.usher(`user create ${own} ${email} --no-password`)).toMatchObject({ code: 0 })
    expect(await stage.usher('workspace create empty')).toMatchObject({ code: 0 })
    await other.kill('SIGKILL')
    const needOneNode = [
      'workspace list',
      'migrate',
      `database show ${own}`,
      `user list ${own}`,
      `user show ${own} ${email}`,
      `user disable ${own} ${email}`,
      `user enable ${own} ${email}`,
      `user unlock ${own} ${email}`,
      `user revoke-tokens ${own} ${email}`,
      `user send-reset ${own} ${email}`,
      `user export ${own}`,
      `tenant create ${own} Engines`,
      `tenant list ${own}`,
      `outbox list ${own}`,
      `outbox retry ${own} --not-retried`,
      `keys list ${own}`,
      `keys rotate ${own}`,
    ]
    const needEveryNode = [
      'workspace create other',
      'workspace delete empty',
      'database create acme/other',
      `database set ${own} --session-idle 3600`,
      `database delete ${own} --yes`,
      'keys rewrap',
    ]
    const USHER_NEW_MASTER_KEY = Buffer.alloc(32, 8).toString('base64')
    const run = (command: string) => stage.usher(command, { USHER_NEW_MASTER_KEY })
    const list = await run('database list')
    const results: Record<string, Awaited<ReturnType<typeof run>>> = {}
    for (const command of [...needOneNode, ...needEveryNode, `keys list acme/${ofOther[0]}`])
      results[command] = await run(command)
    await restart(other)
    for (const name of ofOne)
      expect(list.stdout).toMatch(new RegExp(`^acme/${name} +[0-9a-f-]{36} {2}active$`, 'm'))
    for (const name of ofOther)
      expect(list.stdout).toMatch(new RegExp(`^acme/${name} .*node unreachable$`, 'm'))
    expect(list.code).toBe(0)
    const failed = Object.entries(results).filter(([, { code }]) => code !== 0)
    for (const [command, { stderr }] of failed) report(command, stderr.trim())
    expect(failed.map(([command]) => command)).toEqual([...needEveryNode, `keys list acme/${ofOther[0]}`])
    const { host } = new URL(other.url)
    for (const [, { stderr }] of failed)
      expect(stderr).toContain(`cannot reach a node of the store: ${host}: `)
    await expectServed()
  })

  it('a killed coordinator means 503 until it is back', async () => {
    await stage.cluster.coordinator.kill('SIGKILL')
    const during = summaryOf(await traffic.during(5), [...ofOne, ...ofOther])
    await restart(stage.cluster.coordinator)
    row('coordinator killed, all databases', during)
    expect(during.other).toBe(0)
    expect(during.longest).toBeLessThan(2_500)
    await expectServed()
  })

  it('servers that use a worker do not need the coordinator', async () => {
    const server = await stage.serveThrough(one)
    const throughWorker = stage.startTraffic(server.origin)
    await throughWorker.during(3)
    await stage.cluster.coordinator.kill('SIGKILL')
    const during = summaryOf(await throughWorker.during(5), [...ofOne, ...ofOther])
    await restart(stage.cluster.coordinator)
    row('coordinator killed, servers that use a worker', during)
    expect(during).toMatchObject({ unavailable: 0, other: 0 })
    expect(during.served).toBeGreaterThan(0)
    await expectNoLoss(throughWorker)
    accounts.push(...throughWorker.accounts)
    await server.stop()
    await expectServed()
  })

  testLoss()
})

describe('servers that use the node of each database', () => {
  beforeAndAfter({ STORE_NODE_CONNECTIONS: '10' })
  testWorkers()

  it('a killed coordinator stops nothing', async () => {
    await stage.cluster.coordinator.kill('SIGKILL')
    // What was being read through the coordinator fails.
    const first = summaryOf(await traffic.during(1), [...ofOne, ...ofOther])
    const during = summaryOf(await traffic.during(10), [...ofOne, ...ofOther])
    await restart(stage.cluster.coordinator)
    row('coordinator killed, the first second', first)
    row('coordinator killed, the next 10 s', during)
    expect(first.other).toBe(0)
    expect(during).toMatchObject({ unavailable: 0, other: 0 })
    expect(during.served).toBeGreaterThan(0)
    await expectServed()
  })

  it('shards that move stop nothing', async () => {
    const before = summaryOf(await traffic.during(8), [...ofOne, ...ofOther])
    const moving = move(other, one).then(() => move(one, other))
    let isDone = false
    const done = moving.finally(() => {
      isDone = true
    })
    const answers = []
    while (!isDone) answers.push(...(await traffic.during(1)))
    await done
    const during = summaryOf(answers, [...ofOne, ...ofOther])
    row('before shards move', before)
    row('shards move there and back', during)
    expect(during).toMatchObject({ unavailable: 0, other: 0 })
    await expectServed()
  })

  testLoss()
})

/** Moves the shards of the databases of the second worker that have traffic. */
async function move(from: PostgresServer, to: PostgresServer) {
  const shards = await query<{ shard: string }>(
    stage.url,
    `SELECT DISTINCT get_shard_id_for_distribution_column('usher."user"', id) AS shard
    FROM usher.database WHERE name = ANY ($1)`,
    [ofOther.slice(0, 2)],
  )
  const [source, target] = [new URL(from.url), new URL(to.url)]
  for (const { shard } of shards)
    await query(stage.url, 'SELECT citus_move_shard_placement($1, $2, $3, $4, $5)', [
      shard,
      source.hostname,
      Number(source.port),
      target.hostname,
      Number(target.port),
    ])
}
