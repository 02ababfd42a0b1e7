import type { MemberList } from '@usher/contract'
import type { ListTenantsQuery, PageQuery, TenantList } from '@usher/contract/management'
import { listMemberRows } from '../../store/queries/listed-members.js'
import { countMembers, listTenantRows } from '../../store/queries/management/tenants.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { readPage } from '../page.js'
import type { KeyRequest } from '../request.js'
import { listedTenant, managedTenant, memberBody } from '../tenants/bodies.js'
import { requireTenant } from '../tenants/tenants.js'

/** A request with an API key about a tenant. */
export type TenantKeyRequest<Body = unknown> = KeyRequest<Body> & { params: { tenantId: string } }

/** Returns tenants ordered by id, with the number of users in each. */
export async function listTenants(store: Store, { id: databaseId }: RuleDatabase, page: Page<string>) {
  const tenants = await listTenantRows(store, { databaseId }, page)
  const users = await countMembers(
    store,
    databaseId,
    tenants.map(({ id }) => id),
  )
  return tenants.map((tenant) => ({ ...tenant, users: users.get(tenant.id) ?? 0 }))
}

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
export const getManagedTenant = async ({ store }: AppContext, { database, params }: TenantKeyRequest) =>
  managedTenant(await requireTenant(store, database, params.tenantId))

/** Returns users of a tenant, ordered by id. @throws {Problem} `tenant_not_found` */
export async function listTenantMembers(
  store: Store,
  database: RuleDatabase,
  { tenantId, ...page }: Page<string> & { tenantId: string },
) {
  await requireTenant(store, database, tenantId)
  return listMemberRows(store, { databaseId: database.id, tenantId }, page)
}

/** Returns a page of the users of a tenant, ordered by id. */
export async function listManagedMembers(
  { store }: AppContext,
  { database, params, query }: TenantKeyRequest & { query: PageQuery },
): Promise<MemberList> {
  const { rows, next } = await readPage(query, (page) =>
    listTenantMembers(store, database, { ...page, tenantId: params.tenantId }),
  )
  return { members: rows.map(memberBody), next }
}
