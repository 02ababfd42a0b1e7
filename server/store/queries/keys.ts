import type { Prisma } from '../generated/client.js'

/** Makes concurrent changes to the keys of a database wait for this transaction. */
export const lockDatabase = (transaction: Prisma.TransactionClient, databaseId: string) =>
  transaction.$queryRaw`SELECT id FROM usher.database WHERE id = ${databaseId}::uuid FOR UPDATE`

/** Makes every change to signing keys wait for this transaction; reads go on. */
export const lockSigningKeys = (transaction: Prisma.TransactionClient) =>
  transaction.$executeRaw`LOCK TABLE usher.signing_key IN SHARE ROW EXCLUSIVE MODE`
