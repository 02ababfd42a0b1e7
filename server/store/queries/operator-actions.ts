import type { OperatorAction } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Page } from './page.js'
import { unindexed } from './unindexed.js'

/** Inserts what an operator is about to do. */
export const insertAction = ({ query }: Queries, action: Omit<OperatorAction, 'outcome'>) =>
  query(
    `INSERT INTO usher.operator_action (database_id, id, operator_id, operator_email, action, workspace, database, target,
      tenant_id, fields, request_id, created_at)
    VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::uuid, $10::text, $11::text,
      $12::timestamptz)`,
    [
      action.databaseId,
      action.id,
      action.operatorId,
      action.operatorEmail,
      action.action,
      action.workspace,
      action.databaseName,
      action.target,
      action.tenantId,
      action.fields,
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

/** An action, and the name that the operator has now. */
export type ActionRow = Omit<OperatorAction, 'databaseId'> & { operatorName: string | null }

/** Which actions to list. */
export interface ActionFilter {
  operatorId?: string | undefined
  /** A database, with its id. */
  database?: { id: string; workspaceSlug: string; databaseName: string } | undefined
  /** A user or tenant of the database. */
  target?: string | undefined
}

const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns actions, the latest first. @param databaseId id of the operators' database */
export function listActionRows(
  { query }: Queries,
  { databaseId, operatorId, database, target }: ActionFilter & { databaseId: string },
  { limit, after = last }: Page<string>,
) {
  const first = [databaseId, after, limit]
  if (!database)
    return query<ActionRow>(listStatement(operatorId ? 'operator_id = $4::uuid' : 'true'), [
      ...first,
      ...(operatorId ? [operatorId] : []),
    ])
  const place = 'workspace = $4::text AND database = $5::text'
  // Ids are in the order of creation. Earlier actions are of a deleted database with the same name.
  const isOfThis = unindexed('id > $6::uuid')
  const condition = target ? `target = $7::text AND ${unindexed(place)}` : place
  return query<ActionRow>(listStatement(`${condition} AND ${isOfThis}`), [
    ...first,
    database.workspaceSlug,
    database.databaseName,
    database.id,
    ...(target ? [target] : []),
  ])
}

const listStatement = (condition: string) => `
  SELECT id, operator_id AS "operatorId", operator_email AS "operatorEmail", (
      SELECT preferred_name FROM usher."user" WHERE database_id = $1::uuid AND id = action.operator_id
    ) AS "operatorName", action, workspace, database AS "databaseName", target, tenant_id AS "tenantId",
    fields, request_id AS "requestId", created_at AS "createdAt", outcome
  FROM usher.operator_action AS action
  WHERE database_id = $1::uuid AND id < $2::uuid AND ${condition}
  ORDER BY id DESC LIMIT $3::int`
