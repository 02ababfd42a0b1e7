import type { FieldRight } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { noteUseOfApiKey, type StoredApiKey } from '../../store/queries/api-keys.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, KeyRequest } from '../request.js'
import type { ManagedUserRead } from '../users/read-managed-users.js'

/** An API key that is valid. */
export interface ApiKey {
  id: string
  scopes: ReadonlySet<string>
}

/** The API key that a request sends, and what the request needs of it. */
interface Credential {
  /** Undefined if the request has none. */
  bearer: string | undefined
  scope: Scope
  /** The user of the path, if the operation only reads this user. */
  userId: string | undefined
}

/**
 * Verifies the API key of a request. Audits a rejected one. Reads the user of the path in the same statement if the key was
 * valid before. For a guessed key no user is read, so the response time does not reveal whether the user exists.
 *
 * @throws {Problem} `key_invalid` for any invalid key; `insufficient_scope`
 */
export async function admitApiKey(
  context: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { bearer, scope, userId }: Credential,
): Promise<Pick<KeyRequest, 'apiKey' | 'read'>> {
  const { key, read } = bearer ? await findKey(context, database.id, { bearer, userId }) : {}
  if (!key || context.now() >= key.expiresAt.getTime()) {
    context.rejectedTokens(caller.log, database.id, 'key_invalid')
    throw new Problem('key_invalid')
  }
  const apiKey = { id: key.id, scopes: new Set(key.scopes) }
  requireScope(apiKey, scope)
  await noteUse(context, { database, caller }, key)
  return { apiKey, read }
}

/** Notes the day of the use of a key. A failure is only logged, because a store that accepts no writes can be read. */
async function noteUse(
  { store, now }: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { id, lastUsedOn }: StoredApiKey,
) {
  const today = new Date(now()).toISOString().slice(0, 10)
  if (lastUsedOn === today) return
  try {
    await noteUseOfApiKey(store, { databaseId: database.id, id }, today)
  } catch (err) {
    caller.log.warn({ err, databaseId: database.id, apiKey: id }, 'the use of an API key was not noted')
  }
}

/** @throws {Problem} `key_invalid` if a key that was valid is revoked or has expired */
export async function requireValidApiKey(context: AppContext, databaseId: string, { id }: ApiKey) {
  const key = await context.findApiKey.byId(databaseId, id)
  if (!key || context.now() >= key.expiresAt.getTime()) throw new Problem('key_invalid')
}

/** @throws {Problem} `insufficient_scope` if the key lacks the scope */
export function requireScope({ scopes }: ApiKey, scope: Scope) {
  if (!scopes.has(scope))
    throw new Problem('insufficient_scope', { scope, detail: `The key lacks the scope ${scope}.` })
}

/** @throws {Problem} `insufficient_scope` if the key lacks a scope that a field needs */
export function requireScopes(apiKey: ApiKey, fields: readonly FieldRight[]) {
  for (const { scope } of fields) if (scope) requireScope(apiKey, scope)
}

async function findKey(
  { findApiKey, findManagedUser }: AppContext,
  databaseId: string,
  { bearer, userId: id }: { bearer: string; userId: string | undefined },
) {
  if (!id || !findApiKey.wasAccepted(databaseId, bearer))
    return { key: await findApiKey.byText(databaseId, bearer) }
  let read: ManagedUserRead | undefined
  const key = await findApiKey.byText(databaseId, bearer, async (apiKeyId) => {
    read = await findManagedUser(databaseId, { id, apiKeyId })
    return read?.apiKey
  })
  return { key, read }
}
