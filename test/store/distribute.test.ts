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
  return { output: `${code} ${stdout}${stderr.replace(/^\{.*\}\n/gm, '')}`, audited }
}
const addCitus = () => store.prisma.$executeRaw`CREATE EXTENSION citus`

/** Returns each table that Citus manages, with its distribution column (null for reference tables) and colocation group. */
const citusTables = () =>
  store.prisma.$queryRaw<{ name: string; column: string | null; group: number }[]>`
    SELECT relname AS name, partkey AS column, colocationid AS group
    FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid ORDER BY pg_dist_partition.ctid`

const constraints = () =>
  store.prisma.$queryRaw<object[]>`
    SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace = 'usher'::regnamespace ORDER BY 1, 2`

describe('store distribute', () => {
  it('store distribute creates reference tables, distributes the others by database_id and keeps all constraints', async () => {
    await migrate(store.prisma)
    await addCitus()
    const before = await constraints()
    const { output, audited } = await usher('store distribute')
    expect(output).toBe(`0 Distributed ${all.join(', ')}.\n`)
    expect(audited).toMatchObject([{ audit: 'store.distributed', tables: all }])
    expect(await citusTables()).toEqual([
      { name: 'workspace', column: null, group: 0 },
      { name: 'database', column: null, group: 0 },
      ...distributed.map((name) => ({ name, column: 'database_id', group: 1 })),
    ])
    expect(await constraints()).toEqual(before)
  })

  it('a second store distribute changes nothing', async () => {
    await migrate(store.prisma)
    await addCitus()
    expect((await usher('store distribute --json')).output).toBe(
      `0 ${JSON.stringify({ distributed: all })}\n`,
    )
    const before = await citusTables()
    const { output, audited } = await usher('store distribute')
    expect({ output, audited }).toEqual({ output: '0 The store is already distributed.\n', audited: [] })
    expect((await usher('store distribute --json')).output).toBe('0 {"distributed":[]}\n')
    expect(await citusTables()).toEqual(before)
  })

  it('a server keeps working while its store is distributed', async () => {
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

  it('store distribute that fails changes nothing', async () => {
    await migrate(store.prisma)
    await addCitus()
    await store.prisma.$executeRaw`CREATE TABLE usher.stray (id UUID PRIMARY KEY)`
    const before = await constraints()
    expect((await usher('store distribute')).output).toBe(
      '1 usher: cannot create constraint on "usher.stray"\n',
    )
    expect(await constraints()).toEqual(before)
    expect(await citusTables()).toEqual([])
  })

  it('store distribute requires Citus', async () => {
    await migrate(store.prisma)
    expect((await usher('store distribute')).output).toBe(
      '1 usher: the Postgres server has no Citus. If it is installed, run CREATE EXTENSION citus in this database\n',
    )
  })

  it('store distribute requires that all migrations are applied', async () => {
    await addCitus()
    expect((await usher('store distribute')).output).toMatch(
      /^1 usher: the store has .* pending .* Run: usher migrate\n$/,
    )
  })

  it('store distribute rejects the embedded store and creates none', async () => {
    const DATA_DIR = join(tmpdir(), 'usher-never-made')
    const { output } = await usher('store distribute', { DATA_DIR })
    expect(output).toBe(
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

  it('a migration distributes its new table in a distributed store', async () => {
    await usher('store distribute')
    expect(await run()).toEqual(['9_badge'])
    expect((await citusTables()).at(-1)).toEqual({ name: 'badge', column: 'database_id', group: 1 })
  })

  it('a migration distributes nothing in a plain store, and store distribute includes its new table', async () => {
    await run()
    expect(await citusTables()).toEqual([])
    expect((await usher('store distribute --json')).output).toContain('"badge"')
    expect(await citusTables()).toContainEqual({ name: 'badge', column: 'database_id', group: 1 })
  })

  it('store distribute distributes a table that was added later', async () => {
    await usher('store distribute')
    await store.prisma.$executeRaw`CREATE TABLE usher.late (database_id UUID PRIMARY KEY)`
    expect((await usher('store distribute')).output).toBe('0 Distributed late.\n')
  })
})
