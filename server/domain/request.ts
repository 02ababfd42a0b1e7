import type { UserOfToken } from '../store/queries/users-of-tokens.js'
import type { ApiKey } from './api-keys/admit-api-key.js'
import type { Caller } from './caller.js'
import type { Actor } from './change.js'
import type { Database } from './databases/find-database.js'
import type { TokenClaims } from './tokens/access-token.js'
import type { ManagedUserRead } from './users/read-managed-users.js'

/** A validated request to a database. */
export interface DatabaseRequest<Body = unknown> {
  database: Database
  caller: Caller
  actor: Actor
  body: Body
}

/** A request with an API key that has the scope of the operation. */
export interface KeyRequest<Body = unknown> extends DatabaseRequest<Body> {
  apiKey: ApiKey
  /** The user of the path, if it was read with the key. */
  read?: ManagedUserRead | undefined
}

/** A request with a valid access token, and the user of the token. */
export interface UserRequest<Body = unknown> extends DatabaseRequest<Body> {
  user: UserOfToken
  claims: TokenClaims
}
