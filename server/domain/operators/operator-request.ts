import type { OperatorRole } from '@usher/contract/operator'
import type { Workspace } from '../../store/generated/client.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Caller } from '../caller.js'
import type { Actor } from '../change.js'
import type { Database } from '../databases/find-database.js'
import type { DatabaseRequest } from '../request.js'
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
export interface OperatorRequest<Body = unknown> {
  caller: Caller
  actor: Actor
  body: Body
  /** The operator. Undefined: the machine of the server. */
  user?: UserOfToken | undefined
}

/** A request about the operator who sends it. */
export type OwnRequest<Body = unknown> = OperatorRequest<Body> & AdmittedOperator

/** A request about a workspace. */
export type WorkspaceRequest<Body = unknown> = OperatorRequest<Body> & { workspace: Workspace }

/** A request about a database. */
export type OperatorDatabaseRequest<Body = unknown> = OperatorRequest<Body> & DatabaseRequest<Body>
