import type { Queries } from '../../store.js'

/** Maximum number of names that are read, so that the cost of an error message does not grow with the store. */
const maxNames = 20_000

/** Returns the slugs of workspaces with a length in the range. */
export async function findSlugs(store: Queries, { min, max }: { min: number; max: number }) {
  const rows = await store.query<{ name: string }>(
    `SELECT slug AS name FROM (SELECT slug FROM usher.workspace LIMIT ${maxNames}) AS w
    WHERE length(slug) BETWEEN $1::integer AND $2::integer`,
    [min, max],
  )
  return rows.map(({ name }) => name)
}

/** Returns the paths `workspace/name` of databases with a length in the range. */
export async function findPaths(store: Queries, { min, max }: { min: number; max: number }) {
  const rows = await store.query<{ name: string }>(
    `SELECT w.slug || '/' || d.name AS name
    FROM (SELECT workspace_id, name FROM usher.database LIMIT ${maxNames}) AS d
    JOIN usher.workspace AS w ON w.id = d.workspace_id
    WHERE length(w.slug) + 1 + length(d.name) BETWEEN $1::integer AND $2::integer`,
    [min, max],
  )
  return rows.map(({ name }) => name)
}
