import { expect } from 'vitest'
import { type DatabaseModel, tokenOf, type UserModel, type WorldModel } from './model.js'
import type { World } from './world.js'

/** Inputs of an operation. `pick` selects one of the existing items of all databases. */
export interface Choice {
  path: string
  other: string
  email: string
  password: string
  newTenant: string | undefined
  idempotencyKey: string | undefined
  pick: number
}

export type Operation = (world: World, choice: Choice) => Promise<void>

export type Response = Awaited<ReturnType<World['send']>>

export const pickOf = <T>(all: readonly T[], pick: number): T | undefined =>
  all[pick % Math.max(all.length, 1)]

/** Expects the response of a sign-up or login, and keeps its token. */
export function expectSignedIn(
  { model }: World,
  database: DatabaseModel,
  user: UserModel,
  response: Response,
  status: number,
) {
  expect(response.statusCode, response.body).toBe(status)
  const { id, tenants, token } = response.json()
  expect({ id, tenants }).toEqual({ id: user.id, tenants: user.tenants })
  model.tokens.push(tokenOf(database, user, token.jwt))
}

/** Revokes the tokens, sessions and reset codes of a user. */
export function revoke(model: WorldModel, database: DatabaseModel, user: UserModel) {
  for (const token of model.tokens)
    if (token.databaseId === database.id && token.userId === user.id) token.isRevoked = true
  endSessions(model, database, user)
  for (const code of codesOf(model, database, user))
    if (code.purpose === 'password_reset') code.isSpent = true
}

export function removeUser(model: WorldModel, database: DatabaseModel, user: UserModel) {
  database.users.delete(user.email)
  for (const [key, { userId }] of database.signUps) if (userId === user.id) database.signUps.delete(key)
  endSessions(model, database, user)
  for (const code of codesOf(model, database, user)) code.isSpent = true
}

function endSessions({ sessions }: WorldModel, { id }: DatabaseModel, user: UserModel) {
  for (const session of sessions)
    if (session.databaseId === id && session.userId === user.id) session.isEnded = true
}

export const codesOf = ({ codes }: WorldModel, { id }: DatabaseModel, user: UserModel) =>
  codes.filter(({ databaseId, userId }) => databaseId === id && userId === user.id)
