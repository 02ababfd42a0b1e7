import type { Database, Workspace } from '../generated/client.js'
import type { Queries } from '../store.js'

// Lists of names for the console. The first parameter is no string: a store on Citus would take it for the id of a database.

/** Which names to list. */
export interface Names {
  prefix: string
  after: string | undefined
  limit: number
}

/** Returns workspaces by slug, with the number of their databases. @param ids only these, if given */
export const listWorkspacesByPrefix = (
  { query }: Queries,
  { prefix, after = '', limit }: Names,
  ids: readonly string[] | null,
) =>
  query<Workspace & { databases: number }>(
    // Without a condition that is not needed, which would hide the index of the slugs.
    `SELECT w.id, w.slug, w.created_at AS "createdAt", (
        SELECT count(*)::int FROM usher.database AS d WHERE d.workspace_id = w.id AND NOT d.is_operators
      ) AS databases
    FROM usher.workspace AS w
    WHERE ${ids ? 'w.id = ANY($4::uuid[]) AND ' : ''}starts_with(w.slug, $2::text) AND w.slug > $3::text
    ORDER BY w.slug LIMIT $1::int`,
    [limit, prefix, after, ...(ids ? [ids] : [])],
  )

/** Returns the databases of a workspace by name, without that of the operators. */
export const listDatabasesByPrefix = (
  { query }: Queries,
  { prefix, after = '', limit }: Names,
  workspaceId: string,
) =>
  query<Pick<Database, 'id' | 'name' | 'appUrl' | 'createdAt'>>(
    `SELECT d.id, d.name, d.app_url AS "appUrl", d.created_at AS "createdAt"
    FROM usher.database AS d
    WHERE d.workspace_id = ($1::uuid[])[1] AND NOT d.is_operators AND starts_with(d.name, $2::text) AND d.name > $3::text
    ORDER BY d.name LIMIT $4::int`,
    [[workspaceId], prefix, after, limit],
  )
