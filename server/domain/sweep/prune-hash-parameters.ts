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
 * @returns the number of removed sets
 */
export async function pruneHashParameters(
  { store, hashing }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  databaseId: string,
  stopped: AbortSignal,
) {
  const unused = new Set(await findDummyHashes(store, databaseId))
  unused.delete(hashing.dummyHash)
  if (unused.size > 0) {
    for await (const passwordHashes of pagesOfPasswordHashes(store, databaseId)) {
      if (stopped.aborted) return 0
      for (const passwordHash of passwordHashes) unused.delete(dummyHashOf(passwordHash))
      if (unused.size === 0) break
    }
  }
  if (unused.size > 0) await removeDummyHashes(store, databaseId, [...unused])
  return unused.size
}
