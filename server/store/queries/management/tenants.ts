import type { Tenant } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import { byNamePrefix, type NamedCursor, type NamePrefix, namePrefixValues } from '../name-prefix.js'
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

/** Returns the tenants whose name begins with a text, ignoring case, in the order of the bytes of their lower case. */
export const listTenantsByName = (store: Queries, filter: NamePrefix, page: Page<NamedCursor>) =>
  store.query<ListedTenantRow & NamedCursor>(listByNameStatement, namePrefixValues(filter, page))

const listByNameStatement = `
  SELECT t.database_id AS "databaseId", t.id, t.name, t.external_id AS "externalId", t.seats,
    t.created_at AS "createdAt", lower(t.name) AS "foldedName"
  FROM usher.tenant AS t WHERE ${byNamePrefix('t', 'name')}`

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

export type NamedTenant = Pick<Tenant, 'id' | 'externalId' | 'name'>

/** Returns the existing tenants among some, by id or external id, and whether each has an owner. */
export const findTenantOwners = (
  { query }: Queries,
  databaseId: string,
  tenants: readonly Pick<Tenant, 'id' | 'externalId'>[],
) => query<NamedTenant & { hasOwner: boolean }>(findOwnersStatement, [databaseId, JSON.stringify(tenants)])

const tenantBy = (condition: string) => `
    SELECT id, external_id, name FROM usher.tenant WHERE database_id = $1::uuid AND ${condition}`

// OFFSET 0 and LIMIT keep the look-ups of each tenant separate, so that Postgres does not read all tenants or owners.
const findOwnersStatement = `
  SELECT found.id, found.external_id AS "externalId", found.name, (
    SELECT user_id FROM usher.membership
    WHERE database_id = $1::uuid AND role = 'owner' AND tenant_id = found.id ORDER BY user_id LIMIT 1
  ) IS NOT NULL AS "hasOwner"
  FROM json_to_recordset($2::json) AS wanted (id uuid, "externalId" text)
  CROSS JOIN LATERAL (${tenantBy('id = wanted.id')}
    UNION${tenantBy('external_id = wanted."externalId"')} OFFSET 0
  ) AS found`
