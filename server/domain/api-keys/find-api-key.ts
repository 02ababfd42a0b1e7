import { LRUCache } from 'lru-cache'
import { batchReads } from '../../store/batched-reads.js'
import { entryLimit } from '../../store/entry-limit.js'
import { findApiKeys, type StoredApiKey } from '../../store/queries/api-keys.js'
import type { Store } from '../../store/store.js'
import { hasHash, hashOfApiKey, idOfApiKey } from './api-key.js'

const acceptedKeys = 1_000
const refusedKeys = 10_000
/** An invalid text never becomes a key, unless the database is restored from a backup. */
const refusedMilliseconds = 60_000

/** The id and the hash of a key that a client has sent. */
interface Parsed {
  id: string
  hash: Uint8Array
}

/**
 * Creates the lookups of API keys, which concurrent requests share. A key is read for each request, so that a revoked one
 * is refused by the next request of every server. Texts that are not keys are remembered as hashes: the same statements
 * run for an unknown id and for a known id with a wrong secret. Of accepted keys, only their ids and hashes are remembered.
 */
export function createApiKeyLookup(store: Store, cacheNow: () => number) {
  const find = batchReads<string, StoredApiKey>((databaseId, ids) => findApiKeys(store, databaseId, ids))
  const refused = new LRUCache<string, true>({
    ...entryLimit(refusedKeys),
    ttl: refusedMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
  })
  const accepted = new LRUCache<string, Parsed>({ max: acceptedKeys })
  return {
    /** Returns the key with an id. */
    byId: find,
    /** Returns whether a text was a key of the database when it was last sent. It may be revoked since. */
    wasAccepted: (databaseId: string, text: string) => accepted.has(databaseId + text),
    /**
     * Returns the key that a client has sent, which may have expired.
     *
     * @param read reads a key by its id, together with what else the request needs
     */
    async byText(
      databaseId: string,
      text: string,
      read = (id: string): Promise<StoredApiKey | undefined> => find(databaseId, id),
    ) {
      const known = accepted.get(databaseId + text)
      const parsed = known ?? parse(text)
      if (!parsed || (!known && refused.has(nameOf(databaseId, parsed)))) return undefined
      const key = await read(parsed.id)
      if (key && hasHash(parsed.hash, key.hash)) {
        if (!known) accepted.set(databaseId + text, parsed)
        return key
      }
      accepted.delete(databaseId + text)
      refused.set(nameOf(databaseId, parsed), true)
      return undefined
    },
  }
}

const nameOf = (databaseId: string, { hash }: Parsed) =>
  `${databaseId}/${Buffer.from(hash).toString('base64')}`

function parse(text: string): Parsed | undefined {
  const id = idOfApiKey(text)
  return id ? { id, hash: hashOfApiKey(text) } : undefined
}
