import type { DataKey } from '../generated/client.js'
import type { Queries } from '../store.js'

/** Returns the data key of a database, or undefined. */
export async function findDataKey({ query }: Queries, databaseId: string) {
  const [key] = await query<DataKey>(findStatement, [databaseId])
  return key
}

const findStatement = `
  SELECT database_id AS "databaseId", sealed_key AS "sealedKey", created_at AS "createdAt"
  FROM usher.data_key WHERE database_id = $1::uuid`

/** Adds the data key of a database, unless it has one. */
export const insertDataKey = ({ query }: Queries, { databaseId, sealedKey, createdAt }: DataKey) =>
  query(insertStatement, [databaseId, sealedKey, createdAt])

const insertStatement = `
  INSERT INTO usher.data_key (database_id, sealed_key, created_at) VALUES ($1::uuid, $2::bytea, $3::timestamptz)
  ON CONFLICT (database_id) DO NOTHING`

/** Replaces the encrypted key, unless it was changed since it was read. */
export const resealDataKey = ({ query }: Queries, { databaseId, sealedKey }: DataKey, resealed: Uint8Array) =>
  query(resealStatement, [databaseId, sealedKey, resealed])

const resealStatement = `
  UPDATE usher.data_key SET sealed_key = $3::bytea WHERE database_id = $1::uuid AND sealed_key = $2::bytea`
