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

/** What some lines of an import have done to the owners of tenants. */
export interface TenantOwners {
  /** IDs of tenants that have an owner by these lines. */
  owned: ReadonlySet<string>
  /** Tenants of these lines that have no owner. */
  ownerless: readonly OwnerlessTenant[]
}

/**
 * Returns a function that finds the tenants of lines that have no owner: after the lines were added, or as if they were.
 *
 * @param isDryRun whether nothing is stored. Then it remembers the owners of earlier calls
 */
export function createOwnerCheck(isDryRun: boolean) {
  const earlier = new Set<string>()

  return async (
    store: Queries,
    databaseId: string,
    { added, existing }: { added: readonly UserWithTenants[]; existing: readonly UserWithTenants[] },
  ): Promise<TenantOwners> => {
    const tenants = added.flatMap((user) => user.tenants)
    const owned = new Set(tenants.flatMap(({ id, role }) => (role === 'owner' ? id : [])))
    if (isDryRun) for (const id of owned) earlier.add(id)
    const hasOwner = (id: string) => owned.has(id) || earlier.has(id)
    const wanted = new Map<string, NamedTenant>()
    const named = existing.flatMap((user) => user.tenants).filter(isNamed)
    for (const { id, externalId, name } of [...tenants, ...named])
      if (!hasOwner(id)) wanted.set(id, { id, externalId, name })
    if (wanted.size === 0) return { owned, ownerless: [] }
    const found = await findTenantOwners(store, databaseId, [...wanted.values()])
    const stored = new Set(found.map(({ id }) => id))
    const ownerless = new Map<string, OwnerlessTenant>()
    for (const { hasOwner: isOwned, ...tenant } of found)
      if (!isOwned && !hasOwner(tenant.id)) ownerless.set(tenant.id, { ...tenant, isIdKnown: true })
    for (const { id, externalId, name, isIdGiven } of isDryRun ? tenants : [])
      if (wanted.has(id) && !stored.has(id) && !ownerless.has(id))
        ownerless.set(id, { id, externalId, name, isIdKnown: isIdGiven })
    return { owned, ownerless: [...ownerless.values()] }
  }
}

/** Returns whether a tenant of a line may be one that exists. */
const isNamed = ({ isIdGiven, externalId }: UserWithTenants['tenants'][number]) =>
  isIdGiven || externalId !== null

/** Tenants that are remembered at most. */
const mostRemembered = 10_000

/** The tenants without an owner of an import, as far as its lines are read. Remembers at most 10,000 of them. */
export function createOwnerlessTenants() {
  const tenants = new Map<string, OwnerlessTenant>()
  let isComplete = true
  return {
    note({ owned, ownerless }: TenantOwners) {
      for (const id of owned) tenants.delete(id)
      for (const tenant of ownerless) {
        if (tenants.size < mostRemembered) tenants.set(tenant.id, tenant)
        else isComplete = false
      }
    },
    all: () => [...tenants.values()],
    /** Whether all of them are remembered. */
    isComplete: () => isComplete,
  }
}
