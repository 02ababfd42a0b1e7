import { vi } from 'vitest'
import { createDatabase } from '../../../server/domain/admin/databases.js'
import { createWorkspace } from '../../../server/domain/admin/workspaces.js'
import { distribute } from '../../../server/store/citus/distribute.js'
import { migrate } from '../../../server/store/migrate.js'
import { openPostgres } from '../../../server/store/postgres.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { startUsher, usher } from '../../support/child.js'
import { query } from '../../support/citus.js'
import { startCluster } from '../../support/citus-cluster.js'
import { databaseUrl, freePort } from '../../support/postgres-server.js'
import { startTraffic } from './traffic.js'

export const masterKey = Buffer.alloc(32, 7)

/** Opens a store on a cluster. */
export const open = (url: string) => openPostgres(url, masterKey, () => undefined)

/** Prints a row of figures. */
export const report = (...cells: unknown[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** A database of the store, and the worker that has its rows. */
interface Placed {
  name: string
  worker: string
}

/**
 * Starts a cluster of a coordinator and two workers with a distributed store, the built server over it, and traffic
 * on two databases of each worker.
 */
export async function openStage() {
  const cluster = await startCluster()
  const url = await cluster.createDatabase('usher')
  const store = open(url)
  await migrate(store.prisma)
  await distribute(store.prisma)
  await createWorkspace(store, 'acme', new Date())
  const databases: Placed[] = []
  const on = (worker: string) => databases.filter((each) => each.worker === worker)
  const isEnough = () => cluster.workers.every((worker) => on(addressOf(worker.url)).length >= 2)
  while (!isEnough()) {
    const name = `app${databases.length}`
    const { id } = await createDatabase(store, { workspaceSlug: 'acme', databaseName: name }, {}, new Date())
    databases.push({ name, worker: await workerOf(url, id) })
  }
  await store.close()

  const env = { DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64'), BASE_URL: '' }
  const { origin, stop } = await serve(env)
  return {
    cluster,
    url,
    databases,
    /** The databases of a worker. */
    databasesOf: (worker: { url: string }) => on(addressOf(worker.url)).map(({ name }) => name),
    /** Starts another server, which uses the store through this node. */
    serveThrough: (node: { url: string }) =>
      serve({ ...env, DATABASE_URL: databaseUrl(node.url, new URL(url).pathname.slice(1)) }),
    /** Traffic on two databases of each worker. */
    startTraffic: () =>
      startTraffic(
        origin,
        cluster.workers.flatMap(({ url }) =>
          on(addressOf(url))
            .slice(0, 2)
            .map(({ name }) => name),
        ),
      ),
    /** Runs the built command line on the store. */
    usher: (command: string, more: Record<string, string> = {}) =>
      usher(command.split(' '), { ...env, ...more }),
    async close() {
      await stop()
      await cluster.stop()
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
    async stop() {
      server.signal('SIGTERM')
      await server.ended
    },
  }
}

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
