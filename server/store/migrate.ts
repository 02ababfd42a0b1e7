import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { distributeTable, isDistributed, queriesOf } from './citus/tables.js'
import { isLockFailure, isStoreUnavailable, reasonOf } from './errors.js'
import type { Prisma } from './generated/client.js'
import { lockTables } from './migration-locks.js'
import type { Queries, Store } from './store.js'

/** In a package, the folder is next to the compiled files. In a source tree, it is where Prisma's tools expect it. */
const packaged = new URL('../migrations/', import.meta.url)
const migrationsFolder = existsSync(packaged)
  ? packaged
  : new URL('../../prisma/migrations/', import.meta.url)

/** The advisory lock of changes to the tables of a store. An arbitrary number, the same in all versions of Usher. */
const advisoryLock = 8_217_403_551

interface Migration {
  name: string
  sql: string
  /** SHA-256 of the file, as Prisma's tools store it. */
  checksum: string
}

type Transaction = Prisma.TransactionClient

/** A statement of a migration failed, and the migration was rolled back. */
export class FailedMigrationError extends Error {
  constructor(name: string, cause: unknown) {
    super(`migration ${name} failed and was rolled back: ${reasonOf(cause)}`, {
      cause,
    })
  }
}

/** A migration file was changed after it had been applied. */
export class ChangedMigrationError extends Error {
  constructor(name: string) {
    super(`migration ${name} was changed after it had been applied to this store (checksum differs)`)
  }
}

/** The store has migrations, but not the first one: an unreleased version created it, from which no migration leads here. */
export class EarlierStoreError extends Error {
  constructor() {
    super(
      'the store was created by an earlier checkout and cannot be upgraded. Export each database with that checkout: ' +
        'usher user export. Import the files into a new store with this version: usher user import',
    )
  }
}

/**
 * Applies pending migrations: each in one transaction, statement by statement, with its row in
 * `_prisma_migrations` (Prisma's columns). A failed migration leaves nothing behind. Concurrent runs wait for each
 * other. If no migration is pending, a role that cannot change tables may run it too.
 *
 * @returns the names of the applied migrations
 * @throws {ChangedMigrationError}
 * @throws {FailedMigrationError}
 */
export async function migrate(store: Store, folder = migrationsFolder): Promise<string[]> {
  const applied: string[] = []
  await inSchemaTransaction(store, createHistory)
  for (const migration of await readMigrations(folder)) {
    const isNew = await inSchemaTransaction(store, (transaction) => apply(transaction, migration))
    if (isNew) applied.push(migration.name)
  }
  return applied
}

/** Returns the names of the pending migrations, in order. @throws {EarlierStoreError} */
export async function pendingMigrations(store: Queries): Promise<string[]> {
  const { migrations, history } = await readState(store)
  return migrations.map(({ name }) => name).filter((name) => !history.has(name))
}

/** Returns a text that differs if a migration does. */
export const checksumOfMigrations = async () =>
  (await readMigrations(migrationsFolder)).map(({ checksum }) => checksum).join()

/** Returns whether {@link migrate} has nothing to do. @throws {EarlierStoreError} */
export async function isMigrated(store: Queries) {
  const { migrations, history } = await readState(store)
  return migrations.every(({ name, checksum }) => history.get(name) === checksum)
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Returns the migrations, and the checksums of the applied ones by name. A later version may have applied more. */
async function readState(store: Queries) {
  const migrations = await readMigrations(migrationsFolder)
  const applied = (await hasHistory(store)) ? await store.query<AppliedMigration>(historyStatement, []) : []
  const history = historyOf(applied)
  if (history.size > 0 && !history.has(String(migrations[0]?.name))) throw new EarlierStoreError()
  return { migrations, history }
}

async function hasHistory({ query }: Queries) {
  const [table] = await query<{ found: boolean }>(
    `SELECT to_regclass('usher._prisma_migrations') IS NOT NULL AS found`,
    [],
  )
  return table?.found
}

interface AppliedMigration {
  name: string
  checksum: string
}

const historyStatement = `
  SELECT migration_name AS name, checksum FROM usher._prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`

const historyOf = (rows: AppliedMigration[]) => new Map(rows.map(({ name, checksum }) => [name, checksum]))

/** Runs a transaction that changes the tables of a store. Concurrent ones wait for each other. */
export async function inSchemaTransaction<Result>(
  store: Store,
  work: (transaction: Transaction) => Promise<Result>,
) {
  const prisma = await store.loadPrisma()
  return prisma.$transaction(
    async (transaction) => {
      // The role may have a time limit that is meant for the statements of requests.
      await transaction.$executeRaw`SET LOCAL statement_timeout = 0`
      await transaction.$queryRaw`SELECT pg_advisory_xact_lock(${advisoryLock})::text`
      return work(transaction)
    },
    { maxWait: 30_000, timeout: 3_600_000 },
  )
}

async function createHistory(transaction: Transaction) {
  // Even if they exist, Postgres requires the right to create them, and Citus would create the schema on every node.
  if (await hasHistory(queriesOf(transaction))) return
  await transaction.$executeRaw`CREATE SCHEMA IF NOT EXISTS usher`
  await transaction.$executeRaw`
    CREATE TABLE IF NOT EXISTS usher._prisma_migrations (
      id VARCHAR(36) PRIMARY KEY,
      checksum VARCHAR(64) NOT NULL,
      finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL,
      logs TEXT,
      rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count INTEGER NOT NULL DEFAULT 0
    )`
}

async function apply(transaction: Transaction, { name, sql, checksum }: Migration) {
  const applied = await transaction.$queryRawUnsafe<AppliedMigration[]>(historyStatement)
  const known = historyOf(applied).get(name)
  if (known === checksum) return false
  if (known !== undefined) throw new ChangedMigrationError(name)
  // Citus rejects parallel DDL on distributed tables. Plain Postgres accepts any name with a dot as a setting.
  await transaction.$executeRaw`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`
  const distributes = await isDistributed(queriesOf(transaction))
  const statements = statementsOf(sql)
  const changing = statements.filter((statement) => !setsStatistics.test(statement))
  try {
    // On a distributed store, the time limit of a lock is not that of the nodes.
    if (!distributes) await lockTables(transaction, changing.join(';\n'))
    // While a statement waits for a table, for example during a backup, all later requests wait behind it.
    await transaction.$executeRaw`SET LOCAL lock_timeout = '3s'`
    for (const statement of distributes ? changing : statements)
      await execute(transaction, statement, distributes)
  } catch (error) {
    throw isStoreUnavailable(error) && !isLockFailure(error) ? error : new FailedMigrationError(name, error)
  }
  await transaction.$executeRaw`
    INSERT INTO usher._prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
    VALUES (${randomUUID()}, ${checksum}, now(), ${name}, 1)`
  return true
}

/** It changes only what plans expect: no request waits for it, and Citus rejects it. */
const setsStatistics = /^ALTER TABLE \S+ ALTER COLUMN \S+ SET \(/

/** Runs a statement of a migration. In a distributed store, distributes a new table before anything refers to it. */
async function execute(transaction: Transaction, statement: string, distributes: boolean) {
  await transaction.$executeRawUnsafe(statement)
  const [, table] = /^CREATE TABLE "usher"\."(\w+)"/.exec(statement) ?? []
  if (distributes && table) await distributeTable(transaction, table)
}

/**
 * Returns the statements of a migration. Each ends with a semicolon at the end of a line, and contains no other one.
 */
const statementsOf = (sql: string) =>
  sql
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
