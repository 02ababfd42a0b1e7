import { isStoreUnavailable } from '../../store/errors.js'
import { findNewestDatabaseId } from '../../store/queries/databases.js'
import { findSigningKeys, lockKeys } from '../../store/queries/keys.js'
import type { ServerStore, Store } from '../../store/store.js'
import {
  canOpen,
  openPrivateKey,
  openSecret,
  openWebhookSecret,
  sealPrivateKey,
  sealSecret,
  sealWebhookSecret,
} from '../keys/master-key.js'
import { OperatorError } from './operator-error.js'

const rewrapMilliseconds = 600_000

/**
 * Completes an interrupted rewrap of the embedded store whose keys are already encrypted with the new master key.
 *
 * @throws {OperatorError} if the master key is wrong
 */
export async function requireMasterKey<Kind extends ServerStore>(store: Kind): Promise<Kind> {
  const row = await newestSigningKey(store)
  if (!row || canOpen(store.masterKey, row)) return store
  const { keyFile } = store
  if (!keyFile?.next || !canOpen(keyFile.next, row)) throw wrongKey('USHER_MASTER_KEY')
  await keyFile.adoptNext()
  return { ...store, masterKey: keyFile.next }
}

/**
 * Returns a key of the newest database that has one: a database that is being deleted has none, and nodes of a
 * distributed store may be unreachable.
 *
 * @throws the error of an unreachable node if no other node has a key
 */
async function newestSigningKey(store: ServerStore) {
  let unavailable: unknown
  for (let skip = 0; ; skip++) {
    const id = await findNewestDatabaseId(store, skip)
    if (id === undefined) break
    try {
      const [key] = await findSigningKeys(store, id)
      if (key) return key
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      unavailable = error
    }
  }
  if (unavailable) throw unavailable
  return undefined
}

/**
 * Re-encrypts all private keys and secrets or none.
 *
 * @returns the number of private keys
 * @throws {OperatorError} if the current master key cannot decrypt one
 */
export async function rewrapKeys(store: Store, newMasterKey: Buffer): Promise<number> {
  await store.keyFile?.keepNext(newMasterKey)
  const count = await reencryptKeys(store, newMasterKey)
  await store.keyFile?.adoptNext()
  return count
}

function reencryptKeys(store: Store, newMasterKey: Buffer) {
  return store.prisma.$transaction(
    async (transaction) => {
      await lockKeys(transaction)
      let count = 0
      for (const { id: databaseId, sealedWebhookSecret } of await transaction.database.findMany({
        select: { id: true, sealedWebhookSecret: true },
      })) {
        for (const row of await transaction.signingKey.findMany({ where: { databaseId } })) {
          const pem = opened(() => openPrivateKey(store.masterKey, row))
          await transaction.signingKey.updateMany({
            where: { databaseId, kid: row.kid },
            data: { sealedPrivateKey: sealPrivateKey(newMasterKey, pem, row) },
          })
          count += 1
        }
        for (const row of await transaction.databaseSecret.findMany({ where: { databaseId } })) {
          const secret = opened(() => openSecret(store.masterKey, row))
          await transaction.databaseSecret.updateMany({
            where: { databaseId, number: row.number },
            data: { sealedSecret: sealSecret(newMasterKey, secret, row) },
          })
        }
        if (sealedWebhookSecret) {
          const database = { id: databaseId }
          const secret = opened(() => openWebhookSecret(store.masterKey, sealedWebhookSecret, database))
          const sealed = sealWebhookSecret(newMasterKey, secret, database)
          await transaction.database.updateMany({ where: database, data: { sealedWebhookSecret: sealed } })
        }
      }
      return count
    },
    { timeout: rewrapMilliseconds },
  )
}

function opened<Secret>(open: () => Secret) {
  try {
    return open()
  } catch {
    throw wrongKey('the old master key')
  }
}

const wrongKey = (name: string) => new OperatorError(`${name} did not seal the signing keys of this store`)
