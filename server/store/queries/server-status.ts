import type { ServerStatus } from '../generated/client.js'
import type { JsonObject, Queries } from '../store.js'

/** What a server reports of itself. */
export type StatusRow = Omit<ServerStatus, 'databaseId' | 'status'> & { status: JsonObject }

/** Stores what a server reports of itself, in place of its last report. */
export const putServerStatus = (
  { query }: Queries,
  { databaseId, id, name, version, startedAt, seenAt, status }: StatusRow & { databaseId: string },
) =>
  query(
    `INSERT INTO usher.server_status (database_id, id, name, version, started_at, seen_at, status)
    VALUES ($1::uuid, $2::uuid, $3::text, $4::text, $5::timestamptz, $6::timestamptz, $7::jsonb)
    ON CONFLICT (database_id, id) DO UPDATE SET seen_at = excluded.seen_at, status = excluded.status`,
    [databaseId, id, name, version, startedAt, seenAt, status],
  )

/** Deletes what a server has reported. */
export const deleteServerStatus = (
  { query }: Queries,
  { databaseId, id }: Pick<ServerStatus, 'databaseId' | 'id'>,
) => query('DELETE FROM usher.server_status WHERE database_id = $1::uuid AND id = $2::uuid', [databaseId, id])

/** Returns what servers have reported, the oldest server first. */
export const listStatusRows = ({ query }: Queries, databaseId: string) =>
  query<StatusRow>(
    `SELECT id, name, version, started_at AS "startedAt", seen_at AS "seenAt", status
    FROM usher.server_status WHERE database_id = $1::uuid ORDER BY id LIMIT 500`,
    [databaseId],
  )
