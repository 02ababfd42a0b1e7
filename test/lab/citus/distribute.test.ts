import { rm } from 'node:fs/promises'
import { Scope } from '@usher/contract/management'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { migrate } from '../../../server/store/migrate.js'
import { password, startApp, type TestApi, type TestDatabase, validUser } from '../../support/app.js'
import { createCitusDatabase, query } from '../../support/citus.js'
import { runUsher } from '../../support/command-line.js'
import { newVerifier } from '../../support/login-mail.js'
import { createMigration } from '../../support/migration.js'
import type { OpenStore } from '../../support/open-store.js'
import { createApiKey, setDatabase } from '../../support/operator-changes.js'
import { databaseUrl } from '../../support/postgres-server.js'
import { startReceiver } from '../../support/receiver.js'
import { codeIn, type ReceivedMail, startSmtp } from '../../support/smtp.js'
import { type CitusCluster, startCluster } from './cluster.js'
import { masterKey, open, report } from './stage.js'

const reference = ['workspace', 'database', '_prisma_migrations']

let cluster: CitusCluster
let url: string
let store: OpenStore
let count = 0

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())
beforeEach(async () => {
  url = await cluster.createDatabase(`distribute_${++count}`)
  store = await open(url)
})
afterEach(() => store.close())

const usher = async (command: string, at = url) => {
  const env = { DATABASE_URL: at, USHER_MASTER_KEY: masterKey.toString('base64'), BASE_URL: '' }
  const { code, stdout, stderr, audited } = await runUsher(command.split(' '), env)
  return { said: `${code} ${stdout}${stderr.replace(/^\{.*\}\n/gm, '')}`, audited }
}

/** Each table with its column and the group of tables that rest with it; null for a reference table. */
const placed = () =>
  query<{ name: string; column: string | null; group: number }>(
    url,
    `SELECT relname AS name, column_to_column_name(logicalrelid, partkey) AS column, colocationid AS group
    FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid ORDER BY relname`,
  )

/** Matches tables and constraints that are not of a shard. */
const isOfNoShard = (table: string) =>
  `NOT EXISTS (SELECT FROM pg_dist_shard WHERE ${table} = to_regclass(shard_name(logicalrelid, shardid)))`

/** The names of all tables. */
async function tableNames() {
  const names = await query<{ name: string }>(
    url,
    `SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'usher'::regnamespace AND ${isOfNoShard('oid')} ORDER BY 1`,
  )
  return names.map(({ name }) => name)
}

/** What {@link placed} returns of each table of a distributed store. */
const places = async () =>
  (await tableNames()).map((name) => [name, reference.includes(name) ? null : 'database_id'])

/** The rows of each table as text. */
async function rows(): Promise<Record<string, string[]>> {
  const entries = (await tableNames()).map(async (table) => {
    const found = await query(url, `SELECT * FROM usher."${table}"`)
    return [table, found.map((row) => JSON.stringify(row)).sort()] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

const constraints = () =>
  query(
    url,
    `SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace = 'usher'::regnamespace AND ${isOfNoShard('conrelid')}
    ORDER BY 1, 2`,
  )

/** Stores rows of the tables that sign-ups, sessions and mails do not write. */
async function fillOtherTables(api: TestApi, database: TestDatabase, token: string) {
  const { id, email } = (await database.me(token)).json()
  const now = new Date(api.clock.now)
  const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 3600 }
  const { key } = await createApiKey({ store: api.store, now }, database, described)
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'once' }
  const root = database.users.replace(/users$/, 'management')
  const statuses = [
    await api.send({
      method: 'POST',
      url: `${root}/users/${id}/codes`,
      headers,
      payload: { purpose: 'email_verification', deliver: 'return' },
    }),
    await api.send({
      method: 'PATCH',
      url: `${root}/mail-settings`,
      headers,
      payload: {
        mailTemplates: [{ name: 'email_changed', locale: 'fi', text: 'Subject: Hei\n\n{{email}}' }],
      },
    }),
    await api.send({
      method: 'POST',
      url: `${database.users}/login/code`,
      payload: { email, challenge: newVerifier().challenge },
    }),
    await api.send({ method: 'GET', url: `${root}/events`, headers }),
    await api.send({ method: 'GET', url: `${root}/revocations`, headers }),
  ].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([201, 200, 202, 200, 200])
  for (const statement of [
    'INSERT INTO usher.sweep (database_id, started_at) VALUES ($1, now())',
    `INSERT INTO usher.invitation (database_id, id, tenant_id, email, email_key, role, code_id, created_at, expires_at)
    SELECT database_id, gen_random_uuid(), id, 'grace@example.com', 'grace@example.com', 'member', gen_random_uuid(),
      now(), now() FROM usher.tenant WHERE database_id = $1`,
    `INSERT INTO usher.revocation (database_id, id, payload, created_at)
    SELECT database_id, gen_random_uuid(), json_build_object('type', 'tenant-deleted', 'tenantId', id), now()
    FROM usher.tenant WHERE database_id = $1`,
  ])
    await query(url, statement, [database.id])
}

describe('usher store distribute', () => {
  it('distributes all tables by database_id, colocated, and keeps every key', async () => {
    await migrate(store)
    const before = await constraints()
    const all = [...new Set([...reference, 'user', ...(await tableNames())])]
    const { said, audited } = await usher('store distribute')
    expect(said).toBe(`0 Distributed ${all.join(', ')}.\n`)
    expect(audited).toMatchObject([{ audit: 'store.distributed', tables: all }])
    const tables = await placed()
    expect(tables.map(({ name, column }) => [name, column])).toEqual(await places())
    expect(new Set(tables.filter(({ column }) => column).map(({ group }) => group)).size).toBe(1)
    expect(await constraints()).toEqual(before)
    expect((await usher('store distribute')).said).toMatch(/^0 .*already.*\n$/)
  })

  it('distributes 300,000 users, keeps them, and leaves no row on the coordinator', async () => {
    await migrate(store)
    const api = await startApp(store)
    const database = await api.newDatabase()
    const { token } = await database.signedUp({ newTenant: 'Engines' })
    await query(
      url,
      `INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
      SELECT $1::uuid, gen_random_uuid(), n || '@example.com', n || '@example.com', '$argon2id$' || md5(n::text), now()
      FROM generate_series(1, 300000) AS n`,
      [database.id],
    )
    const start = performance.now()
    expect((await usher('store distribute')).said).toMatch(/^0 Distributed/)
    report('distributing 300,000 users', `${((performance.now() - start) / 1000).toFixed(1)} s`)
    expect(await store.prisma.user.count({ where: { databaseId: database.id } })).toBe(300_001)
    expect((await database.me(token.jwt)).statusCode).toBe(200)
    const local = await query<{ name: string; bytes: string }>(
      url,
      `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
      WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r'`,
    )
    expect(local.filter(({ bytes }) => Number(bytes) > 0)).toEqual([])
    await api.close()
  })

  it('keeps the rows of every table, and what was given to users before', async () => {
    await migrate(store)
    const [receiver, smtp] = await Promise.all([startReceiver(), startSmtp()])
    const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'usher@example.com' }
    const before = await startApp(store, settings)
    const database = await before.newDatabase()
    const appUrl = 'https://app.example.com'
    const { url: webhookUrl } = receiver
    await setDatabase(store, database, { webhookUrl, appUrl, eventsKept: 7, loginMail: 'both' })
    receiver.answer = (response) => response.writeHead(500).end()
    const user = validUser({ newTenant: 'Engines' })
    const { email } = user
    await before.send({
      method: 'POST',
      url: database.users,
      payload: user,
      headers: { 'idempotency-key': 'once' },
    })
    const { token } = (await database.login({ email, password })).json()
    const { refreshToken } = (await database.openSession(token.jwt)).json()
    await database.as('', 'POST', 'password-reset', { email })
    // The mail is delivered and its message deleted; the first event of the user waits for its next attempt.
    await vi.waitFor(async () => {
      const messages = await store.prisma.message.findMany({ orderBy: { id: 'asc' } })
      expect(messages.map(({ kind, lastError }) => [kind, lastError])).toEqual([
        ['webhook', 'status 500'],
        ['webhook', null],
        ['webhook', null],
      ])
    }, 15_000)
    await fillOtherTables(before, database, token.jwt)
    // Of failures before a success there is no row left.
    await database.login({ email, password: 'wrong password' })
    await before.close()
    const stored = await rows()
    const empty = Object.keys(stored).filter((table) => stored[table]?.length === 0)
    expect(empty, 'Store a row of each of these tables before, in fillOtherTables').toEqual([])

    expect((await usher('store distribute')).said).toMatch(/^0 Distributed/)
    expect(await rows()).toEqual(stored)
    const distributedStore = await open(url)
    const after = await startApp(distributedStore, settings)
    const { login, refresh, as } = after.client(database.workspaceSlug, database.databaseName)
    const statuses = [
      await login({ email, password }),
      await refresh(refreshToken.value),
      await as('', 'POST', 'password-reset/confirm', {
        code: codeIn(smtp.mails[0] as ReceivedMail),
        newPassword: 'four random common words',
      }),
    ].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([200, 200, 200])
    receiver.requests.splice(0)
    receiver.answer = (response) => response.writeHead(204).end()
    after.clock.now += 60_000
    after.context.deliver([{ databaseId: database.id }])
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(6), 15_000)
    expect(receiver.requests.map(({ event }) => event.type)).toEqual([
      'user.created',
      'tenant.created',
      'tenant.user_added',
      'user.password_changed',
      'user.reclaimed',
      'user.email_verified',
    ])
    await after.close()
    await Promise.all([distributedStore.close(), receiver.close(), smtp.close()])
  })

  it('does all of it or nothing', async () => {
    await migrate(store)
    await store.prisma.$executeRaw`CREATE TABLE usher.stray (id UUID PRIMARY KEY)`
    const before = await constraints()
    expect((await usher('store distribute')).said).toMatch(/^1 usher: /)
    expect(await constraints()).toEqual(before)
    expect(await placed()).toEqual([])
  })

  it('works for a role that is not superuser', async () => {
    const role = `operator_${count}`
    const { pathname } = new URL(url)
    await query(url, `CREATE ROLE ${role} LOGIN`)
    await query(url, `GRANT CREATE ON DATABASE ${pathname.slice(1)} TO ${role}`)
    const own = url.replace('postgres@', `${role}@`)
    expect((await usher('migrate', own)).said).toMatch(/^0 /)
    expect((await usher('store distribute', own)).said).toMatch(/^0 Distributed/)
    expect((await usher('workspace create acme', own)).said).toMatch(/^0 /)
    expect((await usher('database create acme/app', own)).said).toMatch(/^0 /)
  })

  it('refuses a cluster without workers, with the commands that add them', async () => {
    const alone = await createCitusDatabase([cluster.coordinator.url], `alone_${count}`)
    const other = await open(alone)
    await migrate(other)
    await other.close()
    const { said } = await usher('store distribute', alone)
    expect(said).toMatch(
      /^1 usher: the cluster has no workers.*CREATE EXTENSION citus.*citus_set_coordinator_host.*citus_add_node/s,
    )
  })

  it('names a worker that lacks the extension', async () => {
    await migrate(store)
    const [worker] = cluster.workers
    const { host } = new URL(worker?.url ?? '')
    const there = databaseUrl(worker?.url ?? '', new URL(url).pathname.slice(1))
    await query(there, 'DROP EXTENSION citus CASCADE')
    expect((await usher('store distribute')).said).toBe(
      `1 usher: workers cannot be used:\n${host}: CREATE EXTENSION citus is missing\n`,
    )
  })
})

describe('a migration of a distributed store', () => {
  const badge = `CREATE TABLE "usher"."badge" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "badge_pkey" PRIMARY KEY ("database_id","user_id")
);

ALTER TABLE "usher"."badge" ADD CONSTRAINT "badge_user" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
`
  it('distributes the tables that it adds', async () => {
    await migrate(store)
    await usher('store distribute')
    const folder = await createMigration('9_badge', badge)
    expect(await migrate(store, folder)).toEqual(['9_badge'])
    await rm(folder, { recursive: true })
    expect(await placed()).toContainEqual({ name: 'badge', column: 'database_id', group: expect.any(Number) })
  })
})

it('keys are rotated, retired and re-encrypted', async () => {
  await migrate(store)
  await usher('store distribute')
  await usher('workspace create acme')
  for (const name of ['one', 'two', 'three', 'four']) await usher(`database create acme/${name}`)
  expect((await usher('database set acme/one --token-max-age 120')).said).toMatch(/^0 /)
  expect((await usher('keys rotate acme/one --activate-in 0')).said).toMatch(/^0 /)
  const [, retired] = await store.prisma.signingKey.findMany({ orderBy: { activatesAt: 'desc' } })
  const row = await store.prisma.database.findFirst({ where: { name: 'one' } })
  const [, old] = await store.prisma.signingKey.findMany({
    where: { databaseId: row?.id ?? '' },
    orderBy: { activatesAt: 'desc' },
  })
  expect(retired).toBeDefined()
  expect((await usher(`keys retire acme/one ${old?.kid}`)).said).toMatch(/^0 /)
  const next = Buffer.alloc(32, 8).toString('base64')
  const env = { DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64'), BASE_URL: '' }
  const rewrapped = await runUsher(['keys', 'rewrap', '--json'], { ...env, USHER_NEW_MASTER_KEY: next })
  expect(rewrapped).toMatchObject({ code: 0, stdout: '{"rewrapped":5}\n' })
  const listed = await runUsher(['database', 'list', '--json'], { ...env, USHER_MASTER_KEY: next })
  expect(JSON.parse(listed.stdout).databases).toHaveLength(4)
  expect((await usher('database delete acme/four --yes')).said).toMatch(/^1 usher: .*USHER_MASTER_KEY/)
})
