import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SigningKey } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import { OperatorError } from '../admin/operator-error.js'

const ivBytes = 12
const tagBytes = 16

/** What a private key is sealed for: it opens in the row of its own database and kid alone. */
type Purpose = Pick<SigningKey, 'databaseId' | 'kid'>

const bound = ({ databaseId, kid }: Purpose) => Buffer.from(`${databaseId}/${kid}`)

/** AES-256-GCM under the master key: initialisation vector, tag and ciphertext in one. */
export function sealPrivateKey(masterKey: Buffer, pem: string, purpose: Purpose): Uint8Array<ArrayBuffer> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(bound(purpose))
  const ciphertext = Buffer.concat([cipher.update(pem, 'utf8'), cipher.final()])
  return Uint8Array.from(Buffer.concat([iv, cipher.getAuthTag(), ciphertext]))
}

/** The private half of a key as PEM. @throws where the master key did not seal it for this row */
export function openPrivateKey(
  masterKey: Buffer,
  row: Purpose & Pick<SigningKey, 'sealedPrivateKey'>,
): string {
  const sealed = Buffer.from(row.sealedPrivateKey)
  const iv = sealed.subarray(0, ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, iv, { authTagLength: tagBytes })
  decipher.setAAD(bound(row)).setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * Whether the master key is the one that sealed the keys of the store. Ends a change of the embedded store's
 * key that was cut short after the keys had been sealed with the next one.
 *
 * @throws {OperatorError} where it is not
 */
export async function requireMasterKey(store: Store) {
  const row = await newestSigningKey(store)
  if (!row || opens(store.masterKey, row)) return
  const { keyFile } = store
  if (!keyFile?.next || !opens(keyFile.next, row)) throw wrongKey('USHER_MASTER_KEY')
  await keyFile.adoptNext()
  store.masterKey = keyFile.next
}

/** A key of the newest database that has one; those being deleted have none. */
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
 * Seals every private key anew with another master key: all of them or none. The embedded store's key file
 * follows.
 *
 * @returns how many were sealed anew
 * @throws {OperatorError} where the store's present master key does not open one of them
 */
export async function rewrapKeys(store: Store, newMasterKey: Buffer): Promise<number> {
  await store.keyFile?.keepNext(newMasterKey)
  const count = await sealAnew(store, newMasterKey)
  await store.keyFile?.adoptNext()
  return count
}

function sealAnew(store: Store, newMasterKey: Buffer) {
  return store.prisma.$transaction(
    async (transaction) => {
      await transaction.$executeRaw`LOCK TABLE usher.signing_key IN SHARE ROW EXCLUSIVE MODE`
      let count = 0
      for (const { id: databaseId } of await transaction.database.findMany({ select: { id: true } })) {
        for (const row of await transaction.signingKey.findMany({ where: { databaseId } })) {
          if (!opens(store.masterKey, row)) throw wrongKey('the old master key')
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
    { timeout: 600_000 },
  )
}

function opens(masterKey: Buffer, row: SigningKey) {
  try {
    openPrivateKey(masterKey, row)
    return true
  } catch {
    return false
  }
}

const wrongKey = (what: string) =>
  new OperatorError(`${what} is not the key that sealed the signing keys of this store`)
