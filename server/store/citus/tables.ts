import type { Prisma } from '../generated/client.js'
import type { Queries } from '../store.js'

// A distributed store is a Citus cluster: see docs/scale-out.md.

/**
 * The tables that are copied to every node, so that a server can use any node. All other tables are distributed by
 * database_id. `_prisma_migrations` is copied because a server reads it when it starts.
 */
export const referenceTables = ['workspace', 'database', '_prisma_migrations']
/** The table with which all other distributed tables are colocated. */
export const leader = 'user'

type Transaction = Prisma.TransactionClient
/** Returns whether the server has Citus, by the catalog of Postgres. */
export async function hasCitus({ query }: Queries): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`,
    [],
  )
  return row?.found ?? false
}

/** Returns whether the store has been distributed. */
export async function isDistributed(store: Queries): Promise<boolean> {
  if (!(await hasCitus(store))) return false
  const rows = await store.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('usher."${leader}"') AND partmethod = 'h'`,
    [],
  )
  return rows.length > 0
}

/** Returns the statements of a transaction of Prisma as those of a store. */
export const queriesOf = (transaction: Transaction): Queries => ({
  query: (text, values) => transaction.$queryRawUnsafe(text, ...values),
})

/** Distributes a table without foreign keys to or from distributed tables. */
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
