import type { Store } from '../store.js'
import { isOpen } from './revocations.js'
import { type UserOfToken, userColumns } from './users.js'

/** A user as a backend sees it. */
export type FoundUser = Pick<
  UserOfToken,
  'id' | 'email' | 'preferredName' | 'emailVerifiedAt' | 'createdAt' | 'memberships'
> & {
  disabledAt: Date | null
  /** Number of sessions that have not ended. */
  sessions: number
  /** The last login from a known network. */
  lastLoginAt: Date | null
}

type UserRow = Omit<FoundUser, 'memberships'> & {
  tenantId: string | null
  tenantName: string
  joinedAt: Date
}

/** Returns a user with the tenants in the order of joining, or undefined. */
export async function findManagedUser(
  store: Pick<Store, 'query'>,
  { databaseId, id }: { databaseId: string; id: string },
  now: Date,
): Promise<FoundUser | undefined> {
  const rows = await store.query<UserRow>(findStatement, [databaseId, id, now])
  const [user] = rows
  const memberships = rows.flatMap(({ tenantId, tenantName, joinedAt }) =>
    tenantId ? [{ id: tenantId, name: tenantName, joinedAt }] : [],
  )
  return user && { ...user, memberships }
}

const findStatement = `
  SELECT ${userColumns}, u.disabled_at AS "disabledAt",
    (SELECT count(*)::int FROM usher.session AS s
      WHERE s.database_id = $1::uuid AND s.user_id = u.id AND ${isOpen('$3')}) AS sessions,
    (SELECT max(last_login_at) FROM usher.known_network AS known
      WHERE known.database_id = $1::uuid AND known.user_id = u.id) AS "lastLoginAt",
    tenant.id AS "tenantId", tenant.name AS "tenantName", membership.joined_at AS "joinedAt"
  FROM usher."user" AS u
  LEFT JOIN usher.membership ON membership.database_id = $1::uuid AND membership.user_id = u.id
  LEFT JOIN usher.tenant ON tenant.database_id = $1::uuid AND tenant.id = membership.tenant_id
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid
  ORDER BY membership.joined_at, tenant.id`
