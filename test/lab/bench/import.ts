import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createManagementClient } from '@usher/sdk/management'
import { freePort, startPostgres } from '../../support/postgres-server.js'
import { startServer } from './processes.js'

// Measures the speed of imports: npm run lab -- import [USERS]. Imports users with bcrypt hashes, half of them with a
// tenant, with the command line and over HTTP. A second run adds no users. The time of the command includes its start.

const users = Number(process.argv[2] ?? 100_000)
const folder = await mkdtemp(join(tmpdir(), 'usher-bench-'))
const server = await startPostgres()
const env = { DATABASE_URL: server.url, USHER_MASTER_KEY: randomBytes(32).toString('base64') }
try {
  const file = join(folder, 'users.ndjson')
  await pipeline(lines, createWriteStream(file))
  await usher('migrate')
  await usher('workspace', 'create', 'bench')
  for (const database of ['bench/command', 'bench/http']) await usher('database', 'create', database)
  const http = await startHttp()
  for (const run of ['first', 'again']) {
    const byCommand = await timed(() => usher('user', 'import', 'bench/command', file))
    report(
      `${run}, command`,
      byCommand,
      `peak ${byCommand.result.peakMebibytes} MiB. ${byCommand.result.output}`,
    )
    const overHttp = await timed(http.importAll)
    const ratio = (byCommand.seconds / overHttp.seconds).toFixed(2)
    report(
      `${run}, HTTP`,
      overHttp,
      `${JSON.stringify(overHttp.result)}. Rate to that of the command: ${ratio}\n`,
    )
  }
  await http.stop()
} finally {
  await server.stop()
  await rm(folder, { recursive: true })
}

async function timed<Result>(work: () => Promise<Result>) {
  const start = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - start) / 1000 }
}

function report(name: string, { seconds }: { seconds: number }, more: string) {
  const rate = Math.round(users / seconds)
  process.stdout.write(`${name}: ${seconds.toFixed(1)} s, ${rate} lines/s, ${more}`)
}

/** Starts a server, and returns a function that imports the users over HTTP. */
async function startHttp() {
  const scopes = ['users:write', 'credentials:write', 'tenants:write'].flatMap((scope) => ['--scope', scope])
  const created = await usher('api-key', 'create', 'bench/http', '--name', 'bench', ...scopes, '--json')
  const port = await freePort()
  const { stop } = await startServer(port, ['server/bin/usher.js', 'serve'], { PORT: String(port), ...env })
  const client = createManagementClient({
    baseUrl: `http://127.0.0.1:${port}`,
    workspace: 'bench',
    database: 'http',
    apiKey: JSON.parse(created.output).key,
    timeoutMs: 60_000,
  })
  return {
    stop,
    async importAll() {
      const count: Record<string, number> = {}
      for await (const { status } of client.importAllUsers(generated()))
        count[status] = (count[status] ?? 0) + 1
      return count
    },
  }
}

function* lines() {
  for (const user of generated()) yield `${JSON.stringify(user)}\n`
}

function* generated() {
  const passwordHash = `$2b$10$${'abcdefghijklmnopqrstu.'.padEnd(53, 'x')}`
  for (let index = 0; index < users; index++) {
    const tenants = index % 2 === 0 ? [{ name: `Tenant ${index}` }] : undefined
    yield { email: `user${index}@example.com`, passwordHash, preferredName: `User ${index}`, tenants }
  }
}

/** Runs the built command line, which reports its peak memory at the end. */
async function usher(...args: string[]) {
  const tellPeak = 'process.on("exit", () => process.send?.(process.resourceUsage().maxRSS))'
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(tellPeak)}`, 'server/bin/usher.js']
  const child = spawn(process.execPath, [...flags, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let output = ''
  let peakKib = 0
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  child.on('message', (kib: number) => {
    peakKib = kib
  })
  // The IPC channel must not keep the process alive.
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`usher ${args.join(' ')} exited with ${code}`)
  return { output, peakMebibytes: Math.round(peakKib / 1024) }
}
