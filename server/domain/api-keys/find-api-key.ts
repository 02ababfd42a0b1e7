import { LRUCache } from 'lru-cache'
import { batchReads } from '../../store/batched-reads.js'
import { findApiKeys, type StoredApiKey } from '../../store/queries/api-keys.js'
import type { Store } from '../../store/store.js'

const unknownKeys = 10_000
/** No key is ever created with an id that was guessed before, but a database may be restored. */
const unknownMilliseconds = 60_000

/**
 * Creates a lookup of API keys that concurrent requests share. A key is read for each request, so that a revoked one is
 * refused by the next request of every server. Only unknown ids are remembered.
 */
export function createApiKeyLookup(store: Store, cacheNow: () => number) {
  const find = batchReads<string, StoredApiKey>((databaseId, ids) => findApiKeys(store, databaseId, ids))
  const unknown = new LRUCache<string, true>({
    max: unknownKeys,
    ttl: unknownMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
  })
  return async (databaseId: string, id: string) => {
    const name = `${databaseId}/${id}`
    if (unknown.has(name)) return undefined
    const key = await find(databaseId, id)
    if (!key) unknown.set(name, true)
    return key
  }
}
