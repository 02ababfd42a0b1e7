import { loadConfig } from '../../server/config.js'
import { createHasher, type Hasher, type HashSettings } from '../../server/domain/passwords/hasher.js'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'

/** The cheapest hashes. The long queue prevents shed requests on a slow machine: tests of shedding set their own limit. */
export const usualHashes = { ...cheapHashes, HASH_QUEUE_SECONDS: '60' }

const usual = loadConfig(usualHashes).hashing
let shared: Hasher | undefined

/**
 * Returns the hasher that the apps of this worker share, because a thread takes as long to start as the rest of an app.
 * Undefined for other than the usual settings.
 */
export function sharedHasher(settings: HashSettings): Hasher | undefined {
  if (JSON.stringify(settings) !== JSON.stringify(usual)) return undefined
  shared ??= createHasher(usual)
  return { ...shared, close: async () => undefined }
}
