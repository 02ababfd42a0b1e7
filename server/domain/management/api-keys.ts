import type { DatabasePath } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import {
  countApiKeys,
  deleteApiKey,
  findApiKeyRow,
  insertApiKey,
  listApiKeyRows,
  replaceApiKey,
  type ShownApiKey,
} from '../../store/queries/management/api-keys.js'
import { lockDatabase } from '../../store/queries/management/keys.js'
import { inTransaction, type TypedQueries } from '../../store/queries/management/typed-queries.js'
import type { Store } from '../../store/store.js'
import { hashOfApiKey, newApiKey } from '../api-keys/api-key.js'
import { nameOfDatabase } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { requireDatabase } from './databases.js'
import type { Operation } from './operation.js'

/** Keys that a database may have, apart from expired and replaced ones. */
const maxApiKeys = 20

/** A new key. Nothing shows its `key` again. */
export interface CreatedApiKey extends ShownApiKey {
  databaseId: string
  key: string
}

/** @throws {Problem} if the database has the maximum number of keys */
export async function createApiKey(
  { store, now }: Operation,
  path: DatabasePath,
  { expiresInSeconds, ...described }: { name: string; scopes: Scope[]; expiresInSeconds: number },
): Promise<CreatedApiKey> {
  const { id: databaseId } = await requireDatabase(store, path)
  return inTransaction(store, async (transaction) => {
    await lockDatabase(transaction, databaseId)
    if ((await countApiKeys(transaction, databaseId, now)) >= maxApiKeys) throw tooManyApiKeys(path)
    const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000)
    return insertNewKey(transaction, { databaseId, ...described, createdAt: now, expiresAt })
  })
}

/** Returns the keys of a database, the oldest first. */
export async function listApiKeys(store: Store, path: DatabasePath): Promise<ShownApiKey[]> {
  const { id } = await requireDatabase(store, path)
  return listApiKeyRows(store, id)
}

/**
 * Creates a successor with the same name, scopes and lifetime. The replaced key expires after the overlap.
 *
 * @throws {Problem} if there is no such key, if it has already been replaced, or if it has expired and the database has
 * the maximum number of keys
 */
export async function rotateApiKey(
  { store, now }: Operation,
  path: DatabasePath,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<CreatedApiKey> {
  const { id: databaseId } = await requireDatabase(store, path)
  return inTransaction(store, async (transaction) => {
    await lockDatabase(transaction, databaseId)
    const former = await findApiKeyRow(transaction, { databaseId, id })
    if (!former) throw apiKeyNotFound(path, id)
    if (former.rotatedAt) {
      throw new Problem('api_key_replaced', { detail: `API key ${id} has already been replaced.` })
    }
    // A key that is not expired counts itself, and its successor in its place.
    if (former.expiresAt <= now && (await countApiKeys(transaction, databaseId, now)) >= maxApiKeys)
      throw tooManyApiKeys(path)
    const end = new Date(now.getTime() + overlapSeconds * 1000)
    const expiresAt = end < former.expiresAt ? end : former.expiresAt
    await replaceApiKey(transaction, { databaseId, id }, { rotatedAt: now, expiresAt })
    const lifetime = former.expiresAt.getTime() - former.createdAt.getTime()
    return insertNewKey(transaction, {
      databaseId,
      name: former.name,
      scopes: former.scopes,
      createdAt: now,
      expiresAt: new Date(now.getTime() + lifetime),
    })
  })
}

/** Deletes a key. The next request with it is refused. @throws {Problem} if there is no such key */
export async function revokeApiKey(store: Store, path: DatabasePath, id: string) {
  const { id: databaseId } = await requireDatabase(store, path)
  if (!(await deleteApiKey(store, { databaseId, id }))) throw apiKeyNotFound(path, id)
  return { databaseId, id }
}

async function insertNewKey(
  transaction: TypedQueries,
  described: Pick<CreatedApiKey, 'databaseId' | 'name' | 'scopes' | 'createdAt' | 'expiresAt'>,
): Promise<CreatedApiKey> {
  const { id, text } = newApiKey()
  const shown = { id, ...described, lastFour: text.slice(-4), rotatedAt: null, lastUsedOn: null }
  await insertApiKey(transaction, { ...shown, hash: hashOfApiKey(text) })
  return { ...shown, key: text }
}

const tooManyApiKeys = (path: DatabasePath) =>
  new Problem('too_many_api_keys', {
    detail: `Database ${nameOfDatabase(path)} already has the maximum of ${maxApiKeys} API keys.`,
    about: nameOfDatabase(path),
  })

const apiKeyNotFound = (path: DatabasePath, id: string) =>
  new Problem('api_key_not_found', { detail: `API key ${id} does not exist in ${nameOfDatabase(path)}.` })
