import { pendingMigrations } from '../store/migrate.js'
import type { AppContext } from './context.js'
import { Problem } from './problem.js'

/**
 * Checks that the server can handle requests.
 *
 * @throws {Problem} `unavailable` if the server is shutting down, no password can be hashed, or the store is read-only or
 * lacks migrations
 * @throws the store's own error if it cannot be reached
 */
export async function requireReady({ store, hashing, isEnding }: AppContext) {
  if (isEnding) throw new Problem('unavailable', { detail: 'The server is shutting down.' })
  hashing.assertWorking()
  if (await store.isReadOnly?.()) throw new Problem('unavailable', { detail: 'The store is read-only.' })
  const pending = await pendingMigrations(store)
  if (pending.length > 0) throw new Problem('unavailable', { detail: 'The store is not migrated.' })
}
