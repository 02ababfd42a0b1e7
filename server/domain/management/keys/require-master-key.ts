import { ifStoreUnavailable, isStoreUnavailable } from '../../../store/errors.js'
import type { SigningKey } from '../../../store/generated/client.js'
import { findDatabaseIds } from '../../../store/queries/databases.js'
import { findSigningKeys } from '../../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../../store/store.js'
import { canOpen, sealingKey } from '../../keys/master-key.js'
import { Problem } from '../../problem.js'
import { reencryptKeys } from './rewrap-keys.js'

/** Maximum number of databases, at each end of the list, whose keys are looked for. */
const maxTried = 10

/** A node of a distributed store that takes longer to respond counts as unreachable. */
const nodeMilliseconds = 2_000

/**
 * Checks the master key with keys of the newest database, and of the oldest ones, which `usher keys rewrap` re-encrypts
 * last. Checks several, so that one damaged row does not prevent a start. Completes an interrupted rewrap of a store
 * with a key file.
 *
 * @throws {Problem} if the master key is wrong
 */
export async function requireMasterKey(opened: Store): Promise<Store> {
  const store = opened.keyFile?.next ? await completeRewrap(opened, opened.keyFile.next) : opened
  const [newest, oldest] = await Promise.all([
    firstSigningKeys(store, 'newest', 1),
    // The newest key is enough if no node of the oldest ones responds.
    firstSigningKeys(store, 'oldest', 3).catch(ifStoreUnavailable([])),
  ])
  const areFrom = (keys: MasterKeys, rows: SigningKey[]) =>
    rows.length === 0 || rows.some((row) => canOpen(keys, row))
  if (!areFrom(store, newest)) {
    throw new Problem('master_key_wrong', {
      detail: opened.keyFile
        ? 'The file master.key cannot decrypt the signing keys of this store. Restore it from the backup of DATA_DIR.'
        : 'USHER_MASTER_KEY cannot decrypt the signing keys of this store. Set it to the master key of the servers, or of the backup. If keys rewrap has replaced that key, set the new one. For an embedded store with a file master.key, unset USHER_MASTER_KEY.',
    })
  }
  if (
    !areFrom(
      store,
      oldest.filter(({ databaseId }) => databaseId !== newest[0]?.databaseId),
    )
  ) {
    throw new Problem('master_key_wrong', {
      detail:
        'USHER_MASTER_KEY cannot decrypt all signing keys of this store. Run `npx @usher/server keys rewrap` again, with the earlier master key in USHER_MASTER_KEY and this one in USHER_NEW_MASTER_KEY.',
    })
  }
  return store
}

/** Completes an interrupted rewrap. Keeps both keys if something cannot be decrypted with either. */
async function completeRewrap(store: Store, newMasterKey: Buffer): Promise<Store> {
  const { unreadable } = await reencryptKeys(store, newMasterKey)
  if (unreadable.length > 0) return { ...store, newMasterKey }
  await store.keyFile?.adoptNext()
  return {
    ...store,
    masterKey: newMasterKey,
    keyFile: store.keyFile && { ...store.keyFile, next: undefined },
  }
}

/**
 * Returns the master key with which to encrypt the keys of a new database: the one that encrypted those of the
 * newest.
 */
export const sealingKeyOfNewDatabase = async (queries: Queries, masterKeys: MasterKeys) =>
  masterKeys.newMasterKey
    ? sealingKey(masterKeys, await firstSigningKeys(queries, 'newest', 1))
    : masterKeys.masterKey

/**
 * Returns one key of each of the newest or oldest databases. Skips databases that are being deleted, which have none,
 * and unreachable nodes of a distributed store.
 *
 * @throws the error of an unreachable node if no other node has a key
 */
async function firstSigningKeys(
  queries: Queries,
  end: 'newest' | 'oldest',
  count: number,
): Promise<SigningKey[]> {
  const found: SigningKey[] = []
  let unavailable: unknown
  for (let skip = 0; skip < maxTried && found.length < count; ) {
    const ids = await findDatabaseIds(queries, end, { skip, limit: count - found.length })
    if (ids.length === 0) break
    skip += ids.length
    const results = await Promise.allSettled(ids.map((id) => findSigningKeys(queries, id, nodeMilliseconds)))
    for (const result of results) {
      if (result.status === 'fulfilled') found.push(...result.value.slice(0, 1))
      else if (isStoreUnavailable(result.reason)) unavailable = result.reason
      else throw result.reason
    }
  }
  if (unavailable && found.length === 0) throw unavailable
  return found
}
