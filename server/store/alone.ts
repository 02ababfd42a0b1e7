import type { Prisma, PrismaClient } from './generated/client.js'

/** Any number, the same for all versions of Usher: who changes the tables of a store holds it. */
const advisoryLock = 8_217_403_551

/** One transaction that changes the tables of a store; two at once wait for each other. */
export function alone<Result>(
  prisma: PrismaClient,
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return prisma.$transaction(
    async (transaction) => {
      await transaction.$queryRaw`SELECT pg_advisory_xact_lock(${advisoryLock})::text`
      // Citus refuses DDL on distributed tables in parallel; plain Postgres takes the setting for a custom one.
      await transaction.$executeRaw`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`
      return work(transaction)
    },
    { maxWait: 30_000, timeout: 3_600_000 },
  )
}
