import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { migrate, pendingMigrations } from '../../server/store/migrate.js'
import { createMigration } from '../support/migration.js'
import { type OpenStore, openPostgres } from '../support/open-store.js'
import { createPostgresDatabase } from '../support/store.js'

let database: Awaited<ReturnType<typeof createPostgresDatabase>>
const stores: OpenStore[] = []
const open = async () => {
  const store = await openPostgres(database.url, randomBytes(32))
  stores.push(store)
  return store
}

beforeEach(async () => {
  database = await createPostgresDatabase('template0')
})
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()))
  await database.drop()
})

/** Migrates the store. Returns two connections to it, and the folder of a next migration. */
async function migratedBefore(sql: string) {
  const [one, other] = [await open(), await open()]
  await migrate(one)
  const next = await createMigration('1_next', sql)
  onTestFinished(() => rm(next, { recursive: true }))
  return { one, other, next }
}

/** Runs work while a table is read, as by a backup. */
const duringBackup = ({ prisma }: OpenStore, work: () => Promise<unknown>) =>
  prisma.$transaction(
    async (backup) => {
      await backup.$executeRaw`LOCK TABLE usher."user" IN ACCESS SHARE MODE`
      await work()
    },
    { timeout: 20_000 },
  )

it('two processes that migrate in parallel apply each migration once', async () => {
  const [one, two, watching] = [await open(), await open(), await open()]
  const other = watching.prisma
  const names = await pendingMigrations(watching)
  let migrating: Promise<string[][]> | undefined
  await other
    .$transaction(async (transaction) => {
      // Blocks the first migration, so that the second has to wait for its lock.
      await transaction.$executeRaw`CREATE SCHEMA usher`
      migrating = Promise.all([migrate(one), migrate(two)])
      await vi.waitFor(async () => expect(await waiting(transaction)).toBe(1), { timeout: 10_000 })
      throw new Error('enough')
    })
    .catch(({ message }) => expect(message).toBe('enough'))
  expect((await migrating)?.flat().sort()).toEqual(names)
  expect(await pendingMigrations(watching)).toEqual([])
})

async function waiting(prisma: Pick<OpenStore['prisma'], '$queryRaw'>) {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  return row?.count
}

it('a migration that cannot lock a table fails before requests wait long, and succeeds later', async () => {
  const { one, other, next } = await migratedBefore('ALTER TABLE usher."user" ADD COLUMN nickname TEXT;')
  await duringBackup(other, () =>
    expect(migrate(one, next)).rejects.toThrow(
      'migration 1_next failed and was rolled back: canceling statement due to lock timeout',
    ),
  )
  expect(await migrate(one, next)).toEqual(['1_next'])
})

it('a migration that changes only statistics waits for no backup', async () => {
  const { one, other, next } = await migratedBefore(
    'ALTER TABLE usher."user" ALTER COLUMN database_id SET (n_distinct = 100);',
  )
  await duringBackup(other, async () => expect(await migrate(one, next)).toEqual(['1_next']))
})

it('a migration gives up its tables to a request that it waits for', async () => {
  const { one, other, next } = await migratedBefore(
    'ALTER TABLE usher.tenant ADD COLUMN plan TEXT;\nALTER TABLE usher."user" ADD COLUMN nickname TEXT;',
  )
  let migrating: Promise<string[]> | undefined
  await other.prisma.$transaction(
    async (request) => {
      await request.$executeRaw`LOCK TABLE usher."user" IN ROW EXCLUSIVE MODE`
      migrating = migrate(one, next)
      migrating.catch(() => undefined)
      const isTaken = async () =>
        await other.prisma
          .$queryRaw`SELECT FROM pg_locks WHERE NOT granted AND relation = 'usher."user"'::regclass`
      await vi.waitFor(async () => expect(await isTaken()).toHaveLength(1), { timeout: 10_000, interval: 5 })
      await request.$executeRaw`LOCK TABLE usher.tenant IN ROW EXCLUSIVE MODE`
    },
    { timeout: 20_000 },
  )
  expect(await migrating).toEqual(['1_next'])
})
