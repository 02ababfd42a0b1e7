import type { Workspace } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import type { TypedQueries } from './typed-queries.js'

// Statements without Prisma, because a start creates the operators' database. The arrays are for a store on Citus, which would
// take a string for the id of a database.

/** Returns a workspace, or undefined. */
export async function findWorkspace(store: Queries, slug: string) {
  const [workspace] = await store.query<Workspace>(
    `SELECT id, slug, created_at AS "createdAt" FROM usher.workspace WHERE slug = ($1::text[])[1]`,
    [[slug]],
  )
  return workspace
}

/** Inserts a workspace. Returns it, or undefined if the slug is taken. */
export async function insertWorkspace(store: Queries, { id, slug, createdAt }: Workspace) {
  const [created] = await store.query<Workspace>(
    `INSERT INTO usher.workspace (id, slug, created_at) VALUES (($1::text[])[1]::uuid, $2, $3::timestamptz)
    ON CONFLICT DO NOTHING RETURNING id, slug, created_at AS "createdAt"`,
    [[id], slug, createdAt],
  )
  return created
}

/** Deletes a workspace without databases. Returns whether it was deleted. */
export async function deleteEmptyWorkspace(store: TypedQueries, id: string) {
  const { workspace } = await store.loadPrisma()
  const { count } = await workspace.deleteMany({ where: { id, databases: { none: {} } } })
  return count > 0
}
