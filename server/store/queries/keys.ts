import type { Prisma, SigningKey } from '../generated/client.js'
import type { Store } from '../store.js'

/** Returns the keys of a database, the newest first; of two with one instant, the one that has no successor. */
export const findSigningKeys = (store: Pick<Store, 'query'>, databaseId: string) =>
  store.query<SigningKey>(findSigningKeysStatement, [databaseId])

const findSigningKeysStatement = `
  SELECT database_id AS "databaseId", kid, algorithm, public_key AS "publicKey",
    sealed_private_key AS "sealedPrivateKey", activates_at AS "activatesAt", retires_at AS "retiresAt",
    created_at AS "createdAt"
  FROM usher.signing_key WHERE database_id = $1::uuid
  ORDER BY activates_at DESC, retires_at DESC NULLS FIRST`

/** Makes concurrent changes to the keys of a database wait for this transaction. */
export const lockDatabase = (transaction: Prisma.TransactionClient, databaseId: string) =>
  transaction.$queryRaw`SELECT id FROM usher.database WHERE id = ${databaseId}::uuid FOR UPDATE`

/** Makes every change to signing keys wait for this transaction; reads go on. */
export const lockSigningKeys = (transaction: Prisma.TransactionClient) =>
  transaction.$executeRaw`LOCK TABLE usher.signing_key IN SHARE ROW EXCLUSIVE MODE`
