import {
  findDummyHashes,
  pagesOfPasswordHashes,
  removeDummyHashes,
} from '../../store/queries/hash-parameters.js'
import type { AppContext } from '../context.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import type { Hasher } from '../passwords/hasher.js'

/**
 * Removes the hash parameters that no user of a database has, because every failed login verifies one hash of each set.
 * If a user with removed parameters is created meanwhile, the user's first login records them again.
 *
 * @param stopped ends the search without removing anything
 */
export async function pruneHashParameters(
  { store, hashing }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  databaseId: string,
  stopped?: AbortSignal,
) {
  const dummyHashes = await findDummyHashes(store, databaseId)
  const unused = new Set(dummyHashes)
  unused.delete(hashing.dummyHash)
  if (unused.size > 0) {
    for await (const passwordHashes of pagesOfPasswordHashes(store, databaseId)) {
      if (stopped?.aborted) return { removed: 0, left: dummyHashes.length }
      for (const passwordHash of passwordHashes) unused.delete(dummyHashOf(passwordHash))
      if (unused.size === 0) break
    }
  }
  if (unused.size > 0) await removeDummyHashes(store, databaseId, [...unused])
  return { removed: unused.size, left: dummyHashes.length - unused.size }
}
