import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashSync } from '@node-rs/argon2'
import { Client } from 'pg'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { findInstalledPostgres } from '../../support/installed-postgres.js'
import { openPostgres } from '../../support/open-store.js'
import { createCluster, freePort, startPostgres } from '../../support/postgres-server.js'
import { median, percentile, table } from '../bench/figures.js'
import { closedLoop, requestBytes } from '../bench/load.js'
import { startServer } from '../bench/processes.js'

// Measures one Postgres with many users and one with few: npm run lab -- size [USERS]. The statements are measured
// with the cheapest hashes, because the cost of a password does not depend on the number of users.

const many = Number(process.argv[2] ?? 10_000_000)
const few = 100_000
const rounds = 5
const seconds = 4
const distinctTokens = 20_000
const password = 'correct horse battery'
const settings = {
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
}

const folder = await mkdtemp(join(tmpdir(), 'usher-size-'))
const tools = findInstalledPostgres()
const empty = await createCluster(folder, tools)
const toStop: (() => Promise<void>)[] = []
try {
  const stages = { few: await openStage(few), many: await openStage(many) }
  await measureRates(stages)
  await maintain(stages.many.url)
} finally {
  for (const stop of toStop.toReversed()) await stop()
  await rm(folder, { recursive: true })
}

/** Starts Postgres with this number of users, each with the rows of {@link generate}, and a server on it. */
async function openStage(users: number) {
  const postgres = await startPostgres(settings, folder, empty)
  toStop.push(postgres.stop)
  const masterKey = randomBytes(32)
  const store = await openPostgres(postgres.url, masterKey, { statementMilliseconds: 0 })
  await migrate(store)
  await createWorkspace(store, 'acme', new Date())
  const path = { workspaceSlug: 'acme', databaseName: 'app' }
  const { id } = await createDatabase({ store, now: new Date() }, path, {})
  await store.close()
  const startedAt = performance.now()
  await generate(postgres.url, id, users)
  say(`${users} users generated in ${secondsSince(startedAt)} s`)
  if (users === many) await reportSizes(postgres.url)
  const port = await freePort()
  const server = await startServer(port, ['server/bin/usher.js', 'serve'], {
    ...cheapHashes,
    DATABASE_URL: postgres.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    PORT: String(port),
    WORKERS: '1',
  })
  toStop.push(server.stop)
  return { url: postgres.url, port, users, next: 0, tokens: [] as string[] }
}

type Stage = Awaited<ReturnType<typeof openStage>>

/**
 * Inserts users in the order of rising ids (UUID version 7), as sign-ups would, by batches of 100,000. Each has a tenant
 * of its own, one session and one known network.
 */
async function generate(url: string, databaseId: string, users: number) {
  const hash = hashSync(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  const idOf = (number: string, kind: string) =>
    `(lpad(to_hex(1700000000000 + ${number}), 12, '0') || '7' || left(md5('${kind}' || ${number}), 3)
      || '8' || substr(md5('${kind}' || ${number}), 4, 15))::uuid`
  await onServer(url, async (client) => {
    // Does not check foreign keys, which the rows fulfil.
    await client.query('SET session_replication_role = replica')
    await client.query('SET synchronous_commit = off')
    for (let first = 0; first < users; first += 100_000) {
      const numbers = `generate_series(${first}, ${Math.min(first + 100_000, users) - 1}) AS n`
      await client.query(`
        INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at)
        SELECT '${databaseId}', ${idOf('n', 'user')}, address, address, '${hash}', 'User ' || n, now()
        FROM ${numbers}, md5(n::text) AS random, concat(left(random, 8), '.', n, '@example.com') AS address`)
      await client.query(`
        INSERT INTO usher.tenant (database_id, id, name, created_at)
        SELECT '${databaseId}', ${idOf('n', 'tenant')}, 'Tenant ' || n, now() FROM ${numbers}`)
      await client.query(`
        INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
        SELECT '${databaseId}', ${idOf('n', 'user')}, ${idOf('n', 'tenant')}, now() FROM ${numbers}`)
      await client.query(`
        INSERT INTO usher.session (database_id, id, user_id, generation, created_at, proven_at, refreshed_at, expires_at)
        SELECT '${databaseId}', md5('session' || n)::uuid, ${idOf('n', 'user')}, 0, now(), now(), now(),
          now() + interval '14 days' + n * interval '1 millisecond'
        FROM ${numbers}`)
      await client.query(`
        INSERT INTO usher.known_network (database_id, user_id, network, last_login_at)
        SELECT '${databaseId}', ${idOf('n', 'user')}, sha256(n::text::bytea), now() FROM ${numbers}`)
    }
    await client.query('ANALYZE')
    await client.query('CHECKPOINT')
  })
}

async function reportSizes(url: string) {
  const rows = await onServer(url, async (client) => {
    const { rows } = await client.query<{ name: string; own: number; indexes: number }>(`
      SELECT relname AS name, pg_table_size(oid)::float AS own, pg_indexes_size(oid)::float AS indexes FROM pg_class
      WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r'
        AND relname IN ('user', 'tenant', 'membership', 'session', 'known_network')
      ORDER BY 1`)
    return rows
  })
  const total = (column: 'own' | 'indexes') => rows.reduce((sum, row) => sum + row[column], 0)
  const all = { name: 'together', own: total('own'), indexes: total('indexes') }
  const figures = [...rows, all].map(({ name, own, indexes }) => [
    name,
    own / 2 ** 20,
    indexes / 2 ** 20,
    own / many,
    indexes / many,
  ])
  say(table(['table', 'MiB', 'indexes MiB', 'bytes per row', 'index bytes per row'], figures))
}

async function measureRates(stages: { few: Stage; many: Stage }) {
  for (const stage of Object.values(stages)) await signIn(stage)
  const operations = {
    'sign-up': signUp,
    login,
    me: (stage: Stage) => stage.tokens[stage.next++ % distinctTokens] ?? '',
  }
  const rows: (string | number)[][] = []
  for (const [name, next] of Object.entries(operations)) {
    const turns = { few: [] as number[][], many: [] as number[][] }
    for (let round = 0; round < rounds; round++) {
      for (const [size, stage] of Object.entries(stages) as [keyof typeof stages, Stage][]) {
        const { latencies, failed, seconds: took } = await closedLoop(stage.port, seconds, () => next(stage))
        const good = latencies.get(name === 'sign-up' ? 201 : 200) ?? []
        const others = [...latencies.values()].flat().length - good.length + failed
        if (others > 0) throw new Error(`${others} requests of ${name} failed with ${size} users`)
        turns[size].push([good.length / took, percentile(good, 0.5), percentile(good, 0.99)])
      }
    }
    const of = (size: keyof typeof turns, column: number) =>
      median(turns[size].map((turn) => turn[column] ?? 0))
    const ratio = median(turns.many.map(([rate = 0], round) => rate / (turns.few[round]?.[0] ?? 0)))
    for (const size of ['few', 'many'] as const) {
      const figures = [0, 1, 2].map((column) => of(size, column))
      rows.push([`${name}, ${stages[size].users} users`, ...figures, size === 'many' ? ratio : ''])
    }
  }
  say(table(['', 'requests/s', 'p50 ms', 'p99 ms', 'rate to that of few'], rows))
}

/** Logs in as distinct random users, so that `me` reads rows all over the table. */
async function signIn(stage: Stage) {
  const origin = `http://127.0.0.1:${stage.port}/workspaces/acme/databases/app/users/login`
  const one = async () => {
    const body = JSON.stringify({ email: emailOf(Math.floor(Math.random() * stage.users)), password })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(origin, { method: 'POST', headers, body })
    const text = await response.text()
    // The first logins after the tables were filled may find the store too slow.
    if (response.status === 503) return
    if (response.status !== 200) throw new Error(`login returned ${response.status}: ${text}`)
    const { token } = JSON.parse(text) as { token: { jwt: string } }
    stage.tokens.push(requestBytes('GET', '/workspaces/acme/databases/app/users/me', { token: token.jwt }))
  }
  while (stage.tokens.length < distinctTokens) await Promise.all(Array.from({ length: 8 }, one))
}

function signUp() {
  const body = { email: `${randomBytes(9).toString('hex')}@example.com`, password, newTenant: 'Engines' }
  return requestBytes('POST', '/workspaces/acme/databases/app/users', { body })
}

function login(stage: Stage) {
  const body = { email: emailOf(Math.floor(Math.random() * stage.users)), password }
  return requestBytes('POST', '/workspaces/acme/databases/app/users/login', { body })
}

/** Must be the address that `generate` gives to this user. */
function emailOf(number: number) {
  const random = createHash('md5').update(String(number)).digest('hex')
  return `${random.slice(0, 8)}.${number}@example.com`
}

async function maintain(url: string) {
  await onServer(url, async (client) => {
    const time = async (text: string) => {
      const startedAt = performance.now()
      await client.query(text)
      say(`${text}: ${secondsSince(startedAt)} s`)
    }
    await time('UPDATE usher."user" SET preferred_name = NULL WHERE get_byte(uuid_send(id), 15) < 26')
    await time('VACUUM usher."user"')
    await time('VACUUM ANALYZE usher.membership')
  })
  if (!tools) return say('No pg_dump is installed: backup not measured.')
  const file = join(folder, 'dump')
  const startedAt = performance.now()
  await promisify(execFile)(join(tools, 'pg_dump'), ['-Fc', '-Z1', '-f', file, url])
  say(`pg_dump -Fc -Z1: ${secondsSince(startedAt)} s, ${Math.round((await stat(file)).size / 2 ** 20)} MiB`)
}

async function onServer<T>(url: string, use: (client: Client) => Promise<T>) {
  const client = new Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function secondsSince(startedAt: number) {
  return ((performance.now() - startedAt) / 1000).toFixed(1)
}

function say(text: string) {
  process.stdout.write(`${text}\n\n`)
}
