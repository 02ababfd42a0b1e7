import type { Scope } from '@usher/contract/management'
import { noteUseOfApiKey } from '../../store/queries/api-keys.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { hasHash, idOfApiKey } from './api-key.js'

/** An API key that is valid. */
export interface ApiKey {
  id: string
  scopes: ReadonlySet<string>
}

/**
 * Verifies the API key of a request. Audits a refused one.
 *
 * @param request.bearer the credential of the request, if there is one
 * @throws {Problem} `key_invalid` for every kind of bad key, or `insufficient_scope`
 */
export async function admitApiKey(
  context: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { bearer, scope }: { bearer: string | undefined; scope: Scope },
): Promise<ApiKey> {
  const key = bearer && (await findValidKey(context, database.id, bearer))
  if (!key) {
    context.rejectedTokens(caller.log, database.id, 'key_invalid')
    throw new Problem('key_invalid')
  }
  const apiKey = { id: key.id, scopes: new Set(key.scopes) }
  requireScope(apiKey, scope)
  const today = new Date(context.now()).toISOString().slice(0, 10)
  if (key.lastUsedOn !== today)
    await noteUseOfApiKey(context.store, { databaseId: database.id, id: key.id }, today)
  return apiKey
}

/** @throws {Problem} `key_invalid` if a key that was valid is revoked or has expired */
export async function requireValidApiKey(context: AppContext, databaseId: string, { id }: ApiKey) {
  const key = await context.findApiKey(databaseId, id)
  if (!key || context.now() >= key.expiresAt.getTime()) throw new Problem('key_invalid')
}

/** @throws {Problem} `insufficient_scope` if the key lacks the scope */
export function requireScope({ scopes }: ApiKey, scope: Scope) {
  if (!scopes.has(scope))
    throw new Problem('insufficient_scope', { scope, detail: `The key lacks the scope ${scope}.` })
}

async function findValidKey(context: AppContext, databaseId: string, text: string) {
  const id = idOfApiKey(text)
  const key = id && (await context.findApiKey(databaseId, id))
  return key && hasHash(text, key.hash) && context.now() < key.expiresAt.getTime() ? key : undefined
}
