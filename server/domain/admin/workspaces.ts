import { v7 as uuidv7 } from 'uuid'
import type { Workspace } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import { OperatorError } from './operator-error.js'
import type { Page } from './page.js'
import { requirePathName } from './path-name.js'

/**
 * Makes a workspace.
 *
 * @throws {OperatorError} where the slug is not fit for a path, or taken
 */
export async function createWorkspace(store: Store, slug: string, now: Date): Promise<Workspace> {
  requirePathName('workspace slug', slug)
  const data = { id: uuidv7(), slug, createdAt: now }
  const [created] = await store.prisma.workspace.createManyAndReturn({ data, skipDuplicates: true })
  if (!created) throw new OperatorError(`workspace ${slug} exists already`)
  return created
}

/** Workspaces in the order of their slugs, with the number of databases in each. */
export async function listWorkspaces(store: Store, { limit, after }: Page<string>) {
  const rows = await store.prisma.workspace.findMany({
    where: after === undefined ? {} : { slug: { gt: after } },
    include: { _count: { select: { databases: true } } },
    orderBy: { slug: 'asc' },
    take: limit,
  })
  return rows.map(({ id, slug, createdAt, _count }) => ({ id, slug, databases: _count.databases, createdAt }))
}

/**
 * Deletes a workspace that has no database.
 *
 * @throws {OperatorError} where it has one, or there is no such workspace
 */
export async function deleteWorkspace(store: Store, slug: string): Promise<Workspace> {
  const workspace = await store.prisma.workspace.findUnique({ where: { slug } })
  if (!workspace) throw new OperatorError(`no workspace ${slug}`)
  const isEmpty = { id: workspace.id, databases: { none: {} } }
  const { count } = await store.prisma.workspace.deleteMany({ where: isEmpty })
  if (count === 0) {
    throw new OperatorError(`workspace ${slug} has databases; delete them first with: usher database delete`)
  }
  return workspace
}
