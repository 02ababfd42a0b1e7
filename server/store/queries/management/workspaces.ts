import type { Workspace } from '../../generated/client.js'
import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

export async function findWorkspace(store: TypedQueries, slug: string) {
  const { workspace } = await store.loadPrisma()
  return workspace.findUnique({ where: { slug } })
}

/** Inserts a workspace. Returns it, or undefined if the slug is taken. */
export async function insertWorkspace(store: TypedQueries, data: Workspace) {
  const { workspace } = await store.loadPrisma()
  const [created] = await workspace.createManyAndReturn({ data, skipDuplicates: true })
  return created
}

/** Returns workspaces with the number of their databases, ordered by slug. */
export async function listWorkspaceRows(store: TypedQueries, { limit, after }: Page<string>) {
  const { workspace } = await store.loadPrisma()
  return workspace.findMany({
    where: after === undefined ? {} : { slug: { gt: after } },
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
