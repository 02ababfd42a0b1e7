import { lockSigningKeys } from '../../store/queries/keys.js'
import type { Store } from '../../store/store.js'
import { canOpen, openPrivateKey, sealPrivateKey } from '../keys/master-key.js'
import { OperatorError } from './operator-error.js'

const rewrapMilliseconds = 600_000

/**
 * Returns the store with the master key that sealed its signing keys. Completes a rewrap of the embedded store
 * that was interrupted after the keys had been sealed with the new master key.
 *
 * @throws {OperatorError} if the master key is another one
 */
export async function requireMasterKey(store: Store): Promise<Store> {
  const row = await newestSigningKey(store)
  if (!row || canOpen(store.masterKey, row)) return store
  const { keyFile } = store
  if (!keyFile?.next || !canOpen(keyFile.next, row)) throw wrongKey('USHER_MASTER_KEY')
  await keyFile.adoptNext()
  return { ...store, masterKey: keyFile.next }
}

/** Returns a key of the newest database that has one: a database that is being deleted has none. */
async function newestSigningKey({ prisma }: Store) {
  const orderBy = [{ createdAt: 'desc' }, { id: 'desc' }] as const
  for (let skip = 0; ; skip++) {
    const database = await prisma.database.findFirst({ select: { id: true }, orderBy: [...orderBy], skip })
    if (!database) return undefined
    const key = await prisma.signingKey.findFirst({ where: { databaseId: database.id } })
    if (key) return key
  }
}

/**
 * Re-encrypts every private key with a new master key: all of them or none. The embedded store's key file follows.
 *
 * @returns the number of keys
 * @throws {OperatorError} if the present master key does not open one of them
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
      await lockSigningKeys(transaction)
      let count = 0
      for (const { id: databaseId } of await transaction.database.findMany({ select: { id: true } })) {
        for (const row of await transaction.signingKey.findMany({ where: { databaseId } })) {
          if (!canOpen(store.masterKey, row)) throw wrongKey('the old master key')
          const pem = openPrivateKey(store.masterKey, row)
          await transaction.signingKey.update({
            where: { databaseId_kid: { databaseId, kid: row.kid } },
            data: { sealedPrivateKey: sealPrivateKey(newMasterKey, pem, row) },
          })
          count += 1
        }
      }
      return count
    },
    { timeout: rewrapMilliseconds },
  )
}

const wrongKey = (name: string) => new OperatorError(`${name} did not seal the signing keys of this store`)
