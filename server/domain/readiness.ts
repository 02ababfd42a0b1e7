import { pendingMigrations } from '../store/migrate.js'
import type { AppContext } from './context.js'
import { Problem } from './problem.js'

/**
 * @throws {Problem} `unavailable` where the server is about to end or the store lacks migrations; the store's own
 * error where it is away
 */
export async function requireReady({ store, isEnding }: AppContext) {
  if (isEnding) throw new Problem('unavailable', { detail: 'The server is shutting down.' })
  const pending = await pendingMigrations(store.prisma)
  if (pending.length > 0) throw new Problem('unavailable', { detail: 'The store lacks migrations.' })
}
