import { expect, vi } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { distribute } from '../../../server/store/citus/distribute.js'
import { migrate } from '../../../server/store/migrate.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { startUsher, usher } from '../../support/child.js'
import { query } from '../../support/citus.js'
import { openPostgres } from '../../support/open-store.js'
import { setDatabase } from '../../support/operator-changes.js'
import { databaseUrl, freePort } from '../../support/postgres-server.js'
import { startReceiver } from '../../support/receiver.js'
import { startSmtp } from '../../support/smtp.js'
import { startCluster } from './cluster.js'
import { type Account, signUpEvents, startTraffic } from './traffic.js'

export const masterKey = Buffer.alloc(32, 7)

/** Opens a store on a cluster. */
export const open = (url: string) => openPostgres(url, masterKey)

/** Prints a row of figures. */
export const report = (...cells: unknown[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** A database of the store, and the worker that has its rows. */
interface Placed {
  name: string
  worker: string
}

/** Ends traffic. Expects that nothing is lost that was acknowledged. */
export async function expectNoLoss(traffic: ReturnType<typeof startTraffic>) {
  const acknowledged = Object.entries(traffic.acknowledged)
  const lost = await traffic.stop()
  for (const [path, count] of acknowledged) report(`acknowledged …/users${path}`, count)
  expect(lost).toEqual([])
}

/**
 * Starts a cluster of a coordinator and two workers with a distributed store, and the built server over it. Three
 * databases of each worker or more have a webhook and send mails. Traffic uses the first two.
 *
 * @param idle number of further databases, without users
 * @param settings further environment variables of the server
 */
export async function openStage(idle = 0, settings: Record<string, string> = {}) {
  const cluster = await startCluster()
  const [receiver, smtp] = await Promise.all([startReceiver(), startSmtp()])
  const url = await cluster.createDatabase('usher')
  const store = await open(url)
  await migrate(store)
  await distribute(store)
  await createWorkspace(store, 'acme', new Date())
  await query(url, insertIdleDatabases, [idle])
  const databases: Placed[] = []
  const on = (worker: string) => databases.filter((each) => each.worker === worker)
  const isEnough = () => cluster.workers.every((worker) => on(addressOf(worker.url)).length >= 3)
  while (!isEnough()) {
    const name = `app${databases.length}`
    const path = { workspaceSlug: 'acme', databaseName: name }
    const database = await createDatabase({ store, now: new Date() }, path, { signUpsPerHour: 0 })
    await setDatabase(store, path, { webhookUrl: receiver.url, appUrl: 'https://app.example.com' })
    databases.push({ name, worker: await workerOf(url, database.id) })
  }
  await store.close()

  const env = { DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64'), BASE_URL: '' }
  const served = {
    ...env,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'usher@example.com',
    TRUST_PROXY: '1',
    PRIVATE_WEBHOOKS: '*',
    ...settings,
  }
  const { origin, pid, stop } = await serve(served)
  return {
    cluster,
    url,
    origin,
    /** The id of the server's first process. */
    pid,
    receiver,
    smtp,
    databases,
    /** The databases of a worker. */
    databasesOf: (worker: { url: string }) => on(addressOf(worker.url)).map(({ name }) => name),
    /** Starts another server, which uses the store through this node. */
    serveThrough: (node: { url: string }) =>
      serve({ ...served, DATABASE_URL: databaseUrl(node.url, new URL(url).pathname.slice(1)) }),
    /** Traffic on two databases of each worker. */
    startTraffic: (through = origin) =>
      startTraffic(
        through,
        cluster.workers.flatMap(({ url }) =>
          on(addressOf(url))
            .slice(0, 2)
            .map(({ name }) => name),
        ),
        smtp,
      ),
    /** Waits until all messages are delivered. Expects the events of every stored user, in order, and of no other. */
    async expectEvents(accounts: readonly Account[]) {
      const left = async () => (await query(url, 'SELECT FROM usher.outbox')).length
      await expect.poll(left, { timeout: 300_000, interval: 1_000 }).toBe(0)
      const received = new Map<string, Set<string>>()
      for (const { event } of receiver.requests) {
        const { userId = '' } = event.data
        received.set(userId, (received.get(userId) ?? new Set()).add(event.type))
      }
      const eventsOf = new Map(accounts.map(({ id, events }) => [id, events]))
      const users = await query<{ id: string }>(url, 'SELECT id FROM usher."user"')
      const expected = new Map(users.map(({ id }) => [id, eventsOf.get(id) ?? signUpEvents]))
      const textOf = (id: string, types: Iterable<string> = []) => `${id}: ${[...types]}`
      const ids = [...new Set([...received.keys(), ...expected.keys()])]
      const wrong = ids.filter((id) => textOf(id, received.get(id)) !== textOf(id, expected.get(id)))
      expect(wrong.map((id) => textOf(id, received.get(id)))).toEqual([])
      const events = new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size
      report('events', events, 'arrived again', receiver.requests.length - events)
    },
    /** Runs the built command line on the store. */
    usher: (command: string, more: Record<string, string> = {}) =>
      usher(command.split(' '), { ...env, ...more }),
    /** Starts the built command line on the store. */
    startUsher: (command: string) => startUsher(command.split(' '), env),
    async close() {
      await stop()
      await Promise.all([cluster.stop(), receiver.close(), smtp.close()])
    },
  }
}

async function serve(env: Record<string, string>) {
  const port = String(await freePort())
  const more = { ...cheapHashes, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' }
  const server = startUsher(['serve'], { ...env, ...more })
  const origin = `http://127.0.0.1:${port}`
  const isUp = () => fetch(`${origin}/healthz`)
  await vi.waitFor(isUp, { timeout: 30_000 })
  return {
    origin,
    pid: server.child.pid ?? 0,
    async stop() {
      server.signal('SIGTERM')
      await server.ended
    },
  }
}

/** Their ids are of UUID version 7, as those of created databases are. */
const insertIdleDatabases = `
  INSERT INTO usher.database (id, workspace_id, name, created_at)
  SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || left(md5(n::text), 3) || '8'
      || substr(md5(n::text), 4, 15))::uuid, workspace.id, 'idle' || n, now()
  FROM usher.workspace, generate_series(1, $1::integer) AS n`

const addressOf = (url: string) => new URL(url).host

async function workerOf(url: string, databaseId: string) {
  const [row] = await query<{ worker: string }>(
    url,
    `SELECT nodename || ':' || nodeport AS worker FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('usher."user"', $1::uuid)`,
    [databaseId],
  )
  return row?.worker ?? ''
}
