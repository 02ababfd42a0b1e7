import { listMemberRows } from '../../store/queries/listed-members.js'
import { countMembers, listTenantRows } from '../../store/queries/management/tenants.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { requireTenant } from '../tenants/tenants.js'

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

/** Returns users of a tenant, ordered by id. @throws {Problem} `tenant_not_found` */
export async function listTenantMembers(
  store: Store,
  database: RuleDatabase,
  { tenantId, ...page }: Page<string> & { tenantId: string },
) {
  await requireTenant(store, database, tenantId)
  return listMemberRows(store, { databaseId: database.id, tenantId }, page)
}
