import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { startPostgres } from '../../support/postgres-server.js'

// Measures the speed of imports: npm run lab -- import [USERS]. Imports a file of users with bcrypt hashes, half of them
// with a tenant, with the command line. A second run adds no users.

const users = Number(process.argv[2] ?? 100_000)
const folder = await mkdtemp(join(tmpdir(), 'usher-bench-'))
const server = await startPostgres()
const env = { DATABASE_URL: server.url, USHER_MASTER_KEY: randomBytes(32).toString('base64') }
try {
  const file = join(folder, 'users.ndjson')
  await pipeline(lines, createWriteStream(file))
  await usher('migrate')
  await usher('workspace', 'create', 'bench')
  await usher('database', 'create', 'bench/app')
  for (const run of ['first', 'again']) {
    const start = performance.now()
    const { output, peakMebibytes } = await usher('user', 'import', 'bench/app', file)
    const seconds = (performance.now() - start) / 1000
    const rate = Math.round(users / seconds)
    process.stdout.write(
      `${run}: ${seconds.toFixed(1)} s, ${rate} lines/s, peak ${peakMebibytes} MiB. ${output}`,
    )
  }
} finally {
  await server.stop()
  await rm(folder, { recursive: true })
}

function* lines() {
  const passwordHash = `$2b$10$${'abcdefghijklmnopqrstu.'.padEnd(53, 'x')}`
  for (let index = 0; index < users; index++) {
    const tenants = index % 2 === 0 ? [{ name: `Tenant ${index}` }] : undefined
    const user = { email: `user${index}@example.com`, passwordHash, preferredName: `User ${index}`, tenants }
    yield `${JSON.stringify(user)}\n`
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
