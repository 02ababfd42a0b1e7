import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../../store/store.js'
import { pruneHashParameters as prune } from '../../sweep/prune-hash-parameters.js'
import { requireDatabase } from './databases.js'

export async function pruneHashParameters(
  context: Parameters<typeof prune>[0] & { store: Store },
  path: DatabasePath,
) {
  const { id } = await requireDatabase(context.store, path)
  return { id, ...(await prune(context, id)) }
}
