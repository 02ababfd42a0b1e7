import type { Tenant } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { ProductFields } from './user-fields.js'

type TenantKey = Pick<Tenant, 'databaseId' | 'id'>

/** What may be changed of a tenant. */
export interface TenantFields extends ProductFields {
  name: string
  seats: number | null
}

/** A tenant with the objects of the product. */
export type TenantRow = TenantFields & Pick<Tenant, 'databaseId' | 'id' | 'createdAt'>

/** Returns a tenant, or undefined. */
export async function findTenant({ query }: Queries, { databaseId, id }: TenantKey) {
  const [tenant] = await query<TenantRow>(findStatement, [databaseId, id])
  return tenant
}

const findStatement = `
  SELECT database_id AS "databaseId", id, name, external_id AS "externalId", metadata,
    private_metadata AS "privateMetadata", seats, created_at AS "createdAt"
  FROM usher.tenant WHERE database_id = $1::uuid AND id = $2::uuid`

const valuesOf = ({ databaseId, id, name, externalId, metadata, privateMetadata, seats }: TenantRow) => [
  databaseId,
  id,
  name,
  externalId,
  metadata && JSON.stringify(metadata),
  privateMetadata && JSON.stringify(privateMetadata),
  seats,
]

/**
 * Inserts a tenant.
 *
 * @param creatorId the user who creates it. Null: an operator or a backend does
 * @throws a unique violation (SQLSTATE 23505) if another tenant has the external id
 */
export const insertTenant = ({ query }: Queries, tenant: TenantRow, creatorId: string | null) =>
  query(insertStatement, [...valuesOf(tenant), tenant.createdAt, creatorId])

const insertStatement = `
  INSERT INTO usher.tenant (database_id, id, name, external_id, metadata, private_metadata, seats, created_at, creator_id)
  VALUES ($1::uuid, $2::uuid, $3::text, $4::text, $5::json, $6::json, $7::int, $8::timestamptz, $9::uuid)`

/** Stores the fields of a tenant. @throws a unique violation (SQLSTATE 23505) if another tenant has the external id */
export const updateTenant = ({ query }: Queries, tenant: TenantRow) =>
  query(updateStatement, valuesOf(tenant))

const updateStatement = `
  UPDATE usher.tenant SET name = $3::text, external_id = $4::text, metadata = $5::json, private_metadata = $6::json,
    seats = $7::int
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Returns the number of existing tenants that a user has created, at most `limit`. */
export async function countCreated({ query }: Queries, { databaseId, id }: TenantKey, limit: number) {
  const [row] = await query<{ count: number }>(countStatement, [databaseId, id, limit])
  return row?.count ?? 0
}

const countStatement = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM usher.tenant WHERE database_id = $1::uuid AND creator_id = $2::uuid LIMIT $3::int
  ) AS created`

/**
 * Locks tenants before users are added. Returns the ids of those that exist.
 *
 * @param mode `KEY SHARE` only keeps them from being deleted. `UPDATE` is for new owners, see queries/members.ts
 */
export async function lockTenants(
  transaction: Queries,
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
