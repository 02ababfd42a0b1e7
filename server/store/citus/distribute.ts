import type { Prisma } from '../generated/client.js'
import { inSchemaTransaction } from '../migrate.js'
import type { Store } from '../store.js'
import { distributeTable, hasCitus, leader, queriesOf, referenceTables } from './tables.js'

type Transaction = Prisma.TransactionClient

/** Thrown if the server has no Citus. */
export class NoCitusError extends Error {
  constructor() {
    super('the Postgres server has no Citus. If it is installed, run CREATE EXTENSION citus in this database')
  }
}

/** Thrown if the cluster has no worker. */
export class NoWorkersError extends Error {
  constructor() {
    super(
      [
        'the cluster has no workers. First run CREATE EXTENSION citus in a database of this name on every worker.',
        'Then run here:',
        "  SELECT citus_set_coordinator_host('<this host>', <port>);",
        "  SELECT citus_add_node('<worker>', <port>); for each worker",
      ].join('\n'),
    )
  }
}

/** Thrown if a worker cannot be reached, or lacks the extension in its database. */
export class UnusableWorkersError extends Error {
  constructor(workers: readonly { node: string; result: string }[]) {
    const lines = workers.map(
      ({ node, result }) => `${node}: ${result || 'CREATE EXTENSION citus is missing'}`,
    )
    super(`workers cannot be used:\n${lines.join('\n')}`)
  }
}

/**
 * Distributes all tables of a store that are not distributed yet, in one transaction.
 *
 * @returns the names of these tables
 * @throws {NoCitusError}
 * @throws {NoWorkersError}
 * @throws {UnusableWorkersError}
 */
export function distribute(store: Store): Promise<string[]> {
  return inSchemaTransaction(store, async (transaction) => {
    if (!(await hasCitus(queriesOf(transaction)))) throw new NoCitusError()
    await requireWorkers(transaction)
    await transaction.$executeRaw`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`
    const tables = await plainTables(transaction)
    // Citus rejects foreign keys between a distributed and a local table.
    const keys = (await foreignKeys(transaction)).filter(
      ({ source, target }) =>
        ![source, target].some((table) => referenceTables.includes(table)) &&
        [source, target].some((table) => tables.includes(table)),
    )
    for (const { source, name } of keys) {
      await transaction.$executeRawUnsafe(`ALTER TABLE usher."${source}" DROP CONSTRAINT "${name}"`)
    }
    for (const table of tables) await distributeTable(transaction, table)
    // Citus has copied the rows to the workers. These are the original rows, on the coordinator.
    for (const table of tables) {
      await transaction.$executeRaw`
        SELECT truncate_local_data_after_distributing_table(${`usher."${table}"`}::regclass)::text`
    }
    for (const { source, name, definition } of keys) {
      await transaction.$executeRawUnsafe(
        `ALTER TABLE usher."${source}" ADD CONSTRAINT "${name}" ${definition}`,
      )
    }
    return tables
  })
}

async function requireWorkers(transaction: Transaction) {
  const extension = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
  const workers = await transaction.$queryRaw<{ node: string; success: boolean; result: string }[]>`
    SELECT nodename || ':' || nodeport AS node, success, result FROM run_command_on_workers(${extension})`
  if (workers.length === 0) throw new NoWorkersError()
  const unusable = workers.filter(({ success, result }) => !success || !result)
  if (unusable.length > 0) throw new UnusableWorkersError(unusable)
}

/** Returns the local tables, in the order in which they can be distributed. */
async function plainTables(transaction: Transaction) {
  const rows = await transaction.$queryRaw<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r'
      AND NOT EXISTS (
        SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid AND (partmethod = 'h' OR repmodel = 't')
      )
    ORDER BY relname`
  const first = [...referenceTables, leader]
  const names = rows.map(({ name }) => name)
  return [...first.filter((name) => names.includes(name)), ...names.filter((name) => !first.includes(name))]
}

const foreignKeys = (transaction: Transaction) =>
  transaction.$queryRaw<{ source: string; target: string; name: string; definition: string }[]>`
    SELECT source.relname AS source, target.relname AS target, conname AS name,
      pg_get_constraintdef(pg_constraint.oid) AS definition
    FROM pg_constraint
    JOIN pg_class AS source ON source.oid = conrelid
    JOIN pg_class AS target ON target.oid = confrelid
    WHERE contype = 'f' AND connamespace = 'usher'::regnamespace
    ORDER BY conname`
