import { NIL } from 'uuid'
import type { Membership, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Page } from './page.js'

/** A user of a tenant. */
export type FoundMember = Pick<User, 'id' | 'email' | 'preferredName'> & Pick<Membership, 'joinedAt' | 'role'>

/** Returns users of a tenant, ordered by id. */
export const listMemberRows = (
  store: Queries,
  { databaseId, tenantId }: Pick<Membership, 'databaseId' | 'tenantId'>,
  { limit, after = NIL }: Page<string>,
) => store.query<FoundMember>(listStatement, [databaseId, tenantId, after, limit])

/**
 * Returns a statement that reads users of a tenant with an id after another one. The page is a separate subquery, so that
 * only its users are read.
 */
export const usersOfTenant = (columns: string) => `
  SELECT ${columns}
  FROM (
    SELECT user_id, joined_at, role FROM usher.membership
    WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id > $3::uuid
    ORDER BY user_id LIMIT $4::int
  ) AS member
  CROSS JOIN LATERAL (
    SELECT * FROM usher."user" WHERE database_id = $1::uuid AND id = member.user_id OFFSET 0
  ) AS u
  ORDER BY member.user_id`

const listStatement = usersOfTenant(
  'u.id, u.email, u.preferred_name AS "preferredName", member.joined_at AS "joinedAt", member.role',
)
