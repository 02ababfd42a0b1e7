import type { Prisma } from '../generated/client.js'

// A distributed store is a Citus cluster: see docs/scale-out.md.

/**
 * The tables that are copied to every node, so that a server can use any node. All other tables are distributed by
 * database_id. `_prisma_migrations` is copied because a server reads it when it starts.
 */
export const referenceTables = ['workspace', 'database', '_prisma_migrations']
/** The table with which all other distributed tables are colocated. */
export const leader = 'user'

type Transaction = Prisma.TransactionClient

export async function hasCitus(transaction: Transaction): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`SELECT 1 FROM pg_extension WHERE extname = 'citus'`
  return rows.length > 0
}

/** Returns whether the store has been distributed. */
export async function isDistributed(transaction: Transaction): Promise<boolean> {
  if (!(await hasCitus(transaction))) return false
  const [row] = await transaction.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${`usher."${leader}"`}) AND partmethod = 'h'
    ) AS found`
  return row?.found ?? false
}

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
