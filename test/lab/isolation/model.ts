/** Expected state of one database. Databases share no state. */
export interface DatabaseModel {
  /** Changes if the database is deleted and created again. */
  id: string
  /** By email. */
  users: Map<string, UserModel>
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
  /** Ids in order of joining. */
  tenants: string[]
  /** Tokens issued before this Unix timestamp are revoked. */
  validFrom: number
}

export interface TokenModel {
  jwt: string
  databaseId: string
  userId: string
  kid: string
  issuedAt: number
}

export interface WorldModel {
  /** By path `workspace/name`. */
  databases: Map<string, DatabaseModel>
  /** All tokens ever issued. */
  tokens: TokenModel[]
}

const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())

export const tokenOf = (database: DatabaseModel, user: UserModel, jwt: string): TokenModel => ({
  jwt,
  databaseId: database.id,
  userId: user.id,
  kid: part(jwt, 0).kid,
  issuedAt: part(jwt, 1).iat,
})

/** Returns the user of a token that the database must accept, or undefined. */
export function userOfToken(database: DatabaseModel, token: TokenModel): UserModel | undefined {
  if (token.databaseId !== database.id || !database.kids.has(token.kid)) return undefined
  const user = userWithId(database, token.userId)
  return user && !user.isDisabled && token.issuedAt >= user.validFrom ? user : undefined
}

export const userWithId = (database: DatabaseModel, id: string) =>
  [...database.users.values()].find((user) => user.id === id)
