import { v7 as uuidv7 } from 'uuid'
import type { Workspace } from '../../store/generated/client.js'
import {
  deleteEmptyWorkspace,
  findWorkspace,
  insertWorkspace,
  listWorkspaceRows,
} from '../../store/queries/management/workspaces.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import { requirePathName, workspaceNotFound } from './names.js'
import { OperatorError } from './operator-error.js'

/** Creates a workspace. @throws {OperatorError} if the slug is invalid or taken */
export async function createWorkspace(store: Store, slug: string, now: Date): Promise<Workspace> {
  const created = await ensureWorkspace(store, slug, now)
  if (!created) throw new OperatorError('workspace_exists', `workspace ${slug} already exists`)
  return created
}

/** Creates a workspace. Returns undefined if it exists. @throws {OperatorError} if the slug is invalid */
export async function ensureWorkspace(store: Store, slug: string, now: Date): Promise<Workspace | undefined> {
  requirePathName('workspace slug', slug)
  return insertWorkspace(store, { id: uuidv7(), slug, createdAt: now })
}

export async function listWorkspaces(store: Store, page: Page<string>) {
  const rows = await listWorkspaceRows(store, page)
  return rows.map(({ id, slug, createdAt, _count }) => ({ id, slug, databases: _count.databases, createdAt }))
}

/** Deletes a workspace. @throws {OperatorError} if it has databases or does not exist */
export async function deleteWorkspace(store: Store, slug: string): Promise<Workspace> {
  const workspace = await findWorkspace(store, slug)
  if (!workspace) throw await workspaceNotFound(store, slug)
  if (!(await deleteEmptyWorkspace(store, workspace.id))) {
    const advice = `Delete them first with: npx @usher/server database delete ${slug}/NAME`
    throw new OperatorError('workspace_not_empty', `workspace ${slug} has databases`, { advice })
  }
  return workspace
}
