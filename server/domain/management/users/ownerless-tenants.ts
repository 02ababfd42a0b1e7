import type { UserWithTenants } from '../../../store/queries/management/import-users.js'
import { findTenantOwners, type NamedTenant } from '../../../store/queries/management/tenants.js'
import type { Queries } from '../../../store/store.js'

/** A tenant that has no owner, so that nobody can invite into it. */
export interface OwnerlessTenant extends NamedTenant {
  /** False in a dry run, if the tenant would get a new id. */
  isIdKnown: boolean
}

/** Returns what a report shows of a tenant. */
export const shownTenant = ({ isIdKnown, id, ...tenant }: OwnerlessTenant) => ({
  id: isIdKnown ? id : null,
  ...tenant,
})

/** Lines whose tenants may have no owner. */
interface ImportedLines {
  added: readonly UserWithTenants[]
  existing: readonly UserWithTenants[]
  /** Whether nothing is stored. */
  isDryRun: boolean
}

/** Returns the tenants of lines that have no owner: after the lines were added, or as if they were. */
export async function findOwnerless(
  store: Queries,
  databaseId: string,
  { added, existing, isDryRun }: ImportedLines,
): Promise<OwnerlessTenant[]> {
  const tenants = added.flatMap((user) => user.tenants)
  const owned = new Set(tenants.flatMap(({ id, role }) => (role === 'owner' ? id : [])))
  const wanted = new Map<string, NamedTenant>()
  const named = existing.flatMap((user) => user.tenants).filter(isNamed)
  for (const { id, externalId, name } of [...tenants, ...named])
    if (!owned.has(id)) wanted.set(id, { id, externalId, name })
  if (wanted.size === 0) return []
  const found = await findTenantOwners(store, databaseId, [...wanted.values()])
  const stored = new Set(found.map(({ id }) => id))
  const ownerless = new Map<string, OwnerlessTenant>()
  for (const { hasOwner, ...tenant } of found)
    if (!hasOwner && !owned.has(tenant.id)) ownerless.set(tenant.id, { ...tenant, isIdKnown: true })
  for (const { id, externalId, name, isIdGiven } of isDryRun ? tenants : [])
    if (wanted.has(id) && !stored.has(id) && !ownerless.has(id))
      ownerless.set(id, { id, externalId, name, isIdKnown: isIdGiven })
  return [...ownerless.values()]
}

/** Returns whether a tenant of a line may be one that exists. */
const isNamed = ({ isIdGiven, externalId }: UserWithTenants['tenants'][number]) =>
  isIdGiven || externalId !== null
