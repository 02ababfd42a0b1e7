import { keyActivationSeconds } from '@usher/contract'
import type {
  ApiKeyInfo,
  ApiKeyList,
  CreateApiKeyBody,
  NewApiKey,
  RotateApiKeyBody,
  RotateKeysBody,
  SigningKeyInfo,
  SigningKeyList,
} from '@usher/contract/operator'
import type { SigningKey } from '../../store/generated/client.js'
import type { ShownApiKey } from '../../store/queries/management/api-keys.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import {
  type CreatedApiKey,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../management/api-keys.js'
import { keyState, listKeys, retireKey, rotateKeys } from '../management/keys/key-rotation.js'
import { unless } from '../problem.js'
import { type InDatabase, type OperatorRequest, requestInDatabase } from './operator-request.js'

type Request<Body = unknown, Params = unknown> = OperatorRequest<Body> & InDatabase & { params: Params }

const keyInfo = (key: SigningKey, keys: readonly SigningKey[], now: number): SigningKeyInfo => ({
  kid: key.kid,
  algorithm: key.algorithm,
  state: keyState(key, keys, new Date(now)),
  activatesAt: key.activatesAt.toISOString(),
  retiresAt: key.retiresAt?.toISOString() ?? null,
})

/** Returns the signing keys of a database, the newest first. */
export async function listSigningKeys(context: AppContext, request: Request): Promise<SigningKeyList> {
  const { database } = await requestInDatabase(context, request)
  const keys = await listKeys(context.store, database)
  return { keys: keys.map((key) => keyInfo(key, keys, context.now())) }
}

/** Publishes the next signing key of a database. @throws {Problem} `key_pending` */
export async function rotateSigningKeys(
  context: AppContext,
  request: Request<RotateKeysBody>,
): Promise<SigningKeyInfo> {
  const { activateInSeconds = keyActivationSeconds } = request.body
  const change = await requestInDatabase(context, request)
  const wanted = { masterKeys: context.store, activateInSeconds }
  const key = await runChange(context, change, (inChange) => rotateKeys(inChange, wanted))
  return keyInfo(key, [key], context.now())
}

/** Rejects the tokens of a compromised signing key. */
export async function retireSigningKey(
  context: AppContext,
  request: Request<unknown, { kid: string }>,
): Promise<SigningKeyInfo> {
  const change = await requestInDatabase(context, request)
  const wanted = { masterKeys: context.store, kid: request.params.kid }
  const key = await runChange(context, change, (inChange) => retireKey(inChange, wanted))
  return keyInfo(key, [key], context.now())
}

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

const newApiKey = (created: CreatedApiKey): NewApiKey => ({ ...apiKeyInfo(created), key: created.key })

/** Returns the API keys of a database, the oldest first. */
export async function listDatabaseApiKeys(context: AppContext, request: Request): Promise<ApiKeyList> {
  const { database } = await requestInDatabase(context, request)
  return { apiKeys: (await listApiKeys(context.store, database)).map(apiKeyInfo) }
}

/** Creates an API key. */
export async function createDatabaseApiKey(
  context: AppContext,
  request: Request<CreateApiKeyBody>,
): Promise<NewApiKey> {
  const { name, scopes, expiresInDays } = request.body
  const described = { name, scopes: [...new Set(scopes)], expiresInSeconds: expiresInDays * 86_400 }
  const change = await requestInDatabase(context, request)
  return newApiKey(await runChange(context, change, (inChange) => createApiKey(inChange, described)))
}

/** Replaces an API key. */
export async function rotateDatabaseApiKey(
  context: AppContext,
  request: Request<RotateApiKeyBody, { apiKeyId: string }>,
): Promise<NewApiKey> {
  const rotation = { id: request.params.apiKeyId, overlapSeconds: request.body.overlapHours * 3_600 }
  const change = await requestInDatabase(context, request)
  return newApiKey(await runChange(context, change, (inChange) => rotateApiKey(inChange, rotation)))
}

/** Deletes an API key. Does nothing if there is none. */
export async function revokeDatabaseApiKey(
  context: AppContext,
  request: Request<unknown, { apiKeyId: string }>,
) {
  const change = await requestInDatabase(context, request)
  const revoke = runChange(context, change, (inChange) => revokeApiKey(inChange, request.params.apiKeyId))
  await revoke.catch(unless('api_key_not_found'))
}
