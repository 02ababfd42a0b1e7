import type { Session } from '../generated/client.js'
import type { Store } from '../store.js'
import { isOpen } from './revocations.js'
import { type ProductObject, type UserOfToken, userColumns } from './users.js'

/** A user as a backend sees it. */
export type FoundUser = Pick<
  UserOfToken,
  'id' | 'email' | 'preferredName' | 'emailVerifiedAt' | 'createdAt' | 'metadata'
> & {
  canonicalEmail: string
  memberships: Pick<UserOfToken['memberships'][number], 'id' | 'name' | 'joinedAt'>[]
  disabledAt: Date | null
  externalId: string | null
  privateMetadata: ProductObject | null
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
  SELECT ${userColumns}, u.email_key AS "canonicalEmail", u.disabled_at AS "disabledAt",
    u.external_id AS "externalId", u.metadata, u.private_metadata AS "privateMetadata",
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

/** A session of a user as a backend sees it. */
export type UserSession = Pick<Session, 'id' | 'label' | 'createdAt' | 'refreshedAt' | 'expiresAt'>

/** Returns sessions of a user that have not ended, ordered by id. Returns undefined if there is no such user. */
export async function findSessionsOfUser(
  store: Pick<Store, 'query'>,
  { databaseId, id }: { databaseId: string; id: string },
  { now, after, limit }: { now: Date; after: string | undefined; limit: number },
) {
  const values = [databaseId, id, now, after ?? beforeAll, limit]
  const rows = await store.query<UserSession | { id: null }>(findSessionsStatement, values)
  return rows.length > 0 ? rows.filter((row): row is UserSession => row.id !== null) : undefined
}

const beforeAll = '00000000-0000-0000-0000-000000000000'

// A row without session stands for a user who has none.
const findSessionsStatement = `
  SELECT s.id, s.label, s.created_at AS "createdAt", s.refreshed_at AS "refreshedAt", s.expires_at AS "expiresAt"
  FROM usher."user" AS u
  LEFT JOIN usher.session AS s ON s.database_id = $1::uuid AND s.user_id = u.id AND s.id > $4::uuid
    AND ${isOpen('$3')}
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid
  ORDER BY s.id LIMIT $5::int`
