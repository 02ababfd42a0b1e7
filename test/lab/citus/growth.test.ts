import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../../server/store/migrate.js'
import { addWorker, query } from '../../support/citus.js'
import { createMigration } from '../../support/migration.js'
import { databaseUrl } from '../../support/postgres-server.js'
import { startNode } from './cluster.js'
import { expectNoLoss, open, openStage, report } from './stage.js'
import { summaryOf } from './traffic.js'

let stage: Awaited<ReturnType<typeof openStage>>
let traffic: ReturnType<typeof stage.startTraffic>
let names: string[]

beforeAll(async () => {
  stage = await openStage()
  names = stage.databases.map(({ name }) => name)
  traffic = stage.startTraffic()
  await traffic.during(5)
})
afterAll(() => stage.close())

/** Does something under load and expects that no request fails meanwhile. */
async function underLoad(title: string, work: () => Promise<unknown>) {
  const start = performance.now()
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  const answers = []
  while (!isDone) answers.push(...(await traffic.during(1)))
  await working
  const { served, unavailable, other, longest } = summaryOf(answers, names)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  report(title, `${seconds} s`, served, unavailable + other, `${longest.toFixed(0)} ms`)
  expect({ unavailable, other }).toEqual({ unavailable: 0, other: 0 })
}

it('a worker is added and shards move to it under load', async () => {
  const worker = await startNode()
  stage.cluster.workers.push(worker)
  await query(worker.url, 'CREATE DATABASE usher')
  await query(databaseUrl(worker.url, 'usher'), 'CREATE EXTENSION citus')
  await underLoad('third worker added, shards moved', async () => {
    await addWorker(stage.url, worker.url)
    await query(stage.url, 'SELECT citus_rebalance_start()')
    await query(stage.url, 'SELECT citus_rebalance_wait()')
  })
  const [row] = await query<{ count: string }>(
    stage.url,
    `SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node USING (groupid) JOIN pg_dist_shard USING (shardid)
    WHERE logicalrelid = 'usher."user"'::regclass AND nodeport = $1`,
    [Number(new URL(worker.url).port)],
  )
  expect(Number(row?.count)).toBeGreaterThan(5)
})

it('a database moves to a shard of its own, during which only its former shard refuses writes', async () => {
  const [own = ''] = names
  const shardOf = async (name: string) => {
    const [row] = await query<{ shard: string; minimum: string; maximum: string }>(
      stage.url,
      `SELECT shardid AS shard, shardminvalue AS minimum, shardmaxvalue AS maximum FROM pg_dist_shard
      WHERE shardid = get_shard_id_for_distribution_column('usher."user"',
        (SELECT id FROM usher.database WHERE name = $1))`,
      [name],
    )
    return row
  }
  const former = await shardOf(own)
  const others: string[] = []
  for (const name of names) if ((await shardOf(name))?.shard !== former?.shard) others.push(name)
  const start = performance.now()
  const [answers] = await Promise.all([
    traffic.during(10),
    query(
      stage.url,
      `SELECT isolate_tenant_to_new_shard('usher."user"', (SELECT id::text FROM usher.database WHERE name = $1),
        'CASCADE', 'block_writes')`,
      [own],
    ).then(() =>
      report('a database moved to a shard of its own', `${(performance.now() - start).toFixed(0)} ms`),
    ),
  ])
  const [moved, rest] = [summaryOf(answers, [own]), summaryOf(answers, others)]
  report('the database, served and 503', moved.served, moved.unavailable, `${moved.longest.toFixed(0)} ms`)
  report('databases of other shards', rest.served, rest.unavailable, `${rest.longest.toFixed(0)} ms`)
  expect(moved.other).toBe(0)
  expect(rest).toMatchObject({ unavailable: 0, other: 0 })
  const shard = await shardOf(own)
  expect(shard?.minimum).toBe(shard?.maximum)
  await expect
    .poll(async () => summaryOf(await traffic.during(1), names).unavailable, { timeout: 60_000 })
    .toBe(0)
})

it('a lock for as long as Citus takes to delete a table of a moved shard fails no request', async () => {
  const [row] = await query<{ shard: string }>(
    stage.url,
    `SELECT shardid AS shard FROM pg_dist_shard WHERE logicalrelid = 'usher.database'::regclass`,
  )
  for (const worker of stage.cluster.workers) {
    await underLoad('the list of databases on a worker is locked', () =>
      query(
        databaseUrl(worker.url, 'usher'),
        // Without the setting, Citus lets only itself lock the table of a shard.
        `BEGIN; SET LOCAL citus.enable_ddl_propagation = off;
        LOCK TABLE usher.database_${row?.shard} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.9); COMMIT`,
      ),
    )
  }
})

it('a migration runs under load', async () => {
  const folder = await createMigration(
    '9_next',
    `ALTER TYPE usher.password_policy ADD VALUE 'long';
ALTER TABLE usher."user" ADD COLUMN nickname TEXT;
CREATE TABLE "usher"."note" (
  database_id UUID, user_id UUID, text TEXT, PRIMARY KEY (database_id, user_id)
);
ALTER TABLE usher.note ADD FOREIGN KEY (database_id, user_id) REFERENCES usher."user" (database_id, id) ON DELETE CASCADE;
CREATE INDEX note_text ON usher.note (database_id, text);
`,
  )
  const store = await open(stage.url)
  await underLoad('migration', () => migrate(store, folder))
  await store.close()
  await rm(folder, { recursive: true })
})

it('keys are rotated under load', async () => {
  await underLoad('a key rotated in each database', async () => {
    for (const name of names) {
      expect(await stage.usher(`keys rotate acme/${name} --activate-in 0`)).toMatchObject({ code: 0 })
    }
  })
})

it('no acknowledged sign-up, session, refresh, password or mail is lost', () => expectNoLoss(traffic))

it('every stored change sends its events in order, and no other does', () =>
  stage.expectEvents(traffic.accounts))
