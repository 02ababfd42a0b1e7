import { NIL } from 'uuid'
import type { Tenant } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { TenantKey } from './members.js'
import { storeRevocation } from './stored-revocations.js'

// The settings of the single sign-on of tenants, the owners whom they concern, and the people whom providers have named.

/** The settings of a tenant, with the owners who open it without single sign-on. */
export type SsoSettings = Pick<
  Tenant,
  'ssoRequiredAt' | 'ssoMaxAge' | 'ssoAcr' | 'ssoTrustAmr' | 'ssoJit' | 'ssoRole'
> & { exempt: string[] }

/** Returns the settings of a tenant, or undefined. */
export async function findSsoSettings({ query }: Queries, { databaseId, tenantId }: TenantKey) {
  const [settings] = await query<SsoSettings>(findStatement, [databaseId, tenantId])
  return settings
}

const findStatement = `
  SELECT sso_required_at AS "ssoRequiredAt", sso_max_age AS "ssoMaxAge", sso_acr AS "ssoAcr", sso_trust_amr AS "ssoTrustAmr",
    sso_jit AS "ssoJit", sso_role AS "ssoRole", ARRAY(
      SELECT user_id FROM usher.membership
      WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND role = 'owner' AND sso_exempt ORDER BY user_id
    ) AS exempt
  FROM usher.tenant WHERE database_id = $1::uuid AND id = $2::uuid`

/** Stores the settings of a tenant, but not its owners. The tenant is locked. */
export const updateSsoSettings = (
  { query }: Queries,
  { databaseId, tenantId }: TenantKey,
  settings: SsoSettings,
) =>
  query(updateStatement, [
    databaseId,
    tenantId,
    settings.ssoRequiredAt,
    settings.ssoMaxAge,
    settings.ssoAcr,
    settings.ssoTrustAmr,
    settings.ssoJit,
    settings.ssoRole,
  ])

const updateStatement = `
  UPDATE usher.tenant SET sso_required_at = $3::timestamptz, sso_max_age = $4::int, sso_acr = $5, sso_trust_amr = $6,
    sso_jit = $7, sso_role = $8
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Lets these owners, and no others, open a tenant without single sign-on. The tenant is locked. */
export const storeExempt = (
  { query }: Queries,
  { databaseId, tenantId }: TenantKey,
  exempt: readonly string[],
) => query(exemptStatement, [databaseId, tenantId, exempt])

const exemptStatement = `
  UPDATE usher.membership SET sso_exempt = user_id = ANY($3::uuid[])
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND role = 'owner'
    AND sso_exempt IS DISTINCT FROM (user_id = ANY($3::uuid[]))`

/** An owner of a tenant. */
export interface FoundOwner {
  id: string
  isVerified: boolean
  /** Whether the owner has a second factor that each login needs, and is not disabled. */
  hasSecondStep: boolean
}

/** Owners of a tenant who get mails, and of whom one can be exempt. */
const maxOwners = 100

/** Returns the owners of a tenant. */
export const findOwners = ({ query }: Queries, { databaseId, tenantId }: TenantKey) =>
  query<FoundOwner>(findOwnersStatement, [databaseId, tenantId, maxOwners])

const findOwnersStatement = `
  SELECT u.id, u.email_verified_at IS NOT NULL AS "isVerified",
    u.needs_second_step IS TRUE AND u.disabled_at IS NULL AS "hasSecondStep"
  FROM (
    SELECT user_id FROM usher.membership
    WHERE database_id = $1::uuid AND role = 'owner' AND tenant_id = $2::uuid ORDER BY user_id LIMIT $3::int
  ) AS owner
  CROSS JOIN LATERAL (
    SELECT * FROM usher."user" WHERE database_id = $1::uuid AND id = owner.user_id OFFSET 0
  ) AS u
  ORDER BY u.id`

/** Members whose tokens lose a tenant. */
interface RevokedMembers extends TenantKey {
  now: Date
  /** The user whose share of the list of revocations one of them takes. */
  actorId?: string | undefined
  after: string | undefined
}

/**
 * Revokes what the tokens of members say about a tenant, apart from exempt owners, each with its revocation.
 *
 * @returns the last member, or undefined if there are no more
 */
export async function revokeMembers(
  { query }: Queries,
  { databaseId, tenantId, now, actorId, after = NIL }: RevokedMembers,
  limit: number,
) {
  const found = await query<{ userId: string }>(findMembersStatement, [databaseId, tenantId, after, limit])
  const userIds = found.map(({ userId }) => userId)
  if (userIds.length === 0) return undefined
  const changed = await query<{ userId: string; version: number }>(revokeStatement, [
    databaseId,
    userIds,
    now.getTime(),
  ])
  // One by one, because Citus commits a statement that inserts what it selects in two phases.
  for (const [place, { userId, version }] of changed.entries())
    await storeRevocation(
      { query },
      { databaseId, now, actorId: place === 0 ? actorId : undefined },
      { type: 'token-claims-change', userId, version, tenantId, role: null },
    )
  return userIds.length < limit ? undefined : userIds.at(-1)
}

const findMembersStatement = `
  SELECT user_id AS "userId" FROM usher.membership
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id > $3::uuid AND sso_exempt IS NOT TRUE
  ORDER BY user_id LIMIT $4::int`

// Locks each user by its key, and in the order of ids, as all changes of several users do: for a list of ids, Postgres may read all
// users of a database if most other databases are small.
const revokeStatement = `
  WITH listed AS (
    SELECT m.user_id FROM unnest((SELECT $2::uuid[])) AS m (user_id)
    CROSS JOIN LATERAL (
      SELECT 1 FROM usher."user" WHERE database_id = $1::uuid AND id = m.user_id OFFSET 0 FOR NO KEY UPDATE
    ) AS locked
  )
  UPDATE usher."user" AS u SET tenants_version = GREATEST(u.tenants_version + 1, $3::bigint)
  FROM listed WHERE u.database_id = $1::uuid AND u.id = listed.user_id
  RETURNING u.id AS "userId", u.tenants_version AS version`
