import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { keyActivationSeconds } from '../discovery.js'
import { failures } from '../failures.js'
import { name } from '../fields.js'
import { body, NoQuery } from '../management/fields.js'
import { Scope } from '../management/scopes.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import {
  ConfirmationHeaders,
  DatabasePath,
  operatorDatabasePath,
  operatorProblems,
  operatorWriteProblems,
  timeOf,
} from './fields.js'

const c = initContract()

export const SigningKeyInfo = component(
  { id: 'SigningKeyInfo', description: 'A signing key of a database. Its private half is never shown.' },
  z.object({
    kid: field('ID of the key (RFC 7517).', z.string()),
    algorithm: field('Its algorithm.', z.string(), { examples: ['ES256'] }),
    state: field(
      '`signs`, `next`, `accepted` or `retired`.',
      z.enum(['signs', 'next', 'accepted', 'retired']),
      {
        isOpen: true,
      },
    ),
    activatesAt: timeOf('When it starts to sign.'),
    retiresAt: field('When it stops to verify, or null.', z.iso.datetime().nullable()),
  }),
)
export type SigningKeyInfo = z.infer<typeof SigningKeyInfo>

export const SigningKeyList = component(
  { id: 'SigningKeyList', description: 'The signing keys of a database.' },
  z.object({ keys: field('The keys, the newest first.', z.array(SigningKeyInfo)) }),
)
export type SigningKeyList = z.infer<typeof SigningKeyList>

const apiKeyFields = {
  id: field('ID of the key.', z.string(), { examples: ['jEG5WV7SqN3E'] }),
  name: field('Its name.', z.string()),
  ending: field('Its last characters.', z.string(), { examples: ['x7Qk'] }),
  scopes: field('What it allows.', z.array(z.string())),
  createdAt: timeOf('When it was created.'),
  expiresAt: timeOf('When it expires.'),
  lastUsedOn: field('The last day of its use (UTC), or null.', z.iso.date().nullable()),
  rotatedAt: field('When it got a successor, or null.', z.iso.datetime().nullable()),
}

export const ApiKeyInfo = component(
  { id: 'ApiKeyInfo', description: 'An API key of a database.' },
  z.object(apiKeyFields),
)
export type ApiKeyInfo = z.infer<typeof ApiKeyInfo>

export const ApiKeyList = component(
  { id: 'ApiKeyList', description: 'The API keys of a database.' },
  z.object({ apiKeys: field('The keys, the oldest first.', z.array(ApiKeyInfo)) }),
)
export type ApiKeyList = z.infer<typeof ApiKeyList>

export const NewApiKey = component(
  { id: 'NewApiKey', description: 'A new API key.' },
  z.object({ ...apiKeyFields, key: field('The key. Nothing shows it again.', z.string()) }),
)
export type NewApiKey = z.infer<typeof NewApiKey>

const seconds = (description: string, min: number, max: number) =>
  field(description, z.int().min(min).max(max).optional(), { format: 'int32' })

export const CreateApiKeyBody = body(
  {
    id: 'CreateApiKeyBody',
    description: 'A new API key.',
    example: { name: 'backend', scopes: ['users:read'], expiresInDays: 365 },
  },
  {
    name: field('Its name.', name(), { examples: ['backend'] }),
    scopes: field('What it allows.', z.array(Scope).min(1)),
    expiresInDays: field('Days for which it is valid, 1 to 3650.', z.int().min(1).max(3650).optional(), {
      format: 'int32',
      examples: [365],
    }),
    expiresInSeconds: seconds('Seconds for which it is valid, in place of days.', 1, 315_360_000),
  },
)
export type CreateApiKeyBody = z.infer<typeof CreateApiKeyBody>

export const RotateApiKeyBody = body(
  { id: 'RotateApiKeyBody', description: 'How a key is replaced.', example: { overlapHours: 24 } },
  {
    overlapHours: field(
      'Hours for which the former key still works, 0 to 720.',
      z.int().min(0).max(720).optional(),
      { format: 'int32', examples: [24] },
    ),
    overlapSeconds: seconds('Seconds for which it still works, in place of hours.', 0, 2_592_000),
  },
)
export type RotateApiKeyBody = z.infer<typeof RotateApiKeyBody>

export const RotateKeysBody = body(
  { id: 'RotateKeysBody', description: 'When the next key signs.', example: { activateInSeconds: 3600 } },
  {
    activateInSeconds: field(
      'Seconds until the next key signs. Default: 3600. Less than 3600 needs a confirmation. 0 also lets a key sign that is already published.',
      z.int().min(0).max(604_800).optional(),
      { format: 'int32' },
    ),
  },
)
export type RotateKeysBody = z.infer<typeof RotateKeysBody>

const ApiKeyPath = DatabasePath.extend({ apiKeyId: field('ID of the key.', z.string().max(100)) })
const KeyPath = DatabasePath.extend({ kid: field('ID of the key.', z.string().max(100)) })
const keysPath = `${operatorDatabasePath}/keys` as const
const apiKeysPath = `${operatorDatabasePath}/api-keys` as const

export const keys = c.router({
  listKeys: {
    method: 'GET',
    path: keysPath,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: SigningKeyList, ...failures(...operatorProblems) },
    summary: 'List signing keys',
    description: 'Returns the signing keys of a database, without their private halves.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  rotateKeys: {
    method: 'POST',
    path: `${keysPath}/rotate`,
    pathParams: DatabasePath,
    headers: ConfirmationHeaders,
    body: RotateKeysBody,
    responses: {
      201: SigningKeyInfo,
      ...failures('key_pending', 'step_up_required', ...operatorWriteProblems),
    },
    summary: 'Rotate signing keys',
    description: 'Publishes the next key now. It signs after an hour, when caches have it.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      records: { words: 'rotated the signing keys' },
      fields: [{ name: 'activateInSeconds', below: keyActivationSeconds, operator: 'confirms' }],
    },
  },
  retireKey: {
    method: 'DELETE',
    path: `${keysPath}/:kid`,
    pathParams: KeyPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: {
      200: SigningKeyInfo,
      ...failures('key_not_found', 'key_needed', 'step_up_required', ...operatorWriteProblems),
    },
    summary: 'Retire a compromised signing key',
    description: 'Its tokens are rejected within 5 seconds.',
    metadata: {
      who: { operator: 'owner', in: 'workspace' },
      confirms: 'always',
      records: { words: 'retired the signing key' },
    },
  },
  listApiKeys: {
    method: 'GET',
    path: apiKeysPath,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: ApiKeyList, ...failures(...operatorProblems) },
    summary: 'List API keys',
    description: 'Returns the API keys of a database, without their secrets.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  createApiKey: {
    method: 'POST',
    path: apiKeysPath,
    pathParams: DatabasePath,
    headers: ConfirmationHeaders,
    body: CreateApiKeyBody,
    responses: {
      201: NewApiKey,
      ...failures('too_many_api_keys', 'step_up_required', ...operatorWriteProblems),
    },
    summary: 'Create an API key',
    description: 'Shows the key once.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'created an API key' },
    },
  },
  rotateApiKey: {
    method: 'POST',
    path: `${apiKeysPath}/:apiKeyId/rotate`,
    pathParams: ApiKeyPath,
    headers: ConfirmationHeaders,
    body: RotateApiKeyBody,
    responses: {
      201: NewApiKey,
      ...failures(
        'api_key_not_found',
        'api_key_replaced',
        'too_many_api_keys',
        'step_up_required',
        ...operatorWriteProblems,
      ),
    },
    summary: 'Replace an API key',
    description: 'The successor has the same name, scopes and lifetime.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'replaced the API key' },
    },
  },
  revokeApiKey: {
    method: 'DELETE',
    path: `${apiKeysPath}/:apiKeyId`,
    pathParams: ApiKeyPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Revoke an API key',
    description: 'Requests with it are rejected within 5 seconds.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'revoked the API key' },
    },
  },
} satisfies DescribedRoutes)
