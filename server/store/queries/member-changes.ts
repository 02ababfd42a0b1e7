import { NIL } from 'uuid'
import type { Membership } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { MemberKey, TenantKey } from './members.js'
import { type RevocationOrigin, storeRevocation } from './stored-revocations.js'

// Changes of members, each with the revocation for backends that follow revocations.

/** A change of a member, which is stored with its revocation. */
export type MemberChange = MemberKey & Pick<RevocationOrigin, 'now' | 'actorId'>

/** Stores the role of a member. The user and the tenant are locked. */
export async function storeRole(transaction: Queries, change: MemberChange, role: string) {
  const { databaseId, tenantId, userId, now } = change
  const values = [databaseId, tenantId, userId, now.getTime(), role]
  const [user] = await transaction.query<ChangedTenancy>(storeRoleStatement, values)
  if (user) await storeClaimsChange(transaction, change, { ...user, role })
}

/** The `tenants_version` of a user after a change. */
interface ChangedTenancy {
  version: number
}

const storeClaimsChange = (
  transaction: Queries,
  { userId, tenantId, ...origin }: MemberChange,
  { version, role }: ChangedTenancy & { role: string | null },
) =>
  storeRevocation(transaction, origin, {
    type: 'token-claims-change',
    userId,
    version,
    tenantId,
    role,
  })

/**
 * Returns a statement that changes memberships of a user, and raises the number of the user's `tenants_version`. It follows
 * the milliseconds, so that no number comes again after the user is restored from a backup.
 */
const changeTenancy = (changed: string, returned = ' RETURNING user_id') => `
  WITH changed AS (${changed}${returned})
  UPDATE usher."user" AS u SET tenants_version = GREATEST(u.tenants_version + 1, $4::bigint) FROM changed
  WHERE u.database_id = $1::uuid AND u.id = changed.user_id
  RETURNING u.tenants_version AS version`

const storeRoleStatement = changeTenancy(`
    UPDATE usher.membership SET role = $5::text
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id = $3::uuid`)

/** Revokes what the tokens of a member say about a tenant. The user and the tenant are locked. */
export async function revokeMember(transaction: Queries, change: MemberChange) {
  const { databaseId, tenantId, userId, now } = change
  const values = [databaseId, tenantId, userId, now.getTime()]
  const [user] = await transaction.query<ChangedTenancy>(revokeMemberStatement, values)
  if (user) await storeClaimsChange(transaction, change, { ...user, role: null })
}

const revokeMemberStatement = changeTenancy(
  `
    SELECT user_id FROM usher.membership
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id = $3::uuid`,
  '',
)

/** Adds a member. The tenant is locked, and the user is not a member. */
export const insertMember = (
  { query }: Queries,
  { databaseId, tenantId, userId, role, joinedAt, ssoOnly }: NewMember,
) => query(ssoOnly ? insertSsoStatement : insertStatement, [databaseId, tenantId, userId, joinedAt, role])

type NewMember = Omit<Membership, 'ssoExempt' | 'ssoOnly'> & {
  /** Whether the member joins by single sign-on. */
  ssoOnly?: true
}

const inserting = (column = '', value = '') => `
  INSERT INTO usher.membership (database_id, tenant_id, user_id, joined_at, role${column})
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4::timestamptz, $5::text${value})`

const insertStatement = inserting()
const insertSsoStatement = inserting(', sso_only', ', true')

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
