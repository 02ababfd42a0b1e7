import type { CodePurpose } from '../../../server/domain/codes/code.js'

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
  preferredName: string | null
  isDisabled: boolean
  isVerified: boolean
  /** Ids in order of joining. */
  tenants: string[]
}

export interface TokenModel {
  jwt: string
  id: string
  /** Undefined for the token of a sign-up, login, change or reset of the password. */
  sessionId: string | undefined
  databaseId: string
  userId: string
  kid: string
  issuedAt: number
  isRevoked: boolean
}

export interface SessionModel {
  /** The id of the token that opened it. */
  id: string
  databaseId: string
  userId: string
  refreshToken: string
  isEnded: boolean
}

export interface CodeModel {
  value: string
  purpose: CodePurpose
  databaseId: string
  userId: string
  /** Whether it was used, replaced or revoked, or its user was deleted. */
  isSpent: boolean
}

export interface WorldModel {
  /** By path `workspace/name`. */
  databases: Map<string, DatabaseModel>
  /** All tokens ever issued. */
  tokens: TokenModel[]
  /** All sessions ever opened. */
  sessions: SessionModel[]
  /** The codes of all mails ever sent. */
  codes: CodeModel[]
}

const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())

export const tokenOf = (database: DatabaseModel, user: UserModel, jwt: string): TokenModel => ({
  jwt,
  id: part(jwt, 1).jti,
  sessionId: part(jwt, 1).sid,
  databaseId: database.id,
  userId: user.id,
  kid: part(jwt, 0).kid,
  issuedAt: part(jwt, 1).iat,
  isRevoked: false,
})

/** Returns the user of a token that the database must accept, or undefined. */
export function userOfToken(
  { sessions }: WorldModel,
  database: DatabaseModel,
  token: TokenModel,
): UserModel | undefined {
  if (token.databaseId !== database.id || !database.kids.has(token.kid)) return undefined
  const session = sessions.find(({ id }) => id === (token.sessionId ?? token.id))
  if (session && !userOfSession(database, session)) return undefined
  const user = userWithId(database, token.userId)
  return user && !user.isDisabled && !token.isRevoked ? user : undefined
}

/** Returns the user of a session that the database must refresh, or undefined. */
export function userOfSession(database: DatabaseModel, session: SessionModel): UserModel | undefined {
  if (session.databaseId !== database.id || session.isEnded) return undefined
  const user = userWithId(database, session.userId)
  return user?.isDisabled ? undefined : user
}

/** Returns the user for whom the database must accept a code, or undefined. */
export function userOfCode(database: DatabaseModel, code: CodeModel): UserModel | undefined {
  if (code.databaseId !== database.id || code.isSpent) return undefined
  const user = userWithId(database, code.userId)
  return user?.isDisabled ? undefined : user
}

export const userWithId = (database: DatabaseModel, id: string) =>
  [...database.users.values()].find((user) => user.id === id)
