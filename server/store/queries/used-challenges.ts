import type { UsedChallenge } from '../generated/client.js'
import type { Queries } from '../store.js'

/** Uses a challenge up. Returns whether it was unused. */
export async function useChallenge({ query }: Queries, { databaseId, id, expiresAt }: UsedChallenge) {
  return (await query(useStatement, [databaseId, id, expiresAt])).length > 0
}

const useStatement = `
  INSERT INTO usher.used_challenge (database_id, id, expires_at)
  VALUES ($1::uuid, $2::uuid, $3::timestamptz) ON CONFLICT DO NOTHING RETURNING 1`
