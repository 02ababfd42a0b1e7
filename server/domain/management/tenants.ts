import { listMemberRows } from '../../store/queries/listed-members.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { requireTenant } from '../tenants/tenants.js'

/** Returns users of a tenant, ordered by id. @throws {Problem} `tenant_not_found` */
export async function listTenantMembers(
  store: Store,
  database: RuleDatabase,
  { tenantId, ...page }: Page<string> & { tenantId: string },
) {
  await requireTenant(store, database, tenantId)
  return listMemberRows(store, { databaseId: database.id, tenantId }, page)
}
