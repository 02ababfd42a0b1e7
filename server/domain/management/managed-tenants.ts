import type { DatabasePath } from '@usher/contract'
import type {
  AddTenantBody,
  ChangeTenantBody,
  IdempotencyHeaders,
  IfMatchHeaders,
  ListedTenant,
  ListTenantsQuery,
  ManagedTenant,
  TenantList,
} from '@usher/contract/management'
import {
  type ListedTenantRow,
  listTenantRows,
  type TenantRow,
} from '../../store/queries/management/tenants.js'
import type { TypedQueries } from '../../store/queries/management/typed-queries.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import type { KeyRequest } from '../request.js'
import { type KeepResponse, oncePerKey } from './once-per-key.js'
import { noteChanges, operationOf, type TenantKeyRequest, unlessMissing } from './operation.js'
import { changeTenant, createTenant, deleteTenant, requireTenant } from './tenants.js'

/** Returns a page of tenants, ordered by id. */
export async function listManagedTenants(
  { store }: AppContext,
  { database, query }: KeyRequest & { query: ListTenantsQuery },
): Promise<TenantList> {
  const where = { databaseId: database.id, externalId: query.externalId }
  const { rows, next } = await readPage(query, (page) => listTenantRows(store, where, page))
  return { tenants: rows.map(listedTenant), next }
}

/** Returns a tenant as currently stored. */
export async function getManagedTenant({ store }: AppContext, { database, params }: TenantKeyRequest) {
  return managedTenant(await requireTenant(store, database, params.tenantId))
}

/** Creates a tenant without users. */
export function addManagedTenant(
  context: AppContext,
  request: KeyRequest<AddTenantBody> & { params: DatabasePath; headers: IdempotencyHeaders },
): Promise<ManagedTenant> {
  const { database, body } = request
  const work = async (keep: KeepResponse<ManagedTenant>) => {
    const creation = {
      ...operationOf(context, request),
      onCreated: (transaction: TypedQueries, created: TenantRow) => keep(transaction, managedTenant(created)),
    }
    const tenant = await createTenant(creation, database, body)
    noteChanges(context, request, [{ event: 'tenant.created', tenantId: tenant.id }])
    return managedTenant(tenant)
  }
  return oncePerKey(context, request, { operation: 'addTenant', work })
}

/** Changes the fields of a tenant that are in the body. */
export async function changeManagedTenant(
  context: AppContext,
  request: TenantKeyRequest<ChangeTenantBody> & { headers: IfMatchHeaders },
) {
  const { database, params, body, headers } = request
  const { tenantId: id } = params
  const change = { id, changes: body, ifMatch: headers['if-match'] }
  const { tenant, isChanged } = await changeTenant(operationOf(context, request), database, change)
  if (isChanged) noteChanges(context, request, [{ event: 'tenant.updated', tenantId: id }])
  return managedTenant(tenant)
}

/** Deletes a tenant. Also succeeds if there is none. */
export async function removeManagedTenant(context: AppContext, request: TenantKeyRequest) {
  const { database, params } = request
  const deletion = deleteTenant(operationOf(context, request), database, params.tenantId)
  const deleted = await deletion.catch(unlessMissing('tenant_not_found'))
  if (deleted) noteChanges(context, request, [{ event: 'tenant.deleted', tenantId: params.tenantId }])
}

const listedTenant = ({ id, name, externalId, seats, createdAt }: ListedTenantRow): ListedTenant => ({
  id,
  name,
  externalId,
  seats,
  createdAt: createdAt.toISOString(),
})

const managedTenant = (tenant: TenantRow): ManagedTenant => ({
  ...listedTenant(tenant),
  metadata: tenant.metadata,
  privateMetadata: tenant.privateMetadata,
})
