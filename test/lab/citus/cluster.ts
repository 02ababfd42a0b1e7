import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCitusDatabase } from '../../support/citus.js'
import { findCitus } from '../../support/installed-postgres.js'
import { createCluster, type PostgresServer, startPostgres } from '../../support/postgres-server.js'

/** Shards are moved by logical replication. The nodes have no certificates. Each database has a process on a node. */
const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=prefer',
  max_connections: '300',
  max_worker_processes: '64',
}

/** Starts one Postgres server with Citus. @throws without one on this machine */
export async function startNode(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-citus-'))
  try {
    return await startPostgres(settings, undefined, await createCluster(folder, requireCitus()))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function requireCitus() {
  const bin = findCitus()
  if (!bin) throw new Error('PG_CONFIG names no Postgres that has Citus')
  return bin
}

/** A Citus cluster on this machine: a coordinator, and workers on free loopback ports. */
export type CitusCluster = Awaited<ReturnType<typeof startCluster>>

/** Starts a coordinator and workers. */
export async function startCluster(workerCount = 2) {
  const coordinator = await startNode()
  const workers: PostgresServer[] = []
  for (let count = 0; count < workerCount; count++) workers.push(await startNode())
  return {
    coordinator,
    workers,

    /** Creates a database on every node and returns its URL on the coordinator. */
    createDatabase: (name: string) =>
      createCitusDatabase(
        [coordinator, ...workers].map(({ url }) => url),
        name,
      ),

    /** Stops the nodes and deletes their files. */
    async stop() {
      for (const node of [coordinator, ...workers]) await node.stop()
    },
  }
}

const run = promisify(execFile)

/** Freezes a server with all its processes, which then hold their connections but do not respond. Not on Windows. */
export async function freeze(server: PostgresServer) {
  const pids = await familyOf(server.pid())
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const children = (parent: number): number[] =>
    processes.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...children(child)])
  return [pid, ...children(pid)]
}
