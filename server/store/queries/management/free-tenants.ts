import type { UserWithTenants } from './import-users.js'
import type { TypedQueries } from './typed-queries.js'

/**
 * Returns the users without those who have a tenant with the external id of another tenant.
 *
 * @param earlier.ids ids of tenants of earlier users, by external id. Adds those of the returned users
 */
export async function withFreeTenants(
  store: TypedQueries,
  { databaseId, ids = new Map() }: { databaseId: string; ids?: Map<string, string> },
  users: readonly UserWithTenants[],
) {
  const externalIds = users.flatMap(({ tenants }) => tenants.flatMap(({ externalId }) => externalId ?? []))
  if (externalIds.length === 0) return users
  const { tenant } = await store.loadPrisma()
  const stored = await tenant.findMany({
    where: { databaseId, externalId: { in: externalIds } },
    select: { id: true, externalId: true },
  })
  for (const { id, externalId } of stored) if (externalId !== null) ids.set(externalId, id)
  return users.filter(({ tenants }) => {
    const own = tenants.filter(({ externalId }) => externalId !== null) as {
      id: string
      externalId: string
    }[]
    if (own.some(({ id, externalId }) => (ids.get(externalId) ?? id) !== id)) return false
    for (const { id, externalId } of own) ids.set(externalId, id)
    return true
  })
}
