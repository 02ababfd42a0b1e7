import { expect } from 'vitest'
import type { CodePurpose } from '../../../server/domain/codes/code.js'
import { createRequestAllowance } from '../../../server/domain/throttle/request-allowance.js'
import { codeIn } from '../../support/smtp.js'
import {
  type DatabaseModel,
  type TokenModel,
  type UserModel,
  userOfCode,
  userOfSession,
  userOfToken,
} from './model.js'
import {
  type Choice,
  codesOf,
  expectSignedIn,
  type Operation,
  pickOf,
  type Response,
  removeUser,
  revoke,
} from './operation.js'
import { appUrl, paths, type World } from './world.js'

/** A request with a token, to its own database or to another one. */
interface Request {
  world: World
  path: string
  choice: Choice
  token: TokenModel
  /** Undefined if the token must be refused. */
  user: UserModel | undefined
}

type Accepted = Request & { database: DatabaseModel; user: UserModel; response: Response }

/**
 * Returns an operation that sends a request with a token.
 *
 * @param prepare returns the body of the request
 * @param check expects the response to a token that must be accepted
 */
const withToken =
  (
    method: Parameters<World['send']>[0],
    target: string,
    prepare: (request: Request) => object | undefined | Promise<undefined>,
    check: (accepted: Accepted) => unknown,
  ): Operation =>
  async (world, choice) => {
    const { databases, tokens } = world.model
    const token = pickOf(tokens, choice.pick)
    if (!token) return
    const own = [...databases].find(([, { id }]) => id === token.databaseId)?.[0]
    const path = choice.pick % 2 && own ? own : choice.path
    const database = databases.get(path)
    const user = database && userOfToken(world.model, database, token)
    const payload = await prepare({ world, path, choice, token, user })
    const headers = { authorization: `Bearer ${token.jwt}` }
    const options = { headers, ...(payload && { payload }) }
    const response = await world.send(method, `${path}/users/${target}`, options)
    if (user) await check({ world, path, choice, token, database, user, response })
    else expect(response.json().code).toBe(database ? 'token_invalid' : 'database_not_found')
  }

const noBody = () => undefined

const openSession = withToken('POST', 'me/session', noBody, ({ world, database, user, token, response }) => {
  const { sessions } = world.model
  const isOld = world.usher.clock.now - token.issuedAt * 1000 > 120_000
  if (isOld || token.sessionId || sessions.some(({ id }) => id === token.id))
    return expect(response.json().code).toBe('session_not_opened')
  expectSignedIn(world, database, user, response, 201)
  sessions.push({
    id: token.id,
    databaseId: database.id,
    userId: user.id,
    refreshToken: response.json().refreshToken.value,
    isEnded: false,
  })
})

/** Uses a refresh token at every existing or deleted database. */
const refreshEverywhere: Operation = async (world, { pick }) => {
  const session = pickOf(world.model.sessions, pick)
  if (!session) return
  const payload = { refreshToken: session.refreshToken }
  for (const path of paths) {
    const response = await world.send('POST', `${path}/users/session/refresh`, { payload })
    const database = world.model.databases.get(path)
    const user = database && userOfSession(database, session)
    if (!user) expect(response.json().code).toBe(database ? 'session_ended' : 'database_not_found')
    else {
      expectSignedIn(world, database, user, response, 200)
      session.refreshToken = response.json().refreshToken.value
    }
  }
}

/** Ends a session at a database that may be another one than its own. */
const endSession: Operation = async (world, { path, pick }) => {
  const session = pickOf(world.model.sessions, pick)
  if (!session) return
  const payload = { refreshToken: session.refreshToken }
  const { statusCode } = await world.send('POST', `${path}/users/session/end`, { payload })
  const database = world.model.databases.get(path)
  expect(statusCode).toBe(database ? 204 : 404)
  if (database?.id === session.databaseId) session.isEnded = true
}

const sessionsOf = (world: World, database: DatabaseModel, user: UserModel) =>
  world.model.sessions.filter(
    (session) => session.userId === user.id && userOfSession(database, session) === user,
  )

const listSessions = withToken('GET', 'me/sessions', noBody, ({ world, database, user, response }) => {
  const listed = response.json().sessions.map(({ id }: { id: string }) => id)
  const own = sessionsOf(world, database, user).map(({ id }) => id)
  expect(listed.sort()).toEqual(own.sort())
})

/** Ends a session by its id, with a token that may be of another user or database. */
const endSessionById: Operation = async (world, choice) => {
  const session = pickOf(world.model.sessions, Math.floor(choice.pick / 2))
  if (!session) return
  const end = withToken('DELETE', `me/sessions/${session.id}`, noBody, ({ database, user, response }) => {
    expect(response.statusCode).toBe(204)
    if (session.databaseId === database.id && session.userId === user.id) session.isEnded = true
  })
  await end(world, choice)
}

const endAllSessions = withToken('DELETE', 'me/sessions', noBody, ({ world, database, user, response }) => {
  expect(response.statusCode).toBe(204)
  revoke(world.model, database, user)
})

const updateMe = withToken(
  'PATCH',
  'me',
  ({ choice: { newTenant: preferredName = null } }) => ({ preferredName }),
  ({ user, response, choice: { newTenant: preferredName = null } }) => {
    expect(response.json()).toMatchObject({ id: user.id, preferredName })
    user.preferredName = preferredName
  },
)

const changePassword = withToken(
  'PUT',
  'me/password',
  ({ choice: { password }, user }) => ({ password: user?.password ?? password, newPassword: password }),
  ({ world, database, user, response, choice }) =>
    expectNewPassword(world, database, user, response, choice.password),
)

/** Expects a token, which is the only valid one. */
function expectNewPassword(
  world: World,
  database: DatabaseModel,
  user: UserModel,
  response: Response,
  password: string,
) {
  revoke(world.model, database, user)
  expectSignedIn(world, database, user, response, 200)
  user.password = password
}

const deleteMe = withToken(
  'POST',
  'me/deletion',
  ({ choice: { password }, user }) => ({ password: user?.password ?? password }),
  ({ world, database, user, response }) => {
    expect(response.statusCode).toBe(204)
    removeUser(world.model, database, user)
    const others = [...database.users.values()]
    for (const tenant of user.tenants)
      if (!others.some(({ tenants }) => tenants.includes(tenant))) database.tenants.delete(tenant)
  },
)

/** Deletes the counts of a database, so that a mail is missing only if requests to other databases count. */
async function forgetCodeRequests({ model, usher }: World, path: string) {
  const databaseId = model.databases.get(path)?.id
  if (databaseId) await usher.store.prisma.codeRequest.deleteMany({ where: { databaseId } })
  usher.context.requestAllowance = createRequestAllowance(usher.store, usher.context.now)
  return undefined
}

/** Requests a code for an existing account, or for any address at any database. */
const requestPasswordReset: Operation = async (world, choice) => {
  const accounts = [...world.model.databases].flatMap(([path, { users }]) =>
    [...users.keys()].map((email) => ({ path, email })),
  )
  const { path, email } = (choice.pick % 2 && pickOf(accounts, choice.pick >> 1)) || choice
  await forgetCodeRequests(world, path)
  const response = await world.send('POST', `${path}/users/password-reset`, { payload: { email } })
  const database = world.model.databases.get(path)
  if (!database) return expect(response.json().code).toBe('database_not_found')
  expect(response.json()).toEqual({})
  const user = database.users.get(email)
  await expectMail(world, path, 'password_reset', user?.isDisabled ? undefined : user)
}

const requestEmailVerification = withToken(
  'POST',
  'me/email-verification',
  ({ world, path }) => forgetCodeRequests(world, path),
  async ({ world, path, user, response }) => {
    expect(response.json()).toEqual({})
    await expectMail(world, path, 'email_verification', user.isVerified ? undefined : user)
  },
)

/** Expects that only this user, if any, gets a mail. Its code replaces an older one. */
async function expectMail(world: World, path: string, purpose: CodePurpose, user: UserModel | undefined) {
  const database = world.model.databases.get(path) as DatabaseModel
  const mails = await world.receivedMails(database)
  expect(mails.map(({ recipients }) => recipients)).toEqual(user ? [[user.email]] : [])
  const [mail] = mails
  if (!user || !mail) return
  expect(mail.parsed.text).toContain(`${appUrl(path)}/`)
  for (const code of codesOf(world.model, database, user)) if (code.purpose === purpose) code.isSpent = true
  world.model.codes.push({
    value: codeIn(mail),
    purpose,
    databaseId: database.id,
    userId: user.id,
    isSpent: false,
  })
}

/** Uses a code for either purpose at every existing or deleted database. */
const useCodeEverywhere: Operation = async (world, choice) => {
  for (const path of paths) {
    await useCode(world, { ...choice, path }, 'email_verification', 'email-verification')
    await useCode(world, { ...choice, path }, 'password_reset', 'password-reset/confirm')
  }
}

async function useCode(world: World, { path, password, pick }: Choice, purpose: CodePurpose, target: string) {
  const code = pickOf(world.model.codes, pick)
  if (!code) return
  const payload = { code: code.value, newPassword: password }
  const response = await world.send('POST', `${path}/users/${target}`, { payload })
  const database = world.model.databases.get(path)
  const user = database && purpose === code.purpose ? userOfCode(database, code) : undefined
  if (!database || !user)
    return expect(response.json().code).toBe(database ? 'code_invalid' : 'database_not_found')
  if (purpose === 'password_reset') expectNewPassword(world, database, user, response, password)
  else expect(response.json()).toEqual({ email: user.email })
  user.isVerified = true
  code.isSpent = true
}

/** The account operations. */
export const accountOperations: Record<string, Operation> = {
  openSession,
  refreshEverywhere,
  endSession,
  listSessions,
  endSessionById,
  endAllSessions,
  updateMe,
  changePassword,
  deleteMe,
  requestPasswordReset,
  requestEmailVerification,
  useCodeEverywhere,
}
