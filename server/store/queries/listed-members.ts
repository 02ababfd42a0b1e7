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

const memberColumns =
  'u.id, u.email, u.preferred_name AS "preferredName", member.joined_at AS "joinedAt", member.role'
const listStatement = usersOfTenant(memberColumns)

/** Members of a tenant that one search reads, so that it costs little in a large tenant. */
export const searchedMembers = 2_000

/** Returns users of a tenant whose address or preferred name contains a text, of those that one search reads. */
export const searchMemberRows = (
  store: Queries,
  { databaseId, tenantId, text }: Pick<Membership, 'databaseId' | 'tenantId'> & { text: string },
  { limit, after = NIL }: Page<string>,
) => store.query<FoundMember>(searchStatement, [databaseId, tenantId, after, searchedMembers, text, limit])

const searchStatement = `
  SELECT found.* FROM (${usersOfTenant(memberColumns)}) AS found
  WHERE strpos(lower(found.email), lower($5::text)) > 0 OR strpos(lower(found."preferredName"), lower($5::text)) > 0
  ORDER BY found.id LIMIT $6::int`

/** Returns the id of the last member that a search reads. Undefined if it reads the last one of the tenant. */
export async function lastSearched(
  store: Queries,
  { databaseId, tenantId }: Pick<Membership, 'databaseId' | 'tenantId'>,
  after: string = NIL,
) {
  const rows = await store.query<{ id: string }>(lastStatement, [
    databaseId,
    tenantId,
    after,
    searchedMembers,
  ])
  return rows.length > 1 ? rows[0]?.id : undefined
}

// Two rows if another one follows.
const lastStatement = `
  SELECT user_id AS id FROM usher.membership
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND user_id > $3::uuid
  ORDER BY user_id OFFSET $4::int - 1 LIMIT 2`
