import type { Tenant } from '../../generated/client.js'
import type { Page } from '../page.js'
import type { ProductFields } from '../product-fields.js'
import type { TypedQueries } from './typed-queries.js'

type TenantKey = Pick<Tenant, 'databaseId' | 'id'>

export async function findTenantRow(store: TypedQueries, { databaseId, id }: TenantKey) {
  const { tenant } = await store.loadPrisma()
  return tenant.findUnique({ where: { databaseId_id: { databaseId, id } } }) as Promise<TenantRow | null>
}

/**
 * Locks tenants before users are added. Returns the ids of those that exist.
 *
 * @param mode `KEY SHARE` only keeps them from being deleted. `UPDATE` is for new owners, see queries/members.ts
 */
export async function lockTenants(
  transaction: TypedQueries,
  { databaseId, ids }: { databaseId: string; ids: readonly string[] },
  mode: 'KEY SHARE' | 'UPDATE',
) {
  if (ids.length === 0) return new Set<string>()
  const rows = await transaction.query<Pick<Tenant, 'id'>>(
    `SELECT id FROM usher.tenant WHERE database_id = $1::uuid AND id = ANY($2::uuid[])
    ORDER BY id FOR ${mode}`,
    [databaseId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

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

/** Returns tenants ordered by id, which is the order of creation. */
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

/** What may be changed of a tenant. */
export interface TenantFields extends ProductFields {
  name: string
  seats: number | null
}

/** A tenant with the objects of the product. */
export type TenantRow = TenantFields & Pick<Tenant, 'databaseId' | 'id' | 'createdAt'>

const valuesOf = ({
  databaseId,
  id,
  name,
  externalId,
  metadata,
  privateMetadata,
  seats,
}: Omit<TenantRow, 'createdAt'>) => [
  databaseId,
  id,
  name,
  externalId,
  metadata && JSON.stringify(metadata),
  privateMetadata && JSON.stringify(privateMetadata),
  seats,
]

/** @throws a unique violation (SQLSTATE 23505) if another tenant has the external id */
export const insertTenant = (store: TypedQueries, tenant: TenantRow) =>
  store.query(insertStatement, [...valuesOf(tenant), tenant.createdAt])

const insertStatement = `
  INSERT INTO usher.tenant (database_id, id, name, external_id, metadata, private_metadata, seats, created_at)
  VALUES ($1::uuid, $2::uuid, $3::text, $4::text, $5::json, $6::json, $7::int, $8::timestamptz)`

/** Returns a tenant that no other transaction changes before the end of this one. */
export async function lockTenantRow(transaction: TypedQueries, { databaseId, id }: TenantKey) {
  const prisma = await transaction.loadPrisma()
  // A separate statement, because only a later one sees the changes of the transactions that the lock waited for.
  await prisma.$queryRaw`
    SELECT 1 FROM usher.tenant WHERE database_id = ${databaseId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  return findTenantRow(transaction, { databaseId, id })
}

/** @throws a unique violation (SQLSTATE 23505) if another tenant has the external id */
export const updateTenantRow = (store: TypedQueries, tenant: TenantRow) =>
  store.query(updateStatement, valuesOf(tenant))

const updateStatement = `
  UPDATE usher.tenant SET name = $3::text, external_id = $4::text, metadata = $5::json, private_metadata = $6::json,
    seats = $7::int
  WHERE database_id = $1::uuid AND id = $2::uuid`
