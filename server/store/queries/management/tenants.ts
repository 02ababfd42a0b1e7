import type { Tenant } from '../../generated/client.js'
import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

const listedColumns = {
  databaseId: true,
  id: true,
  name: true,
  externalId: true,
  seats: true,
  createdAt: true,
} as const satisfies Partial<Record<keyof Tenant, true>>

/** A tenant of a list, without the objects of the product. */
export type ListedTenantRow = Pick<Tenant, keyof typeof listedColumns>

/** Returns tenants ordered by id. */
export async function listTenantRows(
  store: TypedQueries,
  { databaseId, externalId }: { databaseId: string; externalId?: string | undefined },
  { limit, after }: Page<string>,
): Promise<ListedTenantRow[]> {
  const { tenant } = await store.loadPrisma()
  return tenant.findMany({
    where: {
      databaseId,
      ...(after !== undefined && { id: { gt: after } }),
      ...(externalId !== undefined && { externalId }),
    },
    select: listedColumns,
    orderBy: { id: 'asc' },
    take: limit,
  })
}

/** Returns the number of users in each tenant that has one. */
export async function countMembers(store: TypedQueries, databaseId: string, tenantIds: readonly string[]) {
  const { membership } = await store.loadPrisma()
  const counts = await membership.groupBy({
    by: ['tenantId'],
    where: { databaseId, tenantId: { in: [...tenantIds] } },
    _count: true,
  })
  return new Map(counts.map((row) => [row.tenantId, row._count]))
}
