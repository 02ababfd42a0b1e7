import type { DatabasePath } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import type {
  ApiKeyInfo,
  ApiKeyList,
  CreateApiKeyBody,
  NewApiKey,
  RotateApiKeyBody,
} from '@usher/contract/operator'
import {
  countApiKeys,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  replaceApiKey,
} from '../../store/queries/api-keys.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import { listApiKeyRows, type ShownApiKey } from '../../store/queries/management/api-keys.js'
import { hashOfApiKey, newApiKey } from '../api-keys/api-key.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { nameOfDatabase } from '../database-name.js'
import { refuseOperators } from '../databases/find-database.js'
import { invalidField, Problem, unless, validationFailed } from '../problem.js'
import { requireDatabase } from './databases.js'

/** Keys that a database may have, apart from expired and replaced ones. */
export const maxApiKeys = 20

/** A new key. Nothing shows its `key` again. */
interface CreatedApiKey extends ShownApiKey {
  databaseId: string
  key: string
}

type OfKey = ChangeRequest & { params: { apiKeyId: string } }

const apiKeyInfo = (key: ShownApiKey): ApiKeyInfo => ({
  id: key.id,
  name: key.name,
  ending: key.lastFour,
  scopes: key.scopes,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt.toISOString(),
  lastUsedOn: key.lastUsedOn?.toISOString().slice(0, 10) ?? null,
  rotatedAt: key.rotatedAt?.toISOString() ?? null,
})

const shownOnce = (created: CreatedApiKey): NewApiKey => ({
  ...apiKeyInfo(created),
  key: created.key,
})

/** Returns the API keys of a database, the oldest first. */
export async function listApiKeys(
  { store }: Pick<AppContext, 'store'>,
  { database }: Pick<ChangeRequest, 'database'>,
): Promise<ApiKeyList> {
  const { id } = await requireDatabase(store, database)
  return { apiKeys: (await listApiKeyRows(store, id)).map(apiKeyInfo) }
}

/** Returns a time that a body has in seconds or in a longer unit. @throws {Problem} `validation_failed` unless it has one of them */
function secondsOf(
  path: string,
  given: number | undefined,
  {
    unit,
    seconds = given === undefined ? undefined : given * unit,
  }: { unit: number; seconds: number | undefined },
) {
  if (seconds === undefined) throw validationFailed([{ path, code: 'required', detail: 'is required' }])
  if (given !== undefined && seconds !== given * unit)
    throw validationFailed([invalidField(path, 'is given in seconds, too')])
  return seconds
}

/** Creates an API key. */
export async function createApiKey(
  context: ChangeContext,
  request: ChangeRequest & { body: CreateApiKeyBody },
): Promise<NewApiKey> {
  const { name, scopes, expiresInDays, expiresInSeconds } = request.body
  const seconds = secondsOf('expiresInDays', expiresInDays, { unit: 86_400, seconds: expiresInSeconds })
  const described = { name, scopes: [...new Set(scopes)], expiresInSeconds: seconds }
  return shownOnce(await runChange(context, request, (change) => createKey(change, described)))
}

/** Replaces an API key: see {@link replaceKey}. */
export async function rotateApiKey(
  context: ChangeContext,
  request: OfKey & { body: RotateApiKeyBody },
): Promise<NewApiKey> {
  const { overlapHours, overlapSeconds: given } = request.body
  const overlapSeconds = secondsOf('overlapHours', overlapHours, { unit: 3_600, seconds: given })
  const rotation = { id: request.params.apiKeyId, overlapSeconds }
  return shownOnce(await runChange(context, request, (change) => replaceKey(change, rotation)))
}

/** Deletes an API key. Does nothing if there is none. */
export const revokeApiKey = (context: ChangeContext, request: OfKey) =>
  runChange(context, request, (change) => deleteKey(change, request.params.apiKeyId)).catch(
    unless('api_key_not_found'),
  )

/** @throws {Problem} if the database has the maximum number of keys */
async function createKey(
  change: Change,
  { expiresInSeconds, ...described }: { name: string; scopes: Scope[]; expiresInSeconds: number },
): Promise<Outcome<CreatedApiKey>> {
  refuseOperators(change.database, 'has no API keys')
  await lockSigningKeys(change, change.database.id)
  await requireApiKeysLeft(change)
  const expiresAt = new Date(change.now.getTime() + expiresInSeconds * 1000)
  const created = await insertNewKey(change, { ...described, expiresAt })
  return {
    result: created,
    facts: [{ type: 'api_key.created', apiKey: created.id, scopes: created.scopes }],
  }
}

/**
 * Creates a successor with the same name, scopes and lifetime. The replaced key expires after the overlap.
 *
 * @throws {Problem} if there is no such key, if it has already been replaced, or if it has expired and the database has
 * the maximum number of keys
 */
async function replaceKey(
  change: Change,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<Outcome<CreatedApiKey>> {
  const { database, now } = change
  await lockSigningKeys(change, database.id)
  const former = await findApiKey(change, { databaseId: database.id, id })
  if (!former) throw apiKeyNotFound(database, id)
  if (former.rotatedAt)
    throw new Problem('api_key_replaced', { detail: `API key ${id} has already been replaced.` })
  // A key that is not expired counts itself, and its successor in its place.
  if (former.expiresAt <= now) await requireApiKeysLeft(change)
  const end = new Date(now.getTime() + overlapSeconds * 1000)
  const expiresAt = end < former.expiresAt ? end : former.expiresAt
  await replaceApiKey(change, { databaseId: database.id, id, rotatedAt: now, expiresAt })
  const { name, scopes } = former
  const lifetime = former.expiresAt.getTime() - former.createdAt.getTime()
  const created = await insertNewKey(change, {
    name,
    scopes,
    expiresAt: new Date(now.getTime() + lifetime),
  })
  return { result: created, facts: [{ type: 'api_key.rotated', apiKey: created.id }] }
}

/** Deletes a key. The next request with it is refused. @throws {Problem} if there is no such key */
async function deleteKey(change: Change, id: string): Promise<Outcome<{ databaseId: string; id: string }>> {
  const key = { databaseId: change.database.id, id }
  if (!(await deleteApiKey(change, key))) throw apiKeyNotFound(change.database, id)
  return { result: key, facts: [{ type: 'api_key.revoked', apiKey: id }] }
}

async function insertNewKey(
  change: Change,
  described: Pick<CreatedApiKey, 'name' | 'scopes' | 'expiresAt'>,
): Promise<CreatedApiKey> {
  const { id, text } = newApiKey()
  const key = {
    id,
    databaseId: change.database.id,
    ...described,
    createdAt: change.now,
    lastFour: text.slice(-4),
  }
  await insertApiKey(change, { ...key, hash: hashOfApiKey(text) })
  return { ...key, rotatedAt: null, lastUsedOn: null, key: text }
}

/** @throws {Problem} if a database, whose keys are locked, has the maximum number of keys */
async function requireApiKeysLeft(change: Change) {
  const { database, now } = change
  if ((await countApiKeys(change, database.id, now)) < maxApiKeys) return
  throw new Problem('too_many_api_keys', {
    detail: `Database ${nameOfDatabase(database)} already has the maximum of ${maxApiKeys} API keys.`,
    about: nameOfDatabase(database),
  })
}

const apiKeyNotFound = (path: DatabasePath, id: string) =>
  new Problem('api_key_not_found', { detail: `API key ${id} does not exist in ${nameOfDatabase(path)}.` })
