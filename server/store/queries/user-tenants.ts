import type { Queries } from '../store.js'
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
  /** Only of a database with single sign-on. Null: the tenant asks for none, and the user has not used it. */
  sso?: SsoRule | null
}

/** What the single sign-on of a tenant asks of the sessions of a member. */
export interface SsoRule {
  /** Whether the tenant needs a proof of each member. */
  isRequired: boolean
  /** Whether the member has joined by single sign-on. */
  isOnly: boolean
  /** Whether the member is an owner who may use a second factor instead. */
  isExempt: boolean
  /** Seconds for which a proof counts. Null: 30 days. */
  maxAge: number | null
  /** Since when a proof counts, in seconds since the epoch. Null: the provider of the tenant does not know the user. */
  provesFrom: number | null
  /** What the provider of the tenant calls the user. */
  email: string | null
  name: string | null
}

/** A tenant of a user as it is shown. */
export interface JoinedTenant extends TenantRole {
  name: string
  joinedAt: Date
  metadata: ProductObject | null
}

/** The rule of the single sign-on of `tenant` for `membership` with `entry`. */
const ssoRule = `CASE WHEN tenant.sso_required_at IS NOT NULL OR membership.sso_only OR entry.id IS NOT NULL THEN
        json_build_object('isRequired', tenant.sso_required_at IS NOT NULL, 'isOnly', membership.sso_only IS TRUE,
          'isExempt', membership.sso_exempt IS TRUE, 'maxAge', tenant.sso_max_age,
          'provesFrom', floor(extract(epoch FROM entry.proves_from)), 'email', entry.email, 'name', entry.name) END`

const withEntry = (databaseId: string, entry = 'usher.tenant_entry') => `
    LEFT JOIN ${entry} AS entry ON entry.database_id = ${databaseId} AND entry.tenant_id = membership.tenant_id
      AND entry.user_id = membership.user_id`

/**
 * Returns a column with the tenants of a user and the roles in them, in the order of joining.
 *
 * @param hasSso whether to read the rules of single sign-on
 */
export const membershipsOf = (userId: string, hasSso = false) => `COALESCE((
    SELECT json_agg(json_build_object('id', membership.tenant_id, 'role', membership.role${hasSso ? `, 'sso', ${ssoRule}` : ''})
      ORDER BY membership.joined_at, membership.tenant_id)
    FROM usher.membership${
      hasSso
        ? `
    JOIN usher.tenant ON tenant.database_id = $1::uuid AND tenant.id = membership.tenant_id${withEntry('$1::uuid')}`
        : ''
    }
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
  /** Only if the statement reads it. */
  tenantSso?: SsoRule | null
}

/** Returns the users by the positions of their keys. */
export function usersOf<Row extends TenantOfRow, Found extends { memberships: JoinedTenant[] }>(
  rows: readonly Row[],
  userOf: (row: Row) => Found,
) {
  const users: (Found | undefined)[] = []
  for (const row of rows) {
    const {
      place,
      tenantId,
      tenantName: name,
      tenantRole: role,
      joinedAt,
      tenantMetadata: metadata,
      tenantSso: sso,
    } = row
    const user = users[place - 1] ?? userOf(row)
    users[place - 1] = user
    if (!tenantId) continue
    const tenant = { id: tenantId, name, role, joinedAt, metadata }
    // Most statements do not read the rule, and `me` is read often.
    user.memberships.push(sso === undefined ? tenant : { ...tenant, sso })
  }
  for (const user of users) user?.memberships.sort(inOrderOfJoining)
  return users
}

const inOrderOfJoining = (one: JoinedTenant, other: JoinedTenant) =>
  one.joinedAt.getTime() - other.joinedAt.getTime() || (one.id < other.id ? -1 : 1)

const storeTables = {
  membership: 'usher.membership',
  tenant: 'usher.tenant',
  tenant_entry: 'usher.tenant_entry',
}

/** The columns of {@link joinedTenants}. */
export const joinedColumns = `
    joined."tenantId", joined."tenantName", joined."tenantRole", joined."joinedAt", joined."tenantMetadata"`

/** As {@link joinedColumns}, with the rules of single sign-on. */
export const joinedSsoColumns = `${joinedColumns}, joined."tenantSso"`

/** Joins the tenants of user `u`. OFFSET 0 keeps the subquery separate, as those of `findUsersOfTokens`. */
export const joinedTenants = (
  {
    membership,
    tenant,
    tenant_entry,
  }: Record<'membership' | 'tenant' | 'tenant_entry', string> = storeTables,
  { databaseId = '$1::uuid', hasSso = false }: { databaseId?: string; hasSso?: boolean } = {},
) => `
  LEFT JOIN LATERAL (
    SELECT tenant.id AS "tenantId", tenant.name AS "tenantName", membership.joined_at AS "joinedAt",
      membership.role AS "tenantRole",
      tenant.metadata AS "tenantMetadata"${
        hasSso
          ? `,
      ${ssoRule} AS "tenantSso"`
          : ''
      }
    FROM ${membership} AS membership
    JOIN ${tenant} AS tenant ON tenant.database_id = ${databaseId} AND tenant.id = membership.tenant_id${hasSso ? withEntry(databaseId, tenant_entry) : ''}
    WHERE membership.database_id = ${databaseId} AND membership.user_id = u.id
    OFFSET 0
  ) AS joined ON true`

/** Returns the tenants of a user as they are now, with the rules of single sign-on. */
export async function findSsoMemberships(
  { query }: Queries,
  { databaseId, userId }: { databaseId: string; userId: string },
) {
  const [row] = await query<Pick<Tenancy, 'memberships'>>(findStatement, [databaseId, userId])
  return row?.memberships ?? []
}

const findStatement = `SELECT ${membershipsOf('$2::uuid', true)}`
