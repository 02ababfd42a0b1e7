import type { ApiKey } from '../generated/client.js'
import type { Queries } from '../store.js'

/** What a request with a key needs of it. */
export type StoredApiKey = Pick<ApiKey, 'id' | 'hash' | 'scopes' | 'expiresAt'> & {
  /** The day of its last use, such as `2026-01-31`. */
  lastUsedOn: string | null
}

/** Returns the key of each id, or undefined, in the order of the ids. */
export async function findApiKeys(store: Queries, databaseId: string, ids: readonly string[]) {
  const rows = await store.query<StoredApiKey>(findStatement, [databaseId, [...new Set(ids)]])
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id))
}

/** The columns of {@link joinedApiKey}. */
export const apiKeyColumns = `
  api_key.id, api_key.hash, api_key.scopes, api_key.expires_at AS "expiresAt", api_key.last_used_on::text AS "lastUsedOn"`

/** Joins the API key with an id. */
export const joinedApiKey = (id: string) => `
  LEFT JOIN LATERAL (
    SELECT * FROM usher.api_key WHERE database_id = $1::uuid AND id = ${id} OFFSET 0
  ) AS api_key ON true`

// As for users of tokens: the ids are hidden from the planner, and each is looked up by the key of the table.
const findStatement = `
  SELECT ${apiKeyColumns} FROM unnest((SELECT $2::text[])::text[]) AS wanted (id) ${joinedApiKey('wanted.id')}`

/** Notes the day of the last use of a key. */
export const noteUseOfApiKey = (
  store: Queries,
  { databaseId, id }: Pick<ApiKey, 'databaseId' | 'id'>,
  day: string,
) => store.query(noteStatement, [databaseId, id, day])

const noteStatement = `
  UPDATE usher.api_key SET last_used_on = $3::date
  WHERE database_id = $1::uuid AND id = $2 AND last_used_on IS DISTINCT FROM $3::date`

type KeyOfRow = Pick<ApiKey, 'databaseId' | 'id'>

type DescribedApiKey = Pick<ApiKey, 'name' | 'scopes' | 'createdAt' | 'expiresAt' | 'rotatedAt'>

export async function findApiKey({ query }: Queries, { databaseId, id }: KeyOfRow) {
  const [row] = await query<DescribedApiKey>(
    `SELECT name, scopes, created_at AS "createdAt", expires_at AS "expiresAt", rotated_at AS "rotatedAt"
    FROM usher.api_key WHERE database_id = $1::uuid AND id = $2`,
    [databaseId, id],
  )
  return row
}

/** Returns the number of keys of a database that are neither expired nor replaced. */
export async function countApiKeys({ query }: Queries, databaseId: string, now: Date) {
  const [row] = await query<{ count: number }>(
    `SELECT count(*)::int AS count FROM usher.api_key
    WHERE database_id = $1::uuid AND rotated_at IS NULL AND expires_at > $2::timestamptz`,
    [databaseId, now],
  )
  return row?.count ?? 0
}

export const insertApiKey = ({ query }: Queries, key: Omit<ApiKey, 'rotatedAt' | 'lastUsedOn'>) =>
  query(
    `INSERT INTO usher.api_key (database_id, id, name, scopes, hash, last_four, created_at, expires_at)
    VALUES ($1::uuid, $2, $3, $4::text[], $5::bytea, $6, $7::timestamptz, $8::timestamptz)`,
    [key.databaseId, key.id, key.name, key.scopes, key.hash, key.lastFour, key.createdAt, key.expiresAt],
  )

/** Lets a key expire because a successor replaces it. */
export const replaceApiKey = (
  { query }: Queries,
  { databaseId, id, rotatedAt, expiresAt }: KeyOfRow & { rotatedAt: Date; expiresAt: Date },
) =>
  query(
    `UPDATE usher.api_key SET rotated_at = $3::timestamptz, expires_at = $4::timestamptz
    WHERE database_id = $1::uuid AND id = $2`,
    [databaseId, id, rotatedAt, expiresAt],
  )

/** Returns whether there was such a key. */
export async function deleteApiKey({ query }: Queries, { databaseId, id }: KeyOfRow) {
  const statement = 'DELETE FROM usher.api_key WHERE database_id = $1::uuid AND id = $2 RETURNING id'
  return (await query(statement, [databaseId, id])).length > 0
}
