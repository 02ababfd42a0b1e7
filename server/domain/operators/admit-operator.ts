import { type OperatorRight, operatorRightOf, type RouteMetadata } from '@usher/contract'
import { findWorkspace } from '../../store/queries/management/workspaces.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { requireConfirmation } from '../factors/confirm.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { admitToken } from '../tokens/admit-token.js'
import { acrOf } from '../tokens/authentication.js'
import type { AdmittedOperator } from './operator-request.js'
import { requireOperators } from './operators-database.js'
import { requireRole, roleAnywhere, roleIn } from './rights.js'

/** The credentials of a request. */
export interface OperatorCredentials {
  caller: Caller
  jwt: string | undefined
  confirmation: string | undefined
}

/** What an operation of the operator API needs, and the workspace of its path. */
interface OperatorOperation {
  right: OperatorRight
  confirms?: RouteMetadata['confirms']
  workspaceSlug: string | undefined
}

/**
 * Admits an operator to an operation of the operator API. Rights come from the store at each request, never from the token.
 *
 * @throws {Problem} `token_missing`, and those of `admitToken`; `role_insufficient`; `database_not_found` in a workspace in which the
 * operator has no right; `step_up_required`
 */
export async function admitOperator(
  context: AppContext,
  credentials: OperatorCredentials,
  { right, confirms, workspaceSlug }: OperatorOperation,
): Promise<AdmittedOperator> {
  const { operators, user, claims } = await admitUser(context, credentials)
  const workspace =
    workspaceSlug === undefined ? undefined : await findWorkspace(context.store, workspaceSlug)
  if (workspaceSlug !== undefined && !workspace) throw new Problem('database_not_found')
  const role = {
    installation: () => roleIn(user, [operators.id]),
    workspace: () => workspace && roleIn(user, [operators.id, workspace.id]),
    anywhere: () => roleAnywhere(user),
  }[right.in]()
  // An operator does not learn which workspaces of others exist.
  if (!role && right.in === 'workspace') throw new Problem('database_not_found')
  requireRole(role, right.operator)
  const admitted = { operators, user, claims, workspace, role: role as AdmittedOperator['role'] }
  if (confirms) await requireConfirmed(context, admitted, { text: credentials.confirmation })
  return admitted
}

/**
 * Admits an operator to an operation of the management API.
 *
 * @throws {Problem} as {@link admitOperator}
 */
export async function admitManagingOperator(
  context: AppContext,
  credentials: OperatorCredentials,
  { metadata, database }: { metadata: RouteMetadata; database: Database },
): Promise<AdmittedOperator> {
  const { operators, user, claims } = await admitUser(context, credentials)
  const role = roleIn(user, [operators.id, database.workspaceId])
  if (!role) throw new Problem('database_not_found')
  requireRole(role, operatorRightOf(metadata)?.operator)
  const admitted = { operators, user, claims, role }
  const { confirms } = metadata
  const use = typeof confirms === 'object' ? permitOf(confirms.by, database) : undefined
  if (confirms) await requireConfirmed(context, admitted, { text: credentials.confirmation, use })
  return admitted
}

async function admitUser(context: AppContext, { caller, jwt }: OperatorCredentials) {
  const operators = await requireOperators(context)
  if (!jwt) throw new Problem('token_missing')
  const admitted = await admitToken(context, { database: operators, caller }, jwt)
  // That of a password that was just set. The login after it demands the second factor.
  if (acrOf(admitted.claims.proven) !== 'aal2') throw new Problem('token_invalid')
  return { operators, ...admitted }
}

/** Returns what a confirmation for many requests is for. */
export const permitOf = (operation: string, { id }: Pick<Database, 'id'>) => `${operation} ${id}`

/**
 * Requires that the operator has just proven the second factor.
 *
 * @param given.use what the confirmation must be for. By default every change
 * @throws {Problem} `step_up_required`
 */
export async function requireConfirmed(
  context: Pick<AppContext, 'findSecrets' | 'now'>,
  { operators, user, claims }: Pick<AdmittedOperator, 'operators' | 'user' | 'claims'>,
  { text, use }: { text: string | undefined; use?: string | undefined },
) {
  if (!text) throw new Problem('step_up_required')
  const request = { database: operators, user, claims } as UserRequest
  const { amr } = await requireConfirmation(context, request, { text, use })
  if (acrOf({ amr }) !== 'aal2') throw new Problem('step_up_required')
}
