import { v7 as uuidv7 } from 'uuid'
import type { Workspace } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import { OperatorError } from './operator-error.js'
import type { Page } from './page.js'
import { requirePathName } from './path-name.js'

/** @throws {OperatorError} if the slug is invalid or taken */
export async function createWorkspace(store: Store, slug: string, now: Date): Promise<Workspace> {
  const created = await ensureWorkspace(store, slug, now)
  if (!created) throw new OperatorError(`workspace ${slug} already exists`)
  return created
}

/** Creates a workspace. Returns undefined if it exists. @throws {OperatorError} if the slug is invalid */
export async function ensureWorkspace(store: Store, slug: string, now: Date): Promise<Workspace | undefined> {
  requirePathName('workspace slug', slug)
  const data = { id: uuidv7(), slug, createdAt: now }
  const [created] = await store.prisma.workspace.createManyAndReturn({ data, skipDuplicates: true })
  return created
}

export async function listWorkspaces(store: Store, { limit, after }: Page<string>) {
  const rows = await store.prisma.workspace.findMany({
    where: after === undefined ? {} : { slug: { gt: after } },
    include: { _count: { select: { databases: true } } },
    orderBy: { slug: 'asc' },
    take: limit,
  })
  return rows.map(({ id, slug, createdAt, _count }) => ({ id, slug, databases: _count.databases, createdAt }))
}

/** @throws {OperatorError} if it has databases or does not exist */
export async function deleteWorkspace(store: Store, slug: string): Promise<Workspace> {
  const workspace = await store.prisma.workspace.findUnique({ where: { slug } })
  if (!workspace) throw new OperatorError(`workspace ${slug} does not exist`)
  const isEmpty = { id: workspace.id, databases: { none: {} } }
  const { count } = await store.prisma.workspace.deleteMany({ where: isEmpty })
  if (count === 0) {
    throw new OperatorError(`workspace ${slug} has databases. Delete them first with: usher database delete`)
  }
  return workspace
}
