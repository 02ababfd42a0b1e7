import { v7 as uuidv7 } from 'uuid'
import type { Workspace } from '../../store/generated/client.js'
import {
  deleteEmptyWorkspace,
  findWorkspace,
  insertWorkspace,
} from '../../store/queries/management/workspaces.js'
import type { Store } from '../../store/store.js'
import { Problem } from '../problem.js'
import { requirePathName, workspaceNotFound } from './names.js'

/** Creates a workspace. @throws {Problem} if the slug is invalid or taken */
export async function createWorkspace(store: Store, slug: string, now: Date): Promise<Workspace> {
  const created = await ensureWorkspace(store, slug, now)
  if (!created) throw new Problem('workspace_exists', { detail: `Workspace ${slug} already exists.` })
  return created
}

/** Creates a workspace. Returns undefined if it exists. @throws {Problem} if the slug is invalid */
export async function ensureWorkspace(store: Store, slug: string, now: Date): Promise<Workspace | undefined> {
  requirePathName({ path: 'slug', what: 'workspace slug' }, slug)
  return insertWorkspace(store, { id: uuidv7(), slug, createdAt: now })
}

/** Returns a workspace. @throws {Problem} `workspace_not_found`, with the advice to create it */
export async function requireWorkspace(store: Store, slug: string): Promise<Workspace> {
  const workspace = await findWorkspace(store, slug)
  if (!workspace) throw await workspaceNotFound(store, slug, slug)
  return workspace
}

/** Deletes a workspace. @throws {Problem} if it has databases or does not exist */
export async function deleteWorkspace(store: Store, slug: string): Promise<Workspace> {
  const workspace = await findWorkspace(store, slug)
  if (!workspace) throw await workspaceNotFound(store, slug)
  if (!(await deleteEmptyWorkspace(store, workspace.id))) {
    throw new Problem('workspace_not_empty', { detail: `Workspace ${slug} has databases.`, about: slug })
  }
  return workspace
}
