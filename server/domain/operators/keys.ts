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
import * as apiKeys from '../management/api-keys.js'
import * as signingKeys from '../management/keys/key-rotation.js'
import { invalidField, unless, validationFailed } from '../problem.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

type Request<Body = unknown, Params = unknown> = OperatorDatabaseRequest<Body> & { params: Params }

const keyInfo = (key: SigningKey, keys: readonly SigningKey[], now: number): SigningKeyInfo => ({
  kid: key.kid,
  algorithm: key.algorithm,
  state: signingKeys.keyState(key, keys, new Date(now)),
  activatesAt: key.activatesAt.toISOString(),
  retiresAt: key.retiresAt?.toISOString() ?? null,
})

/** Returns the signing keys of a database, the newest first. */
export async function listKeys(context: AppContext, { database }: Request): Promise<SigningKeyList> {
  const keys = await signingKeys.listKeys(context.store, database)
  return { keys: keys.map((key) => keyInfo(key, keys, context.now())) }
}

/** Publishes the next signing key of a database. @throws {Problem} `key_pending` */
export async function rotateKeys(
  context: AppContext,
  request: Request<RotateKeysBody>,
): Promise<SigningKeyInfo> {
  const { activateInSeconds = keyActivationSeconds } = request.body
  const wanted = { masterKeys: context.store, activateInSeconds }
  const key = await runChange(context, request, (change) => signingKeys.rotateKeys(change, wanted))
  return keyInfo(key, [key], context.now())
}

/** Rejects the tokens of a compromised signing key. */
export async function retireKey(
  context: AppContext,
  request: Request<unknown, { kid: string }>,
): Promise<SigningKeyInfo> {
  const wanted = { masterKeys: context.store, kid: request.params.kid }
  const key = await runChange(context, request, (change) => signingKeys.retireKey(change, wanted))
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

const newApiKey = (created: apiKeys.CreatedApiKey): NewApiKey => ({
  ...apiKeyInfo(created),
  key: created.key,
})

/** Returns the API keys of a database, the oldest first. */
export async function listApiKeys({ store }: AppContext, { database }: Request): Promise<ApiKeyList> {
  return { apiKeys: (await apiKeys.listApiKeys(store, database)).map(apiKeyInfo) }
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
  context: AppContext,
  request: Request<CreateApiKeyBody>,
): Promise<NewApiKey> {
  const { name, scopes, expiresInDays, expiresInSeconds } = request.body
  const seconds = secondsOf('expiresInDays', expiresInDays, { unit: 86_400, seconds: expiresInSeconds })
  const described = { name, scopes: [...new Set(scopes)], expiresInSeconds: seconds }
  return newApiKey(await runChange(context, request, (change) => apiKeys.createApiKey(change, described)))
}

/** Replaces an API key. */
export async function rotateApiKey(
  context: AppContext,
  request: Request<RotateApiKeyBody, { apiKeyId: string }>,
): Promise<NewApiKey> {
  const { overlapHours, overlapSeconds: given } = request.body
  const overlapSeconds = secondsOf('overlapHours', overlapHours, { unit: 3_600, seconds: given })
  const rotation = { id: request.params.apiKeyId, overlapSeconds }
  return newApiKey(await runChange(context, request, (change) => apiKeys.rotateApiKey(change, rotation)))
}

/** Deletes an API key. Does nothing if there is none. */
export const revokeApiKey = (context: AppContext, request: Request<unknown, { apiKeyId: string }>) =>
  runChange(context, request, (change) => apiKeys.revokeApiKey(change, request.params.apiKeyId)).catch(
    unless('api_key_not_found'),
  )
