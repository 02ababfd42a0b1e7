import { expect, vi } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { findLastPlaces, keptEvents, revocations } from '../../server/store/queries/numbered-lists.js'
import { password, startApp, type TestApi, type TestDatabase, validUser } from './app.js'
import { bystander } from './bystanders.js'
import { useEmailChange } from './every-email-change.js'
import { useInvitations } from './every-invitation-operation.js'
import { useManagement } from './every-management-operation.js'
import { useTenants } from './every-tenant-operation.js'
import type { OpenStore } from './open-store.js'
import { createApiKey, setDatabase } from './operator-changes.js'
import { startReceiver } from './receiver.js'
import { codeIn, type ReceivedMail, type Smtp, startSmtp } from './smtp.js'

const wrong = 'wrong password'

/**
 * Sends requests that cause every response of the three operations, and all others that use the store.
 *
 * @param onDatabase called with each database before its first request
 * @returns methods and paths of the requests, as the contract writes them
 */
export async function useEveryOperation(
  store: OpenStore,
  onDatabase: (api: TestApi, database: TestDatabase) => Promise<unknown> = async () => undefined,
) {
  const operations = new Set<string>()
  const smtp = await startSmtp()
  const app = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  app.clock.now = Date.now()
  const newDatabase = async (webhookUrl?: string) => {
    const database = await app.newDatabase()
    // First, because the first URL deletes the events that wait.
    if (webhookUrl !== undefined) await setDatabase(app.store, database, { webhookUrl })
    await onDatabase(app, database)
    return database
  }
  const api = { ...app, newDatabase }
  api.app.addHook('onRequest', async ({ method, routeOptions }) => {
    operations.add(`${method} ${routeOptions.url}`)
  })
  const { workspaceSlug, databaseName, users, ...database } = await api.newDatabase()
  // Each opening of a session ends those beyond the limit.
  await setDatabase(api.store, { workspaceSlug, databaseName }, { sessionsPerUser: 5 })
  await api.newDatabase()
  const user = validUser({ email: 'ada@example.com', newTenant: 'Engines' })
  const { token } = await database.signedUp(user)
  const headers = { 'idempotency-key': 'once' }
  const payload = validUser({ newTenant: 'Compilers' })
  const create = (body: object) => api.send({ method: 'POST', url: users, payload: body, headers })
  const statuses = [
    await database.createUser(validUser()),
    await database.createUser(user),
    await create(payload),
    await create(payload),
    await create({ ...payload, newTenant: 'Others' }),
    await database.me(token.jwt),
    await database.me('no.token.this'),
    ...(await useAccount(database)),
    await database.login({ email: 'ada@example.com', password: wrong }),
    await database.login({ email: 'ada@example.com', password }),
    ...(await sequentially(6, () => database.login({ email: 'nobody@example.com', password: wrong }))),
    ...(await discover(api, users.replace(/users$/, ''))),
    await api.send({ method: 'GET', url: '/readyz' }),
  ].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([
    201, 409, 201, 201, 422, 200, 401, 200, 200, 200, 200, 204, 204, 204, 204, 200, 204, 401, 200, 401, 401,
    401, 401, 401, 429, 200, 200, 200, 200, 200, 200,
  ])
  await signUpWithinLimit(api)
  await readAcrossDatabases(api)
  await sendEvents(app, newDatabase)
  await sendCodes(api, smtp)
  await useTenants(api)
  await useEmailChange(api, smtp)
  await useInvitations(api, smtp)
  await useManagement(api)
  await readEvents(api)
  await readRevocations(api)
  await sweepDatabase(api.context, database.id, {
    log: api.app.log,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  })
  await api.close()
  await smtp.close()
  const costlier = await startApp(store, { ARGON2_MEMORY_KIB: '16' })
  await costlier.client(workspaceSlug, databaseName).login({ email: 'ada@example.com', password })
  await costlier.close()
  return operations
}

/** Returns the responses of the operations that describe a database. */
const discover = ({ send }: TestApi, root: string) =>
  Promise.all(
    [
      `${root}features`,
      `${root}.well-known/jwks.json`,
      `${root}.well-known/openid-configuration`,
      `${root}.well-known/oauth-authorization-server`,
      `/.well-known/oauth-authorization-server${root.slice(0, -1)}`,
    ].map((url) => send({ method: 'GET', url })),
  )

/** Returns the responses of the account operations. */
async function useAccount(database: Pick<TestDatabase, 'opened' | 'refresh' | 'me' | 'as' | 'endSession'>) {
  const session = await database.opened({ newTenant: 'Looms' })
  const { refreshToken } = session
  const as = (method: 'GET' | 'DELETE' | 'PATCH' | 'POST' | 'PUT', path: string, body?: object) =>
    database.as(session.token.jwt, method, path, body)
  const responses = [
    await database.me(session.token.jwt),
    await as('PATCH', 'me', { preferredName: 'Ada' }),
    await database.refresh(refreshToken.value),
    await as('GET', 'me/sessions'),
    await as('DELETE', `me/sessions/${bystander.sessionId}`),
    await as('DELETE', 'me/sessions/others'),
    await database.endSession(refreshToken.value),
  ]
  const { token } = await database.opened()
  const leaving = await database.opened()
  const deletion = await database.as(leaving.token.jwt, 'POST', 'me/deletion', { password })
  const changed = await database.as(token.jwt, 'PUT', 'me/password', {
    password,
    newPassword: `new ${password}`,
  })
  return [
    ...responses,
    deletion,
    changed,
    await database.as(changed.json().token.jwt, 'DELETE', 'me/sessions'),
  ]
}

/** Signs up in a database with a limit of sign-ups, until it is reached. */
async function signUpWithinLimit({ store, newDatabase }: TestApi) {
  const database = await newDatabase()
  await setDatabase(store, database, { signUpsPerHour: 1 })
  const statuses = [await database.createUser(validUser()), await database.createUser(validUser())]
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([201, 429])
}

/** Sends requests to several databases at the same time, which share statements, and reads the lists that requests wait for. */
async function readAcrossDatabases({ newDatabase, send, store, context }: TestApi) {
  const databases = await Promise.all([newDatabase(), newDatabase(), newDatabase()])
  const url = ({ users }: TestDatabase) => users.replace(/users$/, '.well-known/jwks.json')
  await Promise.all(databases.map((database) => send({ method: 'GET', url: url(database) })))
  const users = await Promise.all(databases.map(({ signedUp }) => signedUp()))
  await Promise.all(users.map(({ token }, index) => databases[index]?.me(token.jwt)))
  const ids = databases.map(({ id }) => id)
  for (const id of ids) await context.revocations.read(id, { after: undefined, limit: 1 })
  for (const list of [revocations, keptEvents]) await findLastPlaces(store, list, ids)
}

/** Causes events that a webhook accepts, that `usher events tail` keeps, and that the webhook refuses. */
async function sendEvents(api: TestApi, newDatabase: (webhookUrl: string) => Promise<TestDatabase>) {
  const receiver = await startReceiver()
  const { id, users } = await newDatabase(receiver.url)
  const signUp = async (attempts: number) => {
    const headers = attempts > 1 ? { 'idempotency-key': String(attempts) } : {}
    const payload = validUser(attempts > 2 ? { newTenant: 'Engines' } : {})
    expect((await api.send({ method: 'POST', url: users, payload, headers })).statusCode).toBe(201)
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(attempts), 10_000)
  }
  await signUp(1)
  await api.store.prisma.database.updateMany({
    where: { id },
    data: { eventsTailedUntil: new Date(api.clock.now + 60_000) },
  })
  await signUp(2)
  receiver.answer = (response) => response.writeHead(500).end()
  await signUp(3)
  await vi.waitFor(
    async () =>
      expect(
        await api.store.prisma.message.count({ where: { databaseId: id, lastError: 'status 500' } }),
      ).toBe(1),
    10_000,
  )
  await receiver.close()
}

/** Keeps events and lists them, with a key that waits, and deletes them. */
export async function readEvents(api: TestApi) {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, { eventsKept: 7 })
  const operation = { store: api.store, now: new Date(api.clock.now) }
  const described = { name: 'backend', scopes: ['events:read' as const], expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, database, described)
  const headers = { authorization: `Bearer ${key}` }
  const url = database.users.replace(/users$/, 'management/events')
  const list = (query: string) => api.send({ method: 'GET', url: `${url}${query}`, headers })
  const { token } = await database.signedUp({ newTenant: 'Engines' })
  const { events, next } = (await list('')).json()
  expect(events).toHaveLength(3)
  const waiting = list(`?after=${next}&wait=25`)
  await database.as(token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  expect((await waiting).json().events).toHaveLength(1)
  await setDatabase(api.store, database, { eventsKept: 0 })
  const past = { ...api.context, now: () => api.clock.now + 1 }
  await sweepDatabase(past, database.id, {
    log: api.app.log,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  })
  await setDatabase(api.store, database, { eventsKept: 7 })
}

/** Lists revocations, also with a key that waits, and deletes them. */
export async function readRevocations(api: TestApi) {
  const database = await api.newDatabase()
  const operation = { store: api.store, now: new Date(api.clock.now) }
  const described = { name: 'verifier', scopes: ['revocations:read' as const], expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, database, described)
  const headers = { authorization: `Bearer ${key}` }
  const url = database.users.replace(/users$/, 'management/revocations')
  const list = async (query: string) =>
    (await api.send({ method: 'GET', url: `${url}${query}`, headers })).json()
  const [first, second] = [await database.opened(), await database.opened()]
  await database.endSession(first.refreshToken.value)
  const { revocations, next } = await list('')
  expect(revocations).toHaveLength(1)
  const waiting = list(`?after=${next}&wait=25`)
  await database.endSession(second.refreshToken.value)
  expect((await waiting).revocations).toHaveLength(1)
  await api.store.prisma.revocation.updateMany({
    where: { databaseId: database.id },
    data: { createdAt: new Date(0) },
  })
  await sweepDatabase(api.context, database.id, {
    log: api.app.log,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  })
}

/** Requests a code of each purpose, and uses it. */
async function sendCodes(api: TestApi, smtp: Smtp) {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, { appUrl: 'https://app.example.com' })
  const email = 'ada@example.com'
  const { token } = await database.signedUp({ email })
  const as = (path: string, body?: object) => database.as(token.jwt, 'POST', path, body)
  const responses = [await as('me/email-verification'), await as('password-reset', { email })]
  await vi.waitFor(() => expect(smtp.mails.length).toBe(2), 10_000)
  const codeOf = (path: string) =>
    codeIn(smtp.mails.find(({ parsed }) => parsed.text?.includes(path)) as ReceivedMail)
  const newPassword = `new ${password}`
  responses.push(
    await as('email-verification', { code: codeOf('verify-email') }),
    await as('password-reset/confirm', { code: codeOf('reset-password'), newPassword }),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([202, 202, 200, 200])
}

async function sequentially<Result>(times: number, work: () => Promise<Result>) {
  const results: Result[] = []
  for (let i = 0; i < times; i++) results.push(await work())
  return results
}
