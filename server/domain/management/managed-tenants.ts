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
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels } from '../events/events.js'
import type { KeyRequest } from '../request.js'
import { type KeepResponse, oncePerKey } from './once-per-key.js'
import { operationOf, unlessMissing } from './operation.js'
import { nextOf } from './page.js'
import { changeTenant, createTenant, deleteTenant, requireTenant } from './tenants.js'

interface TenantRequest<Body = unknown> extends KeyRequest<Body> {
  params: DatabasePath & { tenantId: string }
}

/** Returns a page of tenants, ordered by id. */
export async function listManagedTenants(
  { store }: AppContext,
  { database, query: { limit = 50, after, externalId } }: KeyRequest & { query: ListTenantsQuery },
): Promise<TenantList> {
  const where = { databaseId: database.id, externalId }
  const rows = await listTenantRows(store, where, { limit: limit + 1, ...(after && { after }) })
  return { tenants: rows.slice(0, limit).map(listedTenant), next: nextOf(rows, limit) }
}

/** Returns a tenant as currently stored. */
export async function getManagedTenant({ store }: AppContext, { database, params }: TenantRequest) {
  const { tenantId: id } = params
  return managedTenant(await requireTenant(store, params, { databaseId: database.id, id }))
}

/** Creates a tenant without users. */
export function addManagedTenant(
  context: AppContext,
  request: KeyRequest<AddTenantBody> & { params: DatabasePath; headers: IdempotencyHeaders },
): Promise<ManagedTenant> {
  const { params, body, database } = request
  const work = async (keep: KeepResponse<ManagedTenant>) => {
    const creation = {
      ...operationOf(context, request),
      onCreated: (transaction: TypedQueries, created: TenantRow) => keep(transaction, managedTenant(created)),
    }
    const tenant = await createTenant(creation, params, body)
    context.deliver(eventChannels(database))
    auditTenant(request, 'tenant.created', tenant.id)
    return managedTenant(tenant)
  }
  return oncePerKey(context, request, { operation: 'addTenant', work })
}

/** Changes the fields of a tenant that are in the body. */
export async function changeManagedTenant(
  context: AppContext,
  request: TenantRequest<ChangeTenantBody> & { headers: IfMatchHeaders },
) {
  const { params, body, headers, database } = request
  const { tenantId: id } = params
  const change = { id, changes: body, ifMatch: headers['if-match'] }
  const { tenant, isChanged } = await changeTenant(operationOf(context, request), params, change)
  if (isChanged) {
    context.deliver(eventChannels(database))
    auditTenant(request, 'tenant.updated', id)
  }
  return managedTenant(tenant)
}

/** Deletes a tenant. Succeeds also if there is none. */
export async function removeManagedTenant(context: AppContext, request: TenantRequest) {
  const { params, database } = request
  const deletion = deleteTenant(operationOf(context, request), params, params.tenantId)
  const deleted = await deletion.catch(unlessMissing('tenant_not_found'))
  if (!deleted) return
  context.deliver(eventChannels(database))
  auditTenant(request, 'tenant.deleted', params.tenantId)
}

const auditTenant = (
  { caller, database, apiKey }: KeyRequest,
  event: 'tenant.created' | 'tenant.updated' | 'tenant.deleted',
  tenantId: string,
) => audit(caller.log, event, { databaseId: database.id, tenantId, apiKey: apiKey.id })

const listedTenant = ({ id, name, externalId, createdAt }: ListedTenantRow): ListedTenant => ({
  id,
  name,
  externalId,
  createdAt: createdAt.toISOString(),
})

const managedTenant = (tenant: TenantRow): ManagedTenant => ({
  ...listedTenant(tenant),
  metadata: tenant.metadata,
  privateMetadata: tenant.privateMetadata,
})
