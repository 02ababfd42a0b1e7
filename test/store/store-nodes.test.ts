import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { shareByWorker } from '../../server/store/citus/worker-shares.js'
import { nodesOf, openStore } from '../../server/store/open.js'
import { findUsersOfTokens } from '../../server/store/queries/users-of-tokens.js'
import { query } from '../support/citus.js'
import { createPostgresDatabase } from '../support/store.js'
import { createCitusCatalog, nameInShard, shards } from './citus-catalog.js'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'

const masterKey = Buffer.alloc(32, 7)
const connections = 4

let url: string
/** The node of DATABASE_URL, the node that has the rows, and a further one. All are one Postgres. */
let first: TcpProxy
let own: TcpProxy
let other: TcpProxy
let store: Awaited<ReturnType<typeof openStore>>
let databaseId: string
let isClosed: boolean
let warnings: string[]

beforeEach(async () => {
  const database = await createPostgresDatabase()
  url = database.url
  const { hostname, port } = new URL(url)
  const target = { host: hostname, port: Number(port) }
  ;[first, own, other] = await Promise.all([
    startTcpProxy(target),
    startTcpProxy(target),
    startTcpProxy(target),
  ])
  await createCitusCatalog(url, [own.port, other.port])
  const throughFirst = new URL(url)
  throughFirst.host = first.name
  const settings = {
    databaseUrl: throughFirst.href,
    masterKey,
    storeConnections: connections,
    storeNodeConnections: connections,
    dataDir: '',
  }
  warnings = []
  const events = { warn: (text: string) => void warnings.push(text) }
  const nodes = await nodesOf(settings, events)
  store = shareByWorker(await openStore(settings, events), { connections, nodes })
  databaseId = randomUUID()
  isClosed = false
  onTestFinished(async () => {
    if (!isClosed) await store.close()
    await Promise.all([first, own, other].map((proxy) => proxy.refuse()))
    await database.drop()
  })
})

const read = () =>
  store.query<{ one: number }>('SELECT 1 AS one FROM (SELECT $1::uuid) AS given', [databaseId])
const readAnything = () => store.query<{ two: number }>('SELECT 2 AS two', [])
const one = [{ one: 1 }]

/** Returns which nodes statements were sent to since the last call. */
const used = () =>
  Object.entries({ first, own, other }).flatMap(([name, proxy]) => (proxy.wasUsed() ? [name] : []))

it('statements and transactions of a database go to the node that has its rows, all others to that of the URL', async () => {
  expect(await read()).toEqual(one)
  used()
  expect(await read()).toEqual(one)
  await store.transaction(databaseId, (query) => query('SELECT 1', []))
  expect(used()).toEqual(['own'])
  await readAnything()
  // A list is no id of a database.
  await store.query('SELECT $1::uuid[]', [[databaseId]])
  expect(used()).toEqual(['first'])
})

async function insertUser() {
  const id = randomUUID()
  await query(
    url,
    `WITH workspace AS (
      INSERT INTO usher.workspace (id, slug, created_at) VALUES (gen_random_uuid(), 'acme', now()) RETURNING id
    ), database AS (
      INSERT INTO usher.database (id, workspace_id, name, created_at) SELECT $1::uuid, id, 'app', now() FROM workspace
    )
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at)
    VALUES ($1::uuid, $2::uuid, 'ada@example.com', 'ada@example.com', '', 'Ada', now())`,
    [databaseId, id],
  )
  return id
}

it('the user of a token is read from the tables of the shard while the node has it', async () => {
  const id = await insertUser()
  const namesOf = async (sessionId?: string) =>
    (
      await findUsersOfTokens(store, [
        { databaseId, id, sessionId },
        { databaseId, id: randomUUID(), sessionId },
      ])
    ).map((user) => user && [user.id, user.preferredName])
  expect(await namesOf()).toEqual([[id, nameInShard], undefined])
  expect(await namesOf(randomUUID())).toEqual([[id, nameInShard], undefined])
  for (const sessionId of [undefined, randomUUID()])
    expect(await findUsersOfTokens(store, [{ databaseId, id, sessionId }])).toMatchObject([
      { id, preferredName: nameInShard },
    ])
  await query(url, 'UPDATE pg_dist_placement SET groupid = 2')
  expect(await namesOf()).toEqual([[id, 'Ada'], undefined])
  used()
  // The place is looked up again.
  await namesOf()
  expect(used()).toEqual(['first', 'other'])
  await query(url, 'UPDATE pg_dist_placement SET groupid = 1')
  await query(url, `DROP VIEW usher.membership_${shards.membership}`)
  expect(await namesOf()).toEqual([[id, 'Ada'], undefined])
})

it('statements use the node of the URL while their own accepts no connection, and try it every 5 s', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await own.refuse()
  expect(await Promise.all([read(), read(), read()])).toEqual([one, one, one])
  expect(warnings).toEqual([expect.stringMatching(`^no connection to node ${own.name}: .*ECONNREFUSED`)])
  await own.accept()
  used()
  vi.advanceTimersByTime(4_900)
  await read()
  expect(used()).toEqual(['first'])
  vi.advanceTimersByTime(200)
  expect(await read()).toEqual(one)
  expect(used()).toEqual(['own'])
  expect(warnings).toHaveLength(1)
})

it('statements use another node while that of the URL accepts no connection', async () => {
  await read()
  await first.refuse()
  // The pool notices that its connection is lost.
  await expect.poll(() => store.connections?.().total).toBe(1)
  expect(await Promise.all([read(), readAnything()])).toEqual([one, [{ two: 2 }]])
  await first.accept()
})

it('a statement fails if no node accepts a connection', async () => {
  await read()
  await Promise.all([first.refuse(), own.refuse()])
  await expect(read()).rejects.toThrow(/ECONNREFUSED|terminated/)
  await first.accept()
  expect(await read()).toEqual(one)
})

it('a node that does not respond fails its statements within 2 s and takes no connection of the others', async () => {
  await Promise.all(Array.from({ length: connections }, read))
  own.freeze()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const results = Promise.allSettled(Array.from({ length: 3 * connections }, read))
  await readAnything()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(new Set((await results).map(({ status }) => status))).toEqual(new Set(['rejected']))
})

it('a node gets at most its number of connections, and closing the store closes them', async () => {
  await Promise.all(Array.from({ length: 5 * connections }, read))
  expect(own.accepted()).toBeLessThanOrEqual(connections)
  expect(store.connections?.().total).toBeGreaterThan(own.accepted())
  isClosed = true
  await store.close()
  // Postgres ends the processes of closed connections a moment later.
  await expect
    .poll(() =>
      query(
        url,
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'usher'`,
      ),
    )
    .toEqual([])
})
