import { NIL } from 'uuid'
import type { Membership, Tenant } from '../generated/client.js'
import type { Store } from '../store.js'
import type { FoundMember } from './listed-members.js'
import { isUnchanged, type ReadUser } from './revocations.js'
import { firstOwnerOf, roleOf } from './roles.js'
import { type RevocationOrigin, storeRevocation } from './stored-revocations.js'

// A change of members is one transaction. Its first statement locks the users and then the tenant, as the deletion of an
// account does. Its second statement reads what the change depends on: only a later statement sees the changes of the
// transactions that the lock waited for. Otherwise two owners could each make the other a member at the same time.

type Queries = Pick<Store, 'query'>
type TenantKey = Pick<Membership, 'databaseId' | 'tenantId'>
type MemberKey = TenantKey & Pick<Membership, 'userId'>

/** Locks users by id, and then their tenant: nobody else changes, adds or removes members before the transaction ends. */
export const lockTenant = (
  { query }: Queries,
  { databaseId, tenantId }: TenantKey,
  userIds: readonly [] | readonly [string] | readonly [string, string],
) => {
  const [first = NIL, second = first] = [...userIds].sort()
  return query(lockStatement, [databaseId, tenantId, first, second])
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

/** What a change of a member depends on. */
export interface Standing {
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

/** Returns what a change of a member by a user depends on. The tenant is locked. */
export async function findStanding(
  { query }: Queries,
  { databaseId, tenantId, userId }: MemberKey,
  { id, generation, tokensValidAfter }: ReadUser,
) {
  const values = [databaseId, tenantId, userId, id, generation, tokensValidAfter]
  const [standing] = await query<Standing>(standingStatement, values)
  return standing as Standing
}

const roleOfMember = (userId: string) => `(
    SELECT ${roleOf('m', '$2::uuid')} FROM usher.membership AS m
    WHERE m.database_id = $1::uuid AND m.tenant_id = $2::uuid AND m.user_id = ${userId}::uuid)`

/** Returns the condition that a tenant has an owner other than a user, who is not disabled. */
export const hasOtherOwner = (tenantId: string, userId: string) => `EXISTS (
    SELECT 1 FROM usher.membership AS o
    JOIN usher."user" AS holder ON holder.database_id = $1::uuid AND holder.id = o.user_id
    WHERE o.database_id = $1::uuid AND o.role = 'owner' AND o.tenant_id = ${tenantId}
      AND o.user_id <> ${userId}::uuid AND holder.disabled_at IS NULL)`

/** Returns the condition that a tenant has a member other than a user. */
export const hasOtherMember = (tenantId: string, userId: string) => `EXISTS (
    SELECT 1 FROM usher.membership AS m
    WHERE m.database_id = $1::uuid AND m.tenant_id = ${tenantId} AND m.user_id <> ${userId}::uuid)`

const standingStatement = `
  SELECT
    EXISTS (
      SELECT 1 FROM usher."user" AS u
      WHERE u.database_id = $1::uuid AND u.id = $4::uuid AND ${isUnchanged('$5', '$6')}
    ) AS "isUnchanged",
    ${roleOfMember('$4')} AS "actorRole", ${roleOfMember('$3')} AS "memberRole",
    ${hasOtherOwner('$2::uuid', '$3')} AS "hasOtherOwner",
    ${hasOtherMember('$2::uuid', '$3')} AS "hasOtherMember"`

/** Returns the role of a member as it is read, or undefined if the user is no member. The tenant is locked. */
export async function findRole({ query }: Queries, { databaseId, tenantId, userId }: MemberKey) {
  const [row] = await query<{ role: string | null }>(findRoleStatement, [databaseId, tenantId, userId])
  return row?.role ?? undefined
}

const findRoleStatement = `SELECT ${roleOfMember('$3')} AS role`

/**
 * Stores the role of the member who is read as owner because of joining first. Without it, the member would not be owner
 * any more once another one is. The tenant is locked.
 */
export const storeFirstOwner = ({ query }: Queries, { databaseId, tenantId }: TenantKey) =>
  query(storeFirstOwnerStatement, [databaseId, tenantId])

const storeFirstOwnerStatement = `
  UPDATE usher.membership SET role = 'owner'
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id = ${firstOwnerOf('$2::uuid')}`

/** A change of a member, which backends hear of that verify tokens by themselves. */
export type MemberChange = MemberKey & Pick<RevocationOrigin, 'now' | 'actorId'>

/** Stores the role of a member. The user and the tenant are locked. */
export async function storeRole(transaction: Queries, change: MemberChange, role: string) {
  const { databaseId, tenantId, userId, now } = change
  if (role === 'owner') await storeFirstOwner(transaction, change)
  const values = [databaseId, tenantId, userId, now.getTime(), role]
  const [user] = await transaction.query<ChangedTenancy>(storeRoleStatement, values)
  if (user) await storeClaimsChange(transaction, change, { ...user, role })
}

/** The `tenants_version` of a user after a change. Prisma's client returns a bigint. */
interface ChangedTenancy {
  version: number | bigint
}

const storeClaimsChange = (
  transaction: Queries,
  { userId, tenantId, ...origin }: MemberChange,
  { version, role }: ChangedTenancy & { role: string | null },
) =>
  storeRevocation(transaction, origin, {
    type: 'token-claims-change',
    userId,
    version: Number(version),
    tenantId,
    role,
  })

/**
 * Returns a statement that changes memberships of a user, and raises the number of the user's `tenants_version`. It follows
 * the milliseconds, so that no number comes again after the user is restored from a backup.
 */
const changeTenancy = (changed: string) => `
  WITH changed AS (${changed} RETURNING user_id)
  UPDATE usher."user" AS u SET tenants_version = GREATEST(u.tenants_version + 1, $4::bigint) FROM changed
  WHERE u.database_id = $1::uuid AND u.id = changed.user_id
  RETURNING u.tenants_version AS version`

const storeRoleStatement = changeTenancy(`
    UPDATE usher.membership SET role = $5::text
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id = $3::uuid`)

/** Returns a member, or undefined. */
export async function findMember({ query }: Queries, { databaseId, tenantId, userId }: MemberKey) {
  const [member] = await query<FoundMember>(findMemberStatement, [databaseId, tenantId, userId])
  return member
}

const findMemberStatement = `
  SELECT u.id, u.email, u.preferred_name AS "preferredName", m.joined_at AS "joinedAt",
    ${roleOf('m', '$2::uuid')} AS role
  FROM usher.membership AS m JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = m.user_id
  WHERE m.database_id = $1::uuid AND m.tenant_id = $2::uuid AND m.user_id = $3::uuid`

/** Adds a member. The tenant is locked, and the user is no member. */
export async function insertMember(
  transaction: Queries,
  { databaseId, tenantId, userId, role, joinedAt }: Membership & { role: string },
) {
  if (role === 'owner') await storeFirstOwner(transaction, { databaseId, tenantId })
  await transaction.query(insertStatement, [databaseId, tenantId, userId, joinedAt, role])
}

const insertStatement = `
  INSERT INTO usher.membership (database_id, tenant_id, user_id, joined_at, role)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4::timestamptz, $5::text)`

/** Removes a member. Returns whether the user was one. The user and the tenant are locked. */
export async function deleteMember(transaction: Queries, change: MemberChange) {
  const { databaseId, tenantId, userId, now } = change
  const values = [databaseId, tenantId, userId, now.getTime()]
  const [user] = await transaction.query<ChangedTenancy>(deleteMemberStatement, values)
  if (user) await storeClaimsChange(transaction, change, { ...user, role: null })
  return user !== undefined
}

const deleteMemberStatement = changeTenancy(`
    DELETE FROM usher.membership
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id = $3::uuid`)

/** A tenant that is deleted. */
type TenantDeletion = TenantKey & Pick<RevocationOrigin, 'now' | 'actorId'>

/**
 * Removes up to `limit` members of a tenant, and deletes the tenant with its invitations if it had no more. From the first of
 * these calls on, no token has the tenant. The tenant is locked.
 *
 * @param tenant.otherThan a member who is only removed with the tenant
 * @returns the ids of the removed members, and whether the tenant was deleted
 */
export async function deletePartOfTenant(
  transaction: Queries,
  { otherThan = NIL, ...tenant }: TenantDeletion & { otherThan?: string },
  limit: number,
) {
  const { databaseId, tenantId } = tenant
  const values = [databaseId, tenantId, otherThan, limit]
  const rows = await transaction.query<Pick<Membership, 'userId'>>(deleteMembersStatement, values)
  const removed = rows.map((row) => row.userId)
  if (removed.length < limit) return { removed, isDeleted: await deleteLockedTenant(transaction, tenant) }
  await storeTenantDeleted(transaction, tenant)
  return { removed, isDeleted: false }
}

// A range of users, because with user_id = ANY or by ctid Postgres may read every member of the tenant or of the database.
const deleteMembersStatement = `
  WITH first AS (
    SELECT user_id FROM usher.membership
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id <> $3::uuid
    ORDER BY user_id LIMIT $4::int
  )
  DELETE FROM usher.membership
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id <> $3::uuid
    AND user_id <= (SELECT user_id FROM first ORDER BY user_id DESC LIMIT 1)
  RETURNING user_id AS "userId"`

/** Deletes a tenant with its last member and its invitations. Returns whether it existed. The tenant is locked. */
export async function deleteLockedTenant(transaction: Queries, tenant: TenantDeletion) {
  const deleted = await transaction.query(deleteTenantStatement, [tenant.databaseId, tenant.tenantId])
  if (deleted.length > 0) await storeTenantDeleted(transaction, tenant)
  return deleted.length > 0
}

const deleteTenantStatement = `
  DELETE FROM usher.tenant WHERE database_id = $1::uuid AND id = $2::uuid RETURNING 1`

const storeTenantDeleted = (transaction: Queries, { tenantId, ...origin }: TenantDeletion) =>
  storeRevocation(transaction, origin, { type: 'tenant-deleted', tenantId })

/** Returns one of the roles that a member or an invitation has, or undefined. @param roles of the product */
export async function findUsedRole(
  { query }: Queries,
  databaseId: Tenant['databaseId'],
  roles: readonly string[],
) {
  const [row] = await query<{ role: string }>(findUsedRoleStatement, [databaseId, roles])
  return row?.role
}

// Only the command that takes roles away runs it. Its first part repeats the condition of the index. Its second part has no
// index by role, and reads at most the invitations of the database: 100 a tenant, and those that expired since the last sweep.
const findUsedRoleStatement = `
  (SELECT role FROM usher.membership
   WHERE database_id = $1::uuid AND role = ANY ($2::text[]) AND role <> 'member' LIMIT 1)
  UNION ALL
  (SELECT role FROM usher.invitation WHERE database_id = $1::uuid AND role = ANY ($2::text[]) LIMIT 1)
  LIMIT 1`
