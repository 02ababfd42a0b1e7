import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SigningKey } from '../../store/generated/client.js'

const ivBytes = 12
const tagBytes = 16

/** The row that a private key is sealed for: it cannot be opened in another. */
type Purpose = Pick<SigningKey, 'databaseId' | 'kid'>

const associatedData = ({ databaseId, kid }: Purpose) => Buffer.from(`${databaseId}/${kid}`)

/** Encrypts a private key with AES-256-GCM: initialization vector, tag and ciphertext concatenated. */
export function sealPrivateKey(masterKey: Buffer, pem: string, purpose: Purpose): Uint8Array<ArrayBuffer> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(associatedData(purpose))
  const ciphertext = Buffer.concat([cipher.update(pem, 'utf8'), cipher.final()])
  return Uint8Array.from(Buffer.concat([iv, cipher.getAuthTag(), ciphertext]))
}

/** Returns a private key as PEM. Throws if it was sealed with another master key or for another row. */
export function openPrivateKey(
  masterKey: Buffer,
  row: Purpose & Pick<SigningKey, 'sealedPrivateKey'>,
): string {
  const sealed = Buffer.from(row.sealedPrivateKey)
  const iv = sealed.subarray(0, ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, iv, { authTagLength: tagBytes })
  decipher.setAAD(associatedData(row)).setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
}

/** Returns whether the master key is the one that sealed a private key. */
export function canOpen(masterKey: Buffer, row: SigningKey) {
  try {
    openPrivateKey(masterKey, row)
    return true
  } catch {
    return false
  }
}
