import type { ApiKey } from '../generated/client.js'
import type { Store } from '../store.js'

type Queries = Pick<Store, 'query'>

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

// As for users of tokens: the ids are hidden from the planner, and each is looked up by the key of the table.
const findStatement = `
  SELECT found.id, found.hash, found.scopes, found.expires_at AS "expiresAt",
    found.last_used_on::text AS "lastUsedOn"
  FROM unnest((SELECT $2::text[])::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM usher.api_key WHERE database_id = $1::uuid AND id = wanted.id OFFSET 0
  ) AS found`

/** Notes the day of the last use of a key. */
export const noteUseOfApiKey = (
  store: Queries,
  { databaseId, id }: Pick<ApiKey, 'databaseId' | 'id'>,
  day: string,
) => store.query(noteStatement, [databaseId, id, day])

const noteStatement = `
  UPDATE usher.api_key SET last_used_on = $3::date
  WHERE database_id = $1::uuid AND id = $2 AND last_used_on IS DISTINCT FROM $3::date`
