import { alone } from './alone.js'
import type { Prisma, PrismaClient } from './generated/client.js'

// A distributed store is one on Citus: docs/scale-out.md says how and why.

/** Small and global: whole on each node. Every other table is spread over the nodes by its database_id. */
export const referenceTables = ['workspace', 'database']
/** The first to be distributed; the rows of a database in the others rest with its rows in this one. */
const leader = 'user'

type Transaction = Prisma.TransactionClient

/** The server of the store has no Citus. */
export class NoCitusError extends Error {
  constructor() {
    super(
      'the store’s server has no Citus: where it is installed, run CREATE EXTENSION citus in this database',
    )
  }
}

/**
 * Distributes the tables of a store that are not distributed yet, in one transaction.
 *
 * @returns their names; none where all were distributed already
 * @throws {NoCitusError}
 */
export function distribute(prisma: PrismaClient): Promise<string[]> {
  return alone(prisma, async (transaction) => {
    if (!(await hasCitus(transaction))) throw new NoCitusError()
    const tables = await plainTables(transaction)
    // Citus takes no foreign key between a distributed table and one that is not yet.
    const keys = (await foreignKeys(transaction)).filter(
      ({ source, target }) =>
        ![source, target].some((table) => referenceTables.includes(table)) &&
        [source, target].some((table) => tables.includes(table)),
    )
    for (const { source, name } of keys) {
      await transaction.$executeRawUnsafe(`ALTER TABLE usher."${source}" DROP CONSTRAINT "${name}"`)
    }
    for (const table of tables) await distributeTable(transaction, table)
    for (const { source, name, definition } of keys) {
      await transaction.$executeRawUnsafe(
        `ALTER TABLE usher."${source}" ADD CONSTRAINT "${name}" ${definition}`,
      )
    }
    return tables
  })
}

/** Whether the store has been distributed. */
export async function isDistributed(transaction: Transaction): Promise<boolean> {
  if (!(await hasCitus(transaction))) return false
  const [row] = await transaction.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${`usher."${leader}"`}) AND partmethod = 'h'
    ) AS found`
  return row?.found ?? false
}

/** Distributes a table that has no foreign keys to or from distributed ones. */
export async function distributeTable(transaction: Transaction, table: string) {
  const name = `usher."${table}"`
  if (referenceTables.includes(table)) {
    await transaction.$executeRaw`SELECT create_reference_table(${name}::regclass)`
  } else {
    const colocateWith = table === leader ? 'none' : `usher."${leader}"`
    await transaction.$executeRaw`
      SELECT create_distributed_table(${name}::regclass, 'database_id', colocate_with => ${colocateWith})`
  }
}

async function hasCitus(transaction: Transaction) {
  const rows = await transaction.$queryRaw<unknown[]>`SELECT 1 FROM pg_extension WHERE extname = 'citus'`
  return rows.length > 0
}

/** Tables that are neither reference tables nor distributed, in the order in which they can become so. */
async function plainTables(transaction: Transaction) {
  const rows = await transaction.$queryRaw<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
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
