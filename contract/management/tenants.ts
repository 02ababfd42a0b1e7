import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { failsWith } from '../field-errors.js'
import { instant, metadata, shownTenant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { afterText, next, page } from '../page.js'
import { component, field } from '../registry.js'
import { TenantPath } from '../tenant-path.js'
import { tenantName } from '../tenants.js'
import {
  body,
  externalId,
  externalIdFilter,
  IdempotencyHeaders,
  IfMatchHeaders,
  keyProblems,
  managementPath,
  NoQuery,
  namePrefixFilter,
  postProblems,
  privateMetadata,
  productFields,
  strict,
  writeProblems,
  yes,
} from './fields.js'

const c = initContract()

const nameExample = 'Analytical Engines'

const listed = {
  ...shownTenant,
  externalId: externalId(),
  seats: field('Maximum number of members who accept an invitation, or null.', z.int().nullable(), {
    format: 'int32',
  }),
  createdAt: instant('When the tenant was created'),
  users: field('Number of its users. Only if the request has `users`.', z.int().optional(), {
    format: 'int32',
  }),
}

const users = yes('`true`: with the number of users, which takes longer.')

/** A tenant of a list. */
export const ListedTenant = component(
  { id: 'ListedTenant', description: 'A tenant of a list.' },
  z.object(listed),
)
export type ListedTenant = z.infer<typeof ListedTenant>

/** A tenant as a backend sees it. */
export const ManagedTenant = component(
  { id: 'ManagedTenant', description: 'A tenant: a customer of the product.' },
  z.object({
    ...listed,
    metadata: metadata('An object of the product that members see, or null.'),
    privateMetadata: privateMetadata(),
  }),
)
export type ManagedTenant = z.infer<typeof ManagedTenant>

/** Response of `listTenants`. */
export const TenantList = component(
  { id: 'TenantList', description: 'A page of tenants.' },
  z.object({
    tenants: field('Ordered by id, and with `namePrefix` by name.', z.array(ListedTenant)),
    next: next(),
  }),
)
export type TenantList = z.infer<typeof TenantList>

/** Most seats that a tenant can have. */
export const maxSeats = 1_000_000

const seatsText = failsWith('invalid_type', `must be a whole number from 1 to ${maxSeats}, or null`)

/** Returns the schema of the seats of a tenant in a request. */
export const seats = () =>
  field(
    'Maximum number of members: beyond it, no invitation can be accepted. Null removes the limit. This API can add members beyond it.',
    z.int(seatsText).min(1, seatsText).max(maxSeats, seatsText).nullish(),
    { format: 'int32', examples: [25] },
  )

/** Fields of a tenant, apart from its name. */
const tenantFields = () => ({ ...productFields(), seats: seats() })

/** Body of `addTenant`. */
export const AddTenantBody = body(
  { id: 'AddTenantBody', description: 'The tenant to create.', example: { name: nameExample } },
  { name: tenantName(), ...tenantFields() },
)

/** Body of `changeTenant`. */
export const ChangeTenantBody = body(
  {
    id: 'ChangeTenantBody',
    description: 'The fields to change. An absent field does not change.',
    example: { name: nameExample },
  },
  { name: tenantName().optional(), ...tenantFields() },
)
export type ChangeTenantBody = z.infer<typeof ChangeTenantBody>

/** Query of `listTenants`. */
export const ListTenantsQuery = strict({
  ...page,
  after: afterText(),
  namePrefix: namePrefixFilter(),
  externalId: externalIdFilter(),
  users,
})
export type ListTenantsQuery = z.infer<typeof ListTenantsQuery>

const changeable = Object.keys(ChangeTenantBody.shape)

export const tenants = c.router({
  listTenants: {
    method: 'GET',
    path: `${managementPath}/tenants`,
    pathParams: DatabasePath,
    query: ListTenantsQuery,
    responses: { 200: TenantList, ...failures(...keyProblems) },
    summary: 'List tenants',
    description:
      'Returns tenants ordered by id, and with `namePrefix` by the bytes of the lower-case name. Those that were not imported with an id are in the order of creation.',
    metadata: { who: { key: 'tenants:read', operator: 'member', in: 'workspace' } },
  },
  getTenant: {
    method: 'GET',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: strict({ users }),
    responses: { 200: ManagedTenant, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'Get a tenant',
    description: 'Returns a tenant as currently stored.',
    metadata: { who: { key: 'tenants:read', operator: 'member', in: 'workspace' }, changeable },
  },
  addTenant: {
    method: 'POST',
    path: `${managementPath}/tenants`,
    pathParams: DatabasePath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: AddTenantBody,
    responses: { 201: ManagedTenant, ...failures('external_id_taken', ...postProblems) },
    summary: 'Create a tenant',
    description: 'Creates a tenant without users.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'added the tenant' },
      changeable,
    },
  },
  changeTenant: {
    method: 'PATCH',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IfMatchHeaders,
    body: ChangeTenantBody,
    responses: {
      200: ManagedTenant,
      ...failures('tenant_not_found', 'precondition_failed', 'external_id_taken', ...writeProblems),
    },
    summary: 'Change a tenant',
    description:
      'Changes the fields that are in the body, and returns the tenant. With `If-Match`, only if the tenant has not changed since it was read.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      records: { words: 'changed the tenant' },
      changeable,
      isRepeatable: true,
    },
  },
  removeTenant: {
    method: 'DELETE',
    path: `${managementPath}/tenants/:tenantId`,
    pathParams: TenantPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...keyProblems) },
    summary: 'Delete a tenant',
    description:
      'Deletes a tenant permanently. Its users remain. Also succeeds if there is no such tenant. The members of a large tenant are removed in several steps: repeat the request if it was interrupted.',
    metadata: {
      who: { key: 'tenants:write', operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'deleted the tenant' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
