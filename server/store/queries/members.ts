import { NIL } from 'uuid'
import type { Membership, Tenant } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { FoundMember } from './listed-members.js'
import { isUnchanged, type ReadUser } from './revocations.js'

// A change of members is one transaction. Its first statement locks the users and then the tenant, as the deletion of an
// account does. Its second statement reads what the change depends on: only a later statement sees the changes of the
// transactions that the lock waited for. Otherwise two owners could each make the other a member at the same time.

/** Names a tenant. */
export type TenantKey = Pick<Membership, 'databaseId' | 'tenantId'>

/** Names a member. */
export type MemberKey = TenantKey & Pick<Membership, 'userId'>

/** Locks users by id, and then their tenant: no other transaction changes, adds or removes members before this one ends. */
export const lockUsersAndTenant = (
  { query }: Queries,
  { databaseId, tenantId }: TenantKey,
  userIds: readonly string[],
) => {
  const [first = NIL, second = first] = [...userIds].sort()
  return query<{ tenants: number }>(lockStatement, [databaseId, tenantId, first, second])
}

// Each user by its key: for a list of ids, Postgres may read all users of a database if most other databases are small.
const lockStatement = `
  WITH first_user AS (
    SELECT id FROM usher."user" WHERE database_id = $1::uuid AND id = $3::uuid FOR NO KEY UPDATE
  ), second_user AS (
    SELECT id FROM usher."user"
    WHERE database_id = $1::uuid AND id = $4::uuid AND (SELECT count(*) FROM first_user) >= 0
    FOR NO KEY UPDATE
  ), locked_tenant AS (
    SELECT id FROM usher.tenant
    WHERE database_id = $1::uuid AND id = $2::uuid AND (SELECT count(*) FROM second_user) >= 0
    FOR UPDATE
  )
  SELECT count(*)::int AS tenants FROM locked_tenant`

/** What a change of a tenant or a member depends on. */
export interface Standing {
  hasTenant: boolean
  /** Whether the user whom the change concerns exists. */
  hasUser: boolean
  /** Whether the acting user has not changed since the request read it. */
  isUnchanged: boolean
  /** Role of the acting user. Null: not a member. */
  actorRole: string | null
  /** Role of the member. Null: not a member. */
  memberRole: string | null
  /** Whether the tenant has an owner other than the member who is not disabled. */
  hasOtherOwner: boolean
  /** Whether the tenant has a member other than the member. */
  hasOtherMember: boolean
}

/**
 * Returns what a change of a tenant or a member depends on. The tenant is locked.
 *
 * @param key.userId the member whom the change concerns
 * @param actor the user who makes the change
 */
export async function findStanding(
  { query }: Queries,
  { databaseId, tenantId, userId = NIL }: TenantKey & { userId?: string | undefined },
  { id, generation }: ReadUser = nobody,
) {
  const values = [databaseId, tenantId, userId, id, generation]
  const [standing] = await query<Standing>(standingStatement, values)
  return standing as Standing
}

const nobody: ReadUser = { id: NIL, generation: 0 }

const roleOfMember = (userId: string) => `(
    SELECT m.role FROM usher.membership AS m
    WHERE m.database_id = $1::uuid AND m.tenant_id = $2::uuid AND m.user_id = ${userId}::uuid)`

// OFFSET 0 keeps the look-up by the tenant separate: with older statistics, Postgres reads all owners of the database instead.

/** Returns the condition that a tenant has an owner other than a user, who is not disabled. */
export const hasOtherOwner = (tenantId: string, userId: string) => `EXISTS (
    SELECT 1 FROM usher.membership AS o
    JOIN usher."user" AS holder ON holder.database_id = $1::uuid AND holder.id = o.user_id
    WHERE o.database_id = $1::uuid AND o.role = 'owner' AND o.tenant_id = ${tenantId}
      AND o.user_id <> ${userId}::uuid AND holder.disabled_at IS NULL OFFSET 0)`

/** Returns the condition that a tenant has a member other than a user. */
export const hasOtherMember = (tenantId: string, userId: string) => `EXISTS (
    SELECT 1 FROM usher.membership AS m
    WHERE m.database_id = $1::uuid AND m.tenant_id = ${tenantId} AND m.user_id <> ${userId}::uuid OFFSET 0)`

const standingStatement = `
  SELECT
    EXISTS (SELECT 1 FROM usher.tenant WHERE database_id = $1::uuid AND id = $2::uuid) AS "hasTenant",
    EXISTS (SELECT 1 FROM usher."user" WHERE database_id = $1::uuid AND id = $3::uuid) AS "hasUser",
    EXISTS (
      SELECT 1 FROM usher."user" AS u
      WHERE u.database_id = $1::uuid AND u.id = $4::uuid AND ${isUnchanged('$5')}
    ) AS "isUnchanged",
    ${roleOfMember('$4')} AS "actorRole", ${roleOfMember('$3')} AS "memberRole",
    ${hasOtherOwner('$2::uuid', '$3')} AS "hasOtherOwner",
    ${hasOtherMember('$2::uuid', '$3')} AS "hasOtherMember"`

/** Returns a member, or undefined. */
export async function findMember({ query }: Queries, { databaseId, tenantId, userId }: MemberKey) {
  const [member] = await query<FoundMember>(findMemberStatement, [databaseId, tenantId, userId])
  return member
}

const findMemberStatement = `
  SELECT u.id, u.email, u.preferred_name AS "preferredName", m.joined_at AS "joinedAt",
    m.role
  FROM usher.membership AS m JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = m.user_id
  WHERE m.database_id = $1::uuid AND m.tenant_id = $2::uuid AND m.user_id = $3::uuid`

/** Returns one of the roles that a member or an invitation has, or undefined. @param roles of the product */
export async function findUsedRole(
  { query }: Queries,
  databaseId: Tenant['databaseId'],
  roles: readonly string[],
) {
  const [row] = await query<{ role: string }>(findUsedRoleStatement, [databaseId, roles])
  return row?.role
}

// Only the command that removes roles runs it. Its first part repeats the condition of the index. Its second part has no
// index by role, and reads at most the invitations of the database: 100 a tenant, and those that expired since the last sweep.
const findUsedRoleStatement = `
  (SELECT role FROM usher.membership
   WHERE database_id = $1::uuid AND role = ANY ($2::text[]) AND role <> 'member' LIMIT 1)
  UNION ALL
  (SELECT role FROM usher.invitation WHERE database_id = $1::uuid AND role = ANY ($2::text[]) LIMIT 1)
  LIMIT 1`
