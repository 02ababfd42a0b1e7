import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { openPostgres } from '../../server/store/postgres.js'
import type { Store } from '../../server/store/store.js'
import { startApp } from '../support/app.js'
import { runUsher } from '../support/command-line.js'
import { databaseUrl } from '../support/postgres-server.js'
import { startStandInCitus } from '../support/stand-in-citus.js'

const masterKey = Buffer.alloc(32, 7)
const open = (url: string) => openPostgres(url, masterKey, () => undefined)
const distributed = ['user', 'idempotency_key', 'login_failures', 'membership', 'signing_key', 'tenant']
const all = ['workspace', 'database', ...distributed]

let server: Awaited<ReturnType<typeof startStandInCitus>>
let admin: Store
let store: Store
let env: Record<string, string>
let count = 0

beforeAll(async () => {
  server = await startStandInCitus()
  admin = open(server.url)
})
afterAll(async () => {
  await admin.close()
  await server.stop()
})
beforeEach(async () => {
  const name = `distribute_${++count}`
  await admin.prisma.$executeRawUnsafe(`CREATE DATABASE ${name}`)
  const url = databaseUrl(server.url, name)
  env = { DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64') }
  store = open(url)
})
afterEach(() => store.close())

const usher = async (command: string, settings = env) => {
  const { code, stdout, stderr, audited } = await runUsher(command.split(' '), { BASE_URL: '', ...settings })
  return { said: `${code} ${stdout}${stderr.replace(/^\{.*\}\n/gm, '')}`, audited }
}
const addCitus = () => store.prisma.$executeRaw`CREATE EXTENSION citus`

/** What Citus has on record: for each table its kind, its column and with which others its rows rest. */
const onRecord = () =>
  store.prisma.$queryRaw<{ name: string; column: string | null; group: number }[]>`
    SELECT relname AS name, partkey AS column, colocationid AS group
    FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid ORDER BY pg_dist_partition.ctid`

const constraints = () =>
  store.prisma.$queryRaw<object[]>`
    SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace = 'usher'::regnamespace ORDER BY 1, 2`

describe('usher store distribute', () => {
  it('makes small tables reference tables, distributes all others by database_id, and keeps every key', async () => {
    await migrate(store.prisma)
    await addCitus()
    const before = await constraints()
    const { said, audited } = await usher('store distribute')
    expect(said).toBe(`0 Distributed ${all.join(', ')}.\n`)
    expect(audited).toMatchObject([{ audit: 'store.distributed', tables: all }])
    expect(await onRecord()).toEqual([
      { name: 'workspace', column: null, group: 0 },
      { name: 'database', column: null, group: 0 },
      ...distributed.map((name) => ({ name, column: 'database_id', group: 1 })),
    ])
    expect(await constraints()).toEqual(before)
  })

  it('changes nothing twice', async () => {
    await migrate(store.prisma)
    await addCitus()
    expect((await usher('store distribute --json')).said).toBe(`0 ${JSON.stringify({ distributed: all })}\n`)
    const before = await onRecord()
    const { said, audited } = await usher('store distribute')
    expect({ said, audited }).toEqual({ said: '0 The store is already distributed.\n', audited: [] })
    expect((await usher('store distribute --json')).said).toBe('0 {"distributed":[]}\n')
    expect(await onRecord()).toEqual(before)
  })

  it('distributes a store that is in use, which goes on working', async () => {
    await migrate(store.prisma)
    const api = await startApp(store)
    const database = await api.newDatabase()
    const before = await database.signedUp({ newTenant: 'Engines' })
    await addCitus()
    await usher('store distribute')
    expect((await database.me(before.token.jwt)).json()).toMatchObject({ tenants: before.tenants })
    expect((await database.signedUp({ newTenant: 'Engines' })).tenants).toHaveLength(1)
    await api.close()
  })

  it('does all of it or nothing', async () => {
    await migrate(store.prisma)
    await addCitus()
    await store.prisma.$executeRaw`CREATE TABLE usher.stray (id UUID PRIMARY KEY)`
    const before = await constraints()
    expect((await usher('store distribute')).said).toBe(
      '1 usher: cannot create constraint on "usher.stray"\n',
    )
    expect(await constraints()).toEqual(before)
    expect(await onRecord()).toEqual([])
  })

  it('refuses a server without Citus', async () => {
    await migrate(store.prisma)
    expect((await usher('store distribute')).said).toBe(
      '1 usher: the Postgres server has no Citus. If it is installed, run CREATE EXTENSION citus in this database\n',
    )
  })

  it('refuses a store that lacks migrations', async () => {
    await addCitus()
    expect((await usher('store distribute')).said).toMatch(
      /^1 usher: the store has .* pending .* Run: usher migrate\n$/,
    )
  })

  it('refuses the embedded store, and makes none', async () => {
    const DATA_DIR = join(tmpdir(), 'usher-never-made')
    const { said } = await usher('store distribute', { DATA_DIR })
    expect(said).toBe(
      '2 usher: DATABASE_URL must point to a Citus server. The embedded store cannot be distributed\n',
    )
    await expect(rm(DATA_DIR, { recursive: true })).rejects.toThrow('ENOENT')
  })
})

describe('a migration that adds a table', () => {
  let folder: string
  beforeEach(async () => {
    await migrate(store.prisma)
    await addCitus()
    folder = await mkdtemp(join(tmpdir(), 'usher-migrations-'))
    await mkdir(join(folder, '9_badge'))
    await writeFile(
      join(folder, '9_badge', 'migration.sql'),
      `-- CreateTable
CREATE TABLE "usher"."badge" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "badge_pkey" PRIMARY KEY ("database_id","user_id")
);

-- AddForeignKey
ALTER TABLE "usher"."badge" ADD CONSTRAINT "badge_user" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
`,
    )
  })
  afterEach(() => rm(folder, { recursive: true }))
  const run = () => migrate(store.prisma, pathToFileURL(`${folder}/`))

  it('distributes it with the others in a distributed store', async () => {
    await usher('store distribute')
    expect(await run()).toEqual(['9_badge'])
    expect((await onRecord()).at(-1)).toEqual({ name: 'badge', column: 'database_id', group: 1 })
  })

  it('leaves a plain store plain, and the table is distributed with the others later', async () => {
    await run()
    expect(await onRecord()).toEqual([])
    expect((await usher('store distribute --json')).said).toContain('"badge"')
    expect(await onRecord()).toContainEqual({ name: 'badge', column: 'database_id', group: 1 })
  })

  it('is caught up with where it was added without being distributed', async () => {
    await usher('store distribute')
    await store.prisma.$executeRaw`CREATE TABLE usher.late (database_id UUID PRIMARY KEY)`
    expect((await usher('store distribute')).said).toBe('0 Distributed late.\n')
  })
})
