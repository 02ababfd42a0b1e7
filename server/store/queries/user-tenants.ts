import type { ProductObject } from './user-fields.js'

/** The tenants of a user, and the number of their last removal or change of a role when they were read. */
export interface Tenancy {
  memberships: TenantRole[]
  tenantsVersion: number
}

/** A tenant of a user, and the user's role in it. They are in the order of joining. */
export interface TenantRole {
  id: string
  role: string
}

/** A tenant of a user as it is shown. */
export interface JoinedTenant extends TenantRole {
  name: string
  joinedAt: Date
  metadata: ProductObject | null
}

/** Returns a column with the tenants of a user and the roles in them, in the order of joining. */
export const membershipsOf = (userId: string) => `COALESCE((
    SELECT json_agg(json_build_object('id', membership.tenant_id, 'role', membership.role)
      ORDER BY membership.joined_at, membership.tenant_id)
    FROM usher.membership
    WHERE membership.database_id = $1::uuid AND membership.user_id = ${userId}
  ), '[]') AS memberships`

/** One of a user's tenants, or no tenant, and the position of the user's key, from 1 on. */
export interface TenantOfRow {
  place: number
  tenantId: string | null
  tenantName: string
  tenantRole: string
  joinedAt: Date
  tenantMetadata: ProductObject | null
}

/** Returns the users by the positions of their keys. */
export function usersOf<Row extends TenantOfRow, Found extends { memberships: JoinedTenant[] }>(
  rows: readonly Row[],
  userOf: (row: Row) => Found,
) {
  const users: (Found | undefined)[] = []
  for (const row of rows) {
    const { place, tenantId, tenantName: name, tenantRole: role, joinedAt, tenantMetadata: metadata } = row
    const user = users[place - 1] ?? userOf(row)
    users[place - 1] = user
    if (tenantId) user.memberships.push({ id: tenantId, name, role, joinedAt, metadata })
  }
  for (const user of users) user?.memberships.sort(inOrderOfJoining)
  return users
}

const inOrderOfJoining = (one: JoinedTenant, other: JoinedTenant) =>
  one.joinedAt.getTime() - other.joinedAt.getTime() || (one.id < other.id ? -1 : 1)

/** The columns of {@link joinedTenants}. */
export const joinedColumns = `
    joined."tenantId", joined."tenantName", joined."tenantRole", joined."joinedAt", joined."tenantMetadata"`

/** Joins the tenants of user `u`. OFFSET 0 keeps the subquery separate, as those of `findUsersOfTokens`. */
export const joinedTenants = (
  { membership, tenant } = { membership: 'usher.membership', tenant: 'usher.tenant' },
  databaseId = '$1::uuid',
) => `
  LEFT JOIN LATERAL (
    SELECT tenant.id AS "tenantId", tenant.name AS "tenantName", membership.joined_at AS "joinedAt",
      membership.role AS "tenantRole",
      tenant.metadata AS "tenantMetadata"
    FROM ${membership} AS membership
    JOIN ${tenant} AS tenant ON tenant.database_id = ${databaseId} AND tenant.id = membership.tenant_id
    WHERE membership.database_id = ${databaseId} AND membership.user_id = u.id
    OFFSET 0
  ) AS joined ON true`
