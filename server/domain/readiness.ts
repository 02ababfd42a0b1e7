import { pendingMigrations } from '../store/migrate.js'
import type { Store } from '../store/store.js'
import { Problem } from './problem.js'

/** @throws {Problem} `unavailable` where the store lacks migrations; the store's own error where it is away */
export async function requireReady(store: Store) {
  const pending = await pendingMigrations(store.prisma)
  if (pending.length > 0) throw new Problem('unavailable', { detail: 'The store lacks migrations.' })
}
