import { randomBytes } from 'node:crypto'
import type { DataKey } from '../../store/generated/client.js'
import { findDataKey, insertDataKey } from '../../store/queries/data-keys.js'
import type { Store } from '../../store/store.js'
import { ifDatabaseDeleted } from '../problem.js'
import { lockSealingKey } from './database-secrets.js'
import { dataKeyRow, open, seal } from './master-key.js'

const keyBytes = 32

/** Encrypts what a database keeps of its users. A new master key encrypts only the key of this again. */
export interface DataCipher {
  /** @param row identifies the row of the secret: it cannot be decrypted in another one */
  seal(secret: Buffer, row: string): Uint8Array<ArrayBuffer>
  open(sealed: Uint8Array, row: string): Buffer
}

/** Returns the cipher of a database, whose key is created when it is first needed. */
export async function openDataCipher(store: Store, databaseId: string, now: Date): Promise<DataCipher> {
  const found = await findDataKey(store, databaseId)
  return dataCipherOf(store, found ?? (await createDataKey(store, databaseId, now)))
}

/** Returns the cipher of a data key. */
export function dataCipherOf(store: Store, key: Pick<DataKey, 'databaseId' | 'sealedKey'>): DataCipher {
  const masterKey = open(store, key.sealedKey, dataKeyRow(key))
  return {
    seal: (secret, row) => seal(masterKey, secret, row),
    open: (sealed, row) => open({ masterKey }, sealed, row),
  }
}

async function createDataKey(store: Store, databaseId: string, createdAt: Date) {
  const insert = store.transaction(databaseId, async (query) => {
    const sealedKey = seal(
      await lockSealingKey({ query }, store, databaseId),
      randomBytes(keyBytes),
      dataKeyRow({ databaseId }),
    )
    await insertDataKey({ query }, { databaseId, sealedKey, createdAt })
  })
  await insert.catch(ifDatabaseDeleted())
  // Another server may have inserted it first.
  const key = await findDataKey(store, databaseId)
  if (!key) throw new Error(`database ${databaseId} has no data key`)
  return key
}
