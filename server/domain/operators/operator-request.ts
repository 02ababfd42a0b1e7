import type { OperatorRole } from '@usher/contract/operator'
import type { Workspace } from '../../store/generated/client.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Caller } from '../caller.js'
import type { Actor, ChangeRequest } from '../change.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import type { TokenClaims } from '../tokens/access-token.js'

/** Who sends a request with the token of an operator. */
export interface AdmittedOperator {
  /** The operators' database. */
  operators: Database
  user: UserOfToken
  claims: TokenClaims
  /** The role that counts: in the workspace of the path, or in the installation. */
  role: OperatorRole
  /** The workspace of the path. */
  workspace?: Workspace | undefined
}

/** A validated request of the operator API. */
export interface OperatorRequest<Body = unknown> extends AdmittedOperator {
  caller: Caller
  actor: Actor
  body: Body
}

/** The path of a database. */
export interface InDatabase {
  params: { workspaceSlug: string; databaseName: string }
}

/**
 * Returns a request to change something in the database of the path.
 *
 * @throws {Problem} `database_not_found`, also for the operators' database, which no operator changes as a database
 */
export async function requestInDatabase(
  { findDatabase }: Pick<AppContext, 'findDatabase'>,
  { params, caller, actor }: Pick<OperatorRequest, 'caller' | 'actor'> & InDatabase,
): Promise<ChangeRequest & { database: Database }> {
  const database = await findDatabase(params)
  if (database.isOperators) throw new Problem('database_not_found')
  return { database, caller, actor }
}
