import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { keyProblems, managementPath, strict } from './fields.js'
import { followed, nextPlace } from './followed.js'

const c = initContract()

/** Type of a revocation. */
export const RevocationType = component(
  {
    id: 'RevocationType',
    description: [
      'What a backend that verifies tokens itself must do.',
      '`tokens-revoked`: refuse tokens of `userId` whose claim `gen` is less than `generation` or absent.',
      '`session-revoked`: refuse tokens whose `sid` is `sessionId`, and tokens without `sid` whose `jti` is `sessionId`.',
      '`token-claims-change`: in tokens of `userId` whose claim `tenants_version` is less than `version` or absent, the role in `tenantId` is `role`; null removes the tenant.',
      '`tenant-deleted`: remove `tenantId` from all tokens.',
      '`key-retired`: refuse tokens of the key `kid`, and fetch the public keys again.',
    ].join(' '),
    isOpen: true,
  },
  z.enum(['tokens-revoked', 'session-revoked', 'token-claims-change', 'tenant-deleted', 'key-retired']),
)

/** A change that affects tokens that have not expired. */
export const Revocation = component(
  { id: 'Revocation', description: 'A change that affects tokens that have not expired.' },
  z.object({
    type: RevocationType,
    expiresAt: instant('When all affected tokens have expired, so that the revocation can be discarded'),
    userId: field('ID of the user.', z.uuid().optional()),
    generation: field('The first `gen` that is accepted.', z.int().optional(), { format: 'int64' }),
    sessionId: field('ID of the session.', z.uuid().optional()),
    version: field('The first `tenants_version` that has the change.', z.int().optional(), {
      format: 'int64',
    }),
    tenantId: field('ID of the tenant.', z.uuid().optional()),
    role: field('Role in the tenant. Null if the user is no longer a member.', z.string().nullish(), {
      examples: ['admin'],
    }),
    kid: field('ID of the key.', z.string().optional()),
  }),
)
export type Revocation = z.infer<typeof Revocation>

/** Response of `listRevocations`. */
export const RevocationList = component(
  { id: 'RevocationList', description: 'The revocations after a cursor.' },
  z.object({
    revocations: field('In the order in which they apply.', z.array(Revocation)),
    ...nextPlace('revocations'),
  }),
)
export type RevocationList = z.infer<typeof RevocationList>

/** Query of `listRevocations`. */
export const ListRevocationsQuery = strict(followed('revocation'))
export type ListRevocationsQuery = z.infer<typeof ListRevocationsQuery>

export const revocations = c.router({
  listRevocations: {
    method: 'GET',
    path: `${managementPath}/revocations`,
    pathParams: DatabasePath,
    query: ListRevocationsQuery,
    responses: { 200: RevocationList, ...failures('cursor_expired', ...keyProblems) },
    summary: 'List revocations',
    description:
      'Returns the revocations that follow a cursor, each at least once and none skipped, for backends that verify tokens themselves. Each is listed until all affected tokens have expired. Applying one twice changes nothing. A server that cannot hold the request returns an empty list with `Retry-After`. The public port also serves this operation.',
    metadata: { who: { key: 'revocations:read' }, everyPort: true, mayAskToWait: true },
  },
} satisfies DescribedRoutes)
