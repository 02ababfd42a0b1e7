import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, user } from '../support/postgres-server.js'

/** Returns the path of the installed PgBouncer, or an empty string. Debian installs it in /usr/sbin. */
export const findPgBouncer = () =>
  spawnSync('sh', ['-c', 'PATH="$PATH:/usr/sbin" command -v pgbouncer'], { encoding: 'utf8' }).stdout.trim()

/**
 * Starts PgBouncer in transaction mode. It has two connections per database, so that a client changes connections
 * between transactions.
 */
export async function startPgBouncer(executablePath: string, postgresUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-pgbouncer-'))
  await chmod(folder, 0o755)
  const { hostname, port, username, password } = new URL(postgresUrl)
  const login = `user=${username}${password && ` password=${password}`}`
  const listenPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const settings = `
    [databases]
    * = host=${hostname} port=${port} ${login}
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${listenPort}
    unix_socket_dir =
    auth_type = any
    pool_mode = transaction
    default_pool_size = 2
    max_client_conn = 1000
  `
  await writeFile(file, settings.replaceAll(/^ +/gm, ''))
  const server = spawn(executablePath, [file], { ...user, stdio: 'ignore' })
  const ended = once(server, 'exit')
  while (!(await isListening(listenPort))) {
    if (server.exitCode !== null) throw new Error('PgBouncer did not start')
  }
  const url = new URL(postgresUrl)
  url.port = String(listenPort)
  url.searchParams.set('pgbouncer', 'true')
  return {
    url: url.href,
    stop: async () => {
      server.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

function isListening(port: number) {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
