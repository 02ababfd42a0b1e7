import type { UserOfToken } from '../store/queries/users.js'
import type { Caller } from './caller.js'
import type { Database } from './databases/find-database.js'
import type { TokenClaims } from './tokens/access-token.js'

/** A request to a database, as a rule gets it: read, validated, and admitted. */
export interface DatabaseRequest<Body = unknown> {
  database: Database
  caller: Caller
  body: Body
}

/** A request with an access token that is valid, whose user was read with it. */
export interface UserRequest<Body = unknown> extends DatabaseRequest<Body> {
  user: UserOfToken
  claims: TokenClaims
}
