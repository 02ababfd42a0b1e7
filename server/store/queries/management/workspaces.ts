import type { Workspace } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import type { Page } from '../page.js'
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

/**
 * Returns workspaces with the number of their databases, ordered by slug.
 *
 * @param ids only these. Undefined: all
 */
export async function listWorkspaceRows(
  store: TypedQueries,
  { limit, after }: Page<string>,
  ids?: readonly string[],
) {
  const { workspace } = await store.loadPrisma()
  return workspace.findMany({
    where: { ...(after !== undefined && { slug: { gt: after } }), ...(ids && { id: { in: [...ids] } }) },
    include: { _count: { select: { databases: true } } },
    orderBy: { slug: 'asc' },
    take: limit,
  })
}

/** Deletes a workspace without databases. Returns whether it was deleted. */
export async function deleteEmptyWorkspace(store: TypedQueries, id: string) {
  const { workspace } = await store.loadPrisma()
  const { count } = await workspace.deleteMany({ where: { id, databases: { none: {} } } })
  return count > 0
}
