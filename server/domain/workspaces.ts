import { v7 as uuidv7 } from 'uuid'
import type { Workspace } from '../store/generated/client.js'
import type { Store } from '../store/store.js'
import { OperatorError } from './operator-error.js'
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
