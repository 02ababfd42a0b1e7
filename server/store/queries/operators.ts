import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { membershipsOf, type TenantRole } from './user-tenants.js'

/** A user of the operators' database. */
export type OperatorRow = Pick<User, 'id' | 'email' | 'preferredName' | 'createdAt'> & {
  memberships: TenantRole[]
}

/** Returns all operators, the oldest first. They are few. */
export const listOperatorRows = ({ query }: Queries, databaseId: string) =>
  query<OperatorRow>(
    `SELECT u.id, u.email, u.preferred_name AS "preferredName", u.created_at AS "createdAt",
      ${membershipsOf('u.id')}
    FROM usher."user" AS u WHERE u.database_id = $1::uuid AND u.reserved_for IS NULL
    ORDER BY u.id LIMIT 1000`,
    [databaseId],
  )

/** Returns whether the operators' database has a user. */
export async function hasOperatorRow({ query }: Queries, databaseId: string) {
  const rows = await query(
    // The order makes it read an index: before the first operator, it would read the users of all databases.
    `SELECT 1 FROM usher."user" WHERE database_id = $1::uuid AND reserved_for IS NULL ORDER BY id LIMIT 1`,
    [databaseId],
  )
  return rows.length > 0
}

/** Returns whether the installation has at least two owners. */
export async function hasTwoOwners({ query }: Queries, databaseId: string) {
  const rows = await query(
    `SELECT 1 FROM usher.membership WHERE database_id = $1::uuid AND role = 'owner' AND tenant_id = $1::uuid
    ORDER BY user_id LIMIT 2`,
    [databaseId],
  )
  return rows.length === 2
}

/** Inserts the tenant of a right, unless it exists. */
export const ensureTenant = (
  { query }: Queries,
  { databaseId, id, name, createdAt }: { databaseId: string; id: string; name: string; createdAt: Date },
) =>
  query(
    `INSERT INTO usher.tenant (database_id, id, name, created_at)
    VALUES ($1::uuid, $2::uuid, $3::text, $4::timestamptz) ON CONFLICT (database_id, id) DO NOTHING`,
    [databaseId, id, name, createdAt],
  )

/** Returns the slugs of workspaces by their ids. */
export async function findSlugsOf(store: Queries, ids: readonly string[]) {
  const rows = await store.query<{ id: string; slug: string }>(
    'SELECT id, slug FROM usher.workspace WHERE id = ANY($1::uuid[])',
    [ids],
  )
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}
