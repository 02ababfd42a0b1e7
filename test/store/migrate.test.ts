import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate, pendingMigrations } from '../../server/store/migrate.js'
import type { OpenStore } from '../support/open-store.js'
import { openTestStore } from '../support/store.js'

const committed = new URL('../../prisma/migrations/', import.meta.url)
const names = (await readdir(committed, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort()
const sqlOf = (name: string) => readFile(new URL(`${name}/migration.sql`, committed), 'utf8')

let store: OpenStore
beforeAll(async () => {
  store = await openTestStore()
})
beforeEach(() => store.prisma.$executeRaw`DROP SCHEMA IF EXISTS usher CASCADE`)
afterAll(() => store.close())

const tables = async () =>
  (
    await store.prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'usher'`
  ).map(({ name }) => name)

const history = () =>
  store.prisma.$queryRaw<{ name: string; checksum: string }[]>`
    SELECT migration_name AS name, checksum FROM usher._prisma_migrations ORDER BY started_at, migration_name`

describe('an empty database', () => {
  it('migrate applies every migration once', async () => {
    expect(await pendingMigrations(store)).toEqual(names)
    expect(await migrate(store)).toEqual(names)
    expect(await pendingMigrations(store)).toEqual([])
    expect(await tables()).toEqual(expect.arrayContaining(['workspace', 'database', 'user']))
    expect(await migrate(store)).toEqual([])
  })

  it('two concurrent calls of migrate apply every migration once', async () => {
    const applied = await Promise.all([migrate(store), migrate(store)])
    expect(applied.flat().sort()).toEqual(names)
  })
})

describe('the migration history', () => {
  it('the migration history has the columns of Prisma', async () => {
    await migrate(store)
    const columns = await store.prisma.$queryRaw<object[]>`
      SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
      FROM information_schema.columns
      WHERE table_schema = 'usher' AND table_name = '_prisma_migrations' ORDER BY ordinal_position`
    expect(columns).toEqual([
      { name: 'id', type: 'character varying', nullable: false },
      { name: 'checksum', type: 'character varying', nullable: false },
      { name: 'finished_at', type: 'timestamp with time zone', nullable: true },
      { name: 'migration_name', type: 'character varying', nullable: false },
      { name: 'logs', type: 'text', nullable: true },
      { name: 'rolled_back_at', type: 'timestamp with time zone', nullable: true },
      { name: 'started_at', type: 'timestamp with time zone', nullable: false },
      { name: 'applied_steps_count', type: 'integer', nullable: false },
    ])
  })

  it('the migration history stores the SHA-256 of each file', async () => {
    await migrate(store)
    const expected = names.map(async (name) => ({
      name,
      checksum: createHash('sha256')
        .update(await sqlOf(name))
        .digest('hex'),
    }))
    expect(await history()).toEqual(await Promise.all(expected))
  })
})

describe('a folder of migrations', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-migrations-'))
    await write('1_first', 'CREATE TABLE usher.first (id INT);\n')
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function write(name: string, sql: string) {
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, 'migration.sql'), sql)
  }
  const run = () => migrate(store, pathToFileURL(`${folder}/`))

  it('migrate applies only new migrations, in the order of their names', async () => {
    await run()
    await write('3_third', 'ALTER TABLE usher.second ADD COLUMN other INT;\n')
    await write('2_second', '-- One; two\nCREATE TABLE usher.second (\n  id INT\n);\n\n')
    expect(await run()).toEqual(['2_second', '3_third'])
  })

  it('migrate names a migration that was changed after it was applied, and applies nothing', async () => {
    await run()
    await write('1_first', 'CREATE TABLE usher.first (id BIGINT);\n')
    await write('2_second', 'CREATE TABLE usher.second (id INT);\n')
    await expect(run()).rejects.toThrow(/migration 1_first was changed after it had been applied/)
    expect(await tables()).not.toContain('second')
  })

  it('migrate rolls back a migration that fails, and names it', async () => {
    await write('2_half', 'CREATE TABLE usher.half (id INT);\nINSERT INTO usher.nowhere VALUES (1);\n')
    await expect(run()).rejects.toThrow(/migration 2_half failed and was rolled back: .*nowhere/s)
    expect((await tables()).sort()).toEqual(['_prisma_migrations', 'first'])
    expect(await history()).toMatchObject([{ name: '1_first' }])

    await write('2_half', 'CREATE TABLE usher.half (id INT);\n')
    expect(await run()).toEqual(['2_half'])
  })
})
