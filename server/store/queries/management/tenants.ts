import type { Membership, Tenant } from '../../generated/client.js'
import type { ProductFields } from '../users.js'
import type { Page, TypedQueries } from './typed-queries.js'

type TenantKey = Pick<Tenant, 'databaseId' | 'id'>
type MembershipKey = Omit<Membership, 'joinedAt'>

export async function findTenantRow(store: TypedQueries, { databaseId, id }: TenantKey) {
  const { tenant } = await store.loadPrisma()
  return tenant.findUnique({ where: { databaseId_id: { databaseId, id } } }) as Promise<TenantRow | null>
}

/** Keeps tenants from being deleted before the transaction ends. Returns the ids of those that exist. */
export async function lockTenants(transaction: TypedQueries, databaseId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>()
  const rows = await transaction.query<Pick<Tenant, 'id'>>(
    `SELECT id FROM usher.tenant WHERE database_id = $1::uuid AND id = ANY($2::uuid[])
    ORDER BY id FOR KEY SHARE`,
    [databaseId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

const listedColumns = {
  databaseId: true,
  id: true,
  name: true,
  externalId: true,
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
}: Omit<TenantRow, 'createdAt'>) => [
  databaseId,
  id,
  name,
  externalId,
  metadata && JSON.stringify(metadata),
  privateMetadata && JSON.stringify(privateMetadata),
]

/** @throws a unique violation (SQLSTATE 23505) if another tenant has the external id */
export const insertTenant = (store: TypedQueries, tenant: TenantRow) =>
  store.query(insertStatement, [...valuesOf(tenant), tenant.createdAt])

const insertStatement = `
  INSERT INTO usher.tenant (database_id, id, name, external_id, metadata, private_metadata, created_at)
  VALUES ($1::uuid, $2::uuid, $3::text, $4::text, $5::json, $6::json, $7::timestamptz)`

/** Returns a tenant that no other transaction changes before the end of this one. */
export async function lockTenantRow(transaction: TypedQueries, { databaseId, id }: TenantKey) {
  const prisma = await transaction.loadPrisma()
  // A statement of its own, because only a later one sees what the transactions have changed that it waited for.
  await prisma.$queryRaw`
    SELECT 1 FROM usher.tenant WHERE database_id = ${databaseId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  return findTenantRow(transaction, { databaseId, id })
}

/** @throws a unique violation (SQLSTATE 23505) if another tenant has the external id */
export const updateTenantRow = (store: TypedQueries, tenant: TenantRow) =>
  store.query(updateStatement, valuesOf(tenant))

const updateStatement = `
  UPDATE usher.tenant SET name = $3::text, external_id = $4::text, metadata = $5::json, private_metadata = $6::json
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Removes up to `limit` members of a tenant. Returns their ids, or undefined if there is no such tenant. */
export async function deleteMembers(store: TypedQueries, { databaseId, id }: TenantKey, limit: number) {
  const transaction = await store.loadPrisma()
  // From here on no user can be added, because a membership locks its tenant.
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM usher.tenant WHERE database_id = ${databaseId}::uuid AND id = ${id}::uuid FOR UPDATE`
  if (found.length === 0) return undefined
  // By ctid, because with user_id = ANY the planner may read every member of the tenant.
  const members = await transaction.$queryRaw<Pick<Membership, 'userId'>[]>`
    DELETE FROM usher.membership WHERE database_id = ${databaseId}::uuid AND ctid = ANY(ARRAY(
      SELECT ctid FROM usher.membership
      WHERE database_id = ${databaseId}::uuid AND tenant_id = ${id}::uuid LIMIT ${limit}))
    RETURNING user_id AS "userId"`
  return members.map(({ userId }) => userId)
}

/** Deletes a tenant unless it has members. Returns whether it has deleted it. */
export async function deleteEmptyTenant(store: TypedQueries, { databaseId, id }: TenantKey) {
  const transaction = await store.loadPrisma()
  // Prisma's client would not name the database of the memberships.
  const count = await transaction.$executeRaw`
    DELETE FROM usher.tenant WHERE database_id = ${databaseId}::uuid AND id = ${id}::uuid AND NOT EXISTS (
      SELECT 1 FROM usher.membership WHERE database_id = ${databaseId}::uuid AND tenant_id = ${id}::uuid)`
  return count > 0
}

/** Returns the tenants of a user in the order of joining. */
export async function listMemberships(
  store: TypedQueries,
  { databaseId, userId }: Omit<MembershipKey, 'tenantId'>,
) {
  const { membership } = await store.loadPrisma()
  return membership.findMany({
    where: { databaseId, userId },
    select: { joinedAt: true, tenant: { select: { id: true, name: true } } },
    orderBy: [{ joinedAt: 'asc' }, { tenantId: 'asc' }],
  })
}

/** Adds a user to a tenant. Returns false if the user was already a member. */
export async function insertMembership(store: TypedQueries, data: Membership) {
  const { membership } = await store.loadPrisma()
  const { count } = await membership.createMany({ data, skipDuplicates: true })
  return count > 0
}

/** Removes a user from a tenant. Returns whether the user was a member. */
export async function deleteMembership(store: TypedQueries, { databaseId, userId, tenantId }: MembershipKey) {
  const { membership } = await store.loadPrisma()
  const { count } = await membership.deleteMany({ where: { databaseId, userId, tenantId } })
  return count > 0
}
