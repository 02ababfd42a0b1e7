import type { Prisma } from '../generated/client.js'

// A distributed store is one on Citus: docs/scale-out.md says how and why.

/** Small and global: whole on each node. Every other table is spread over the nodes by its database_id. */
export const referenceTables = ['workspace', 'database']
/** The first to be distributed; the rows of a database in the others rest with its rows in this one. */
export const leader = 'user'

type Transaction = Prisma.TransactionClient

export async function hasCitus(transaction: Transaction): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`SELECT 1 FROM pg_extension WHERE extname = 'citus'`
  return rows.length > 0
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
