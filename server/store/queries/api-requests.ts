import type { ApiRequest } from '../generated/client.js'
import type { Queries } from '../store.js'
import { unindexed } from './unindexed.js'

/** A request with an Idempotency-Key, and its response. */
export type StoredRequest = Pick<
  ApiRequest,
  'databaseId' | 'key' | 'fingerprint' | 'userId' | 'createdAt'
> & {
  response: object
}

/** Returns the request of a key, or undefined. Deletes the key if it was created before `expired`. */
export async function findApiRequest(
  store: Queries,
  { databaseId, key }: Pick<ApiRequest, 'databaseId' | 'key'>,
  expired: Date,
) {
  const [found] = await store.query<Pick<StoredRequest, 'fingerprint' | 'response'>>(findStatement, [
    databaseId,
    key,
    expired,
  ])
  return found
}

const findStatement = `
  WITH expired AS (
    DELETE FROM usher.api_request
    WHERE database_id = $1::uuid AND key = $2::bytea AND ${unindexed('created_at < $3::timestamptz')}
  )
  SELECT fingerprint, response FROM usher.api_request
  WHERE database_id = $1::uuid AND key = $2::bytea AND ${unindexed('created_at >= $3::timestamptz')}`

/** @throws a unique violation (SQLSTATE 23505) if the key is used */
export const insertApiRequest = (
  transaction: Queries,
  { databaseId, key, fingerprint, response, userId, createdAt }: StoredRequest,
) =>
  transaction.query(insertStatement, [
    databaseId,
    key,
    fingerprint,
    JSON.stringify(response),
    userId,
    createdAt,
  ])

const insertStatement = `
  INSERT INTO usher.api_request (database_id, key, fingerprint, response, user_id, created_at)
  VALUES ($1::uuid, $2::bytea, $3::text, $4::json, $5::uuid, $6::timestamptz)`
