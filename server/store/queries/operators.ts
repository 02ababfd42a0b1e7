import type { OperatorAction, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Page } from './page.js'
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

/** Inserts what an operator is about to do. */
export const insertAction = ({ query }: Queries, action: Omit<OperatorAction, 'outcome'>) =>
  query(
    `INSERT INTO usher.operator_action (database_id, id, operator_id, operator_email, action, workspace, database, target,
      request_id, created_at)
    VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::timestamptz)`,
    [
      action.databaseId,
      action.id,
      action.operatorId,
      action.operatorEmail,
      action.action,
      action.workspace,
      action.databaseName,
      action.target,
      action.requestId,
      action.createdAt,
    ],
  )

/** Stores how an action has ended, and what it has created. */
export const endAction = (
  { query }: Queries,
  { databaseId, id, outcome, target }: Pick<OperatorAction, 'databaseId' | 'id' | 'outcome' | 'target'>,
) =>
  query(
    `UPDATE usher.operator_action SET outcome = $3::text, target = COALESCE(target, $4::text)
    WHERE database_id = $1::uuid AND id = $2::uuid`,
    [databaseId, id, outcome, target],
  )

const actionColumns = `id, operator_id AS "operatorId", operator_email AS "operatorEmail", action, workspace,
    database AS "databaseName", target, request_id AS "requestId", created_at AS "createdAt", outcome`

/** Returns actions, the latest first. @param of.operatorId only those of this operator, if given */
export const listActionRows = (
  { query }: Queries,
  { databaseId, operatorId }: { databaseId: string; operatorId?: string | undefined },
  { limit, after = 'ffffffff-ffff-ffff-ffff-ffffffffffff' }: Page<string>,
) =>
  query<Omit<OperatorAction, 'databaseId'>>(
    `SELECT ${actionColumns} FROM usher.operator_action
    WHERE database_id = $1::uuid AND id < $2::uuid ${operatorId ? 'AND operator_id = $4::uuid' : ''}
    ORDER BY id DESC LIMIT $3::int`,
    [databaseId, after, limit, ...(operatorId ? [operatorId] : [])],
  )
