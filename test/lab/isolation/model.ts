/** What is known of one database: nothing here is shared between databases. */
export interface DatabaseModel {
  /** Of a database that was made anew under the same path it is another. */
  id: string
  /** By email. */
  users: Map<string, UserModel>
  /** Ids. */
  tenants: Set<string>
  kids: Set<string>
  /** Sign-ups by their Idempotency-Key. */
  signUps: Map<string, { userId: string; email: string; newTenant: string | undefined }>
}

export interface UserModel {
  id: string
  email: string
  password: string
  isDisabled: boolean
  /** In the order of joining. */
  tenants: string[]
  /** Tokens from before this moment, in seconds, are revoked. */
  validFrom: number
}

export interface TokenModel {
  jwt: string
  databaseId: string
  userId: string
  kid: string
  issuedAt: number
}

/** Everything there is. */
export interface WorldModel {
  /** By path, workspace/name. */
  databases: Map<string, DatabaseModel>
  /** All that were ever given. */
  tokens: TokenModel[]
}

const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())

/** A token that a user was given at a database. */
export const tokenOf = (database: DatabaseModel, user: UserModel, jwt: string): TokenModel => ({
  jwt,
  databaseId: database.id,
  userId: user.id,
  kid: part(jwt, 0).kid,
  issuedAt: part(jwt, 1).iat,
})

/** The user whom a token stands for at a database: there is one only where the token was given. */
export function userOfToken(database: DatabaseModel, token: TokenModel): UserModel | undefined {
  if (token.databaseId !== database.id || !database.kids.has(token.kid)) return undefined
  const user = userWithId(database, token.userId)
  return user && !user.isDisabled && token.issuedAt >= user.validFrom ? user : undefined
}

export const userWithId = (database: DatabaseModel, id: string) =>
  [...database.users.values()].find((user) => user.id === id)
