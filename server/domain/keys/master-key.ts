import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Connection, DatabaseSecret, SigningKey } from '../../store/generated/client.js'
import type { SealedField } from '../../store/queries/databases.js'
import type { MasterKeys } from '../../store/store.js'

const ivBytes = 12
const tagBytes = 16

/**
 * Encrypts a secret with AES-256-GCM: initialization vector, tag and ciphertext concatenated.
 *
 * @param row identifies the row of the secret: it cannot be decrypted in another one
 */
export function seal(masterKey: Buffer, secret: Buffer, row: string): Uint8Array<ArrayBuffer> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from(row))
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  return Uint8Array.from(Buffer.concat([iv, cipher.getAuthTag(), ciphertext]))
}

/** Decrypts a secret with the master key or its successor. */
export function open({ masterKey, newMasterKey }: MasterKeys, sealed: Uint8Array, row: string): Buffer {
  try {
    return decrypt(masterKey, sealed, row)
  } catch (error) {
    if (!newMasterKey) throw error
    return decrypt(newMasterKey, sealed, row)
  }
}

function decrypt(masterKey: Buffer, sealed: Uint8Array, row: string): Buffer {
  const iv = sealed.subarray(0, ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, iv, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(row)).setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()])
}

type KeyId = Pick<SigningKey, 'databaseId' | 'kid'>
export const keyRow = ({ databaseId, kid }: KeyId) => `${databaseId}/${kid}`

export const sealPrivateKey = (masterKey: Buffer, pem: string, id: KeyId) =>
  seal(masterKey, Buffer.from(pem), keyRow(id))

/** Returns a private key as PEM. Throws if it was sealed with another master key or for another row. */
export const openPrivateKey = (keys: MasterKeys, row: KeyId & Pick<SigningKey, 'sealedPrivateKey'>) =>
  open(keys, row.sealedPrivateKey, keyRow(row)).toString()

/** Returns whether one of the master keys sealed a private key. */
export function canOpen(keys: MasterKeys, row: SigningKey) {
  try {
    openPrivateKey(keys, row)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the master key with which to encrypt new secrets of a database: the new one if it has encrypted a signing
 * key of the database. Before that, some running servers may not know the new one.
 */
export const sealingKey = ({ masterKey, newMasterKey }: MasterKeys, signingKeys: readonly SigningKey[]) =>
  newMasterKey && signingKeys.some((row) => canOpen({ masterKey: newMasterKey }, row))
    ? newMasterKey
    : masterKey

type SecretId = Pick<DatabaseSecret, 'databaseId' | 'number'>
/** Differs from every {@link keyRow}, because a kid has no slash. */
export const secretRow = ({ databaseId, number }: SecretId) => `${databaseId}/secret/${number}`

export const sealSecret = (masterKey: Buffer, secret: Buffer, id: SecretId) =>
  seal(masterKey, secret, secretRow(id))

/** Throws if the secret was sealed with another master key or for another row. */
export const openSecret = (keys: MasterKeys, row: SecretId & Pick<DatabaseSecret, 'sealedSecret'>) =>
  open(keys, row.sealedSecret, secretRow(row))

/** The secrets of a database that sign requests to the product, with the ends of their rows. */
const requestSecrets = { sealedWebhookSecret: 'webhook', sealedSignUpHookSecret: 'sign-up-hook' } as const

interface RequestSecretId {
  /** Of the database. */
  id: string
  field: SealedField
}

export const requestSecretRow = ({ id, field }: RequestSecretId) => `${id}/${requestSecrets[field]}`

export const sealRequestSecret = (masterKey: Buffer, secret: string, id: RequestSecretId) =>
  seal(masterKey, Buffer.from(secret), requestSecretRow(id))

/** Throws if the secret was sealed with another master key, for another database or for other requests. */
export const openRequestSecret = (keys: MasterKeys, sealed: Uint8Array, id: RequestSecretId) =>
  open(keys, sealed, requestSecretRow(id)).toString()

type ConnectionId = Pick<Connection, 'databaseId' | 'name'>
/** Differs from the other rows: its second part is of no other one. */
export const connectionRow = ({ databaseId, name }: ConnectionId) => `${databaseId}/connection/${name}`

export const sealConnectionSecret = (masterKey: Buffer, secret: string, id: ConnectionId) =>
  seal(masterKey, Buffer.from(secret), connectionRow(id))

/** Throws if the secret was sealed with another master key or for another connection. */
export const openConnectionSecret = (keys: MasterKeys, sealed: Uint8Array, id: ConnectionId) =>
  open(keys, sealed, connectionRow(id)).toString()

/** Differs from every {@link secretRow} and {@link requestSecretRow}. */
export const dataKeyRow = ({ databaseId }: { databaseId: string }) => `${databaseId}/data-key`
