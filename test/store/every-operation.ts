import { expect, vi } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { findLastPlaces, keptEvents, revocations } from '../../server/store/queries/numbered-lists.js'
import { password, startApp, type TestApi, type TestDatabase, validUser } from '../support/app.js'
import { openConsole } from '../support/console.js'
import type { OpenStore } from '../support/open-store.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { startReceiver } from '../support/receiver.js'
import { reportStatus } from '../support/server-status.js'
import { startSmtp } from '../support/smtp.js'
import { solve } from '../support/work.js'
import { sendEveryRequest } from './every-request.js'

/**
 * Sends every request of the tables of operations, and causes what no single request does: deliveries, waits, sweeps.
 *
 * @param onDatabase called with each database before its first request
 */
export async function useEveryOperation(
  store: OpenStore,
  onDatabase: (api: TestApi, database: TestDatabase) => Promise<unknown> = async () => undefined,
) {
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
  const api = { ...app, newDatabase: () => newDatabase() }
  const { database } = await sendEveryRequest(api, smtp)
  await signUpWithinLimit(api)
  await signUpWithProof(api)
  await readAcrossDatabases(api)
  await sendEvents(app, newDatabase)
  await readEvents(api)
  await readRevocations(api)
  await operate(store)
  const { email } = validUser()
  await database.signedUp({ email })
  await api.close()
  await smtp.close()
  const costlier = await startApp(store, { ARGON2_MEMORY_KIB: '16' })
  await costlier.client(database.workspaceSlug, database.databaseName).login({ email, password })
  await costlier.close()
}

/** Sends the requests of operators that no command makes. */
async function operate(store: OpenStore) {
  // Another server, because operators look up a workspace and a database in one request.
  const api = await startApp(store)
  api.clock.now = Date.now()
  const console = await openConsole(api)
  const owner = await console.owner()
  await owner.send('POST', '/operator/workspaces', { slug: 'operated' })
  await owner.send('POST', '/operator/workspaces/operated/databases', { name: 'app' })
  const path = '/operator/workspaces/operated/databases/app'
  await console.operator(owner, { email: 'support@example.com', workspace: 'operated', role: 'support' })
  const lists = ['workspaces', 'databases', 'databases?after=operated/app']
  const reads = ['me', 'operators', 'console', ...lists, 'actions', `actions?operatorId=${owner.id}`]
  await owner.send('POST', '/operator/workspaces/operated/databases', { name: 'other' })
  for (const each of [...reads, 'workspaces/operated/databases'])
    expect((await owner.send('GET', `/operator/${each}`)).statusCode).toBe(200)
  const ofDatabase = ['settings', 'statistics', 'keys', 'api-keys', 'deliveries', 'connections', 'actions']
  for (const each of [...ofDatabase, `actions?target=${owner.id}`])
    expect((await owner.send('GET', `${path}/${each}`)).statusCode).toBe(200)
  expect((await owner.send('GET', path)).json().values).toMatchObject({ appUrl: null })
  const waits = { count: 1, databaseId: owner.id }
  await reportStatus(api, {
    name: 'web-1:3000',
    now: api.clock.now,
    waiting: { mail: waits, webhook: waits },
  })
  expect((await owner.send('GET', '/operator/servers')).json().servers).toHaveLength(1)
  const settings = { sessionIdle: 3_600 }
  expect((await owner.send('PATCH', `${path}/settings`, { settings })).statusCode).toBe(200)
  const user = await api.client('operated', 'app').signedUp()
  const { id: databaseId } = await api.context.findDatabase({
    workspaceSlug: 'operated',
    databaseName: 'app',
  })
  await sweep(api, databaseId, () => api.clock.now + 24 * 3_600_000)
  expect((await owner.send('GET', `${path}/statistics`)).json().users).toBe(1)
  const managed = `/workspaces/operated/databases/app/management/users/${user.id}/sessions`
  expect((await owner.send('DELETE', managed)).statusCode).toBe(204)
  const headers = { 'usher-confirmation': await owner.confirm() }
  expect((await owner.send('DELETE', path, undefined, headers)).json()).toEqual({ isDone: true, users: 1 })
  await api.close()
}

/** Sweeps a database. */
export const sweep = ({ app, context }: TestApi, databaseId: string, now = context.now) =>
  sweepDatabase({ ...context, now }, databaseId, {
    log: app.log,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  })

/** Signs up in a database with a limit of sign-ups, until it is reached. */
async function signUpWithinLimit({ store, newDatabase }: TestApi) {
  const database = await newDatabase()
  await setDatabase(store, database, { signUpsPerHour: 1 })
  const statuses = [await database.createUser(validUser()), await database.createUser(validUser())]
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([201, 429])
}

/** Signs up in a database with a bot check, with a proof of work. */
async function signUpWithProof({ store, newDatabase, send }: TestApi) {
  const database = await newDatabase()
  await setDatabase(store, database, { botCheck: 'always' })
  const payload = validUser()
  const { work } = (await database.createUser(payload)).json()
  const headers = { 'usher-proof': solve(work) }
  expect((await send({ method: 'POST', url: database.users, payload, headers })).statusCode).toBe(201)
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

/** Causes events that a webhook accepts, and events that it refuses. */
export async function sendEvents(api: TestApi, newDatabase: (webhookUrl: string) => Promise<TestDatabase>) {
  const receiver = await startReceiver()
  const { id, users } = await newDatabase(receiver.url)
  const signUp = async (attempts: number) => {
    const headers = attempts > 1 ? { 'idempotency-key': String(attempts) } : {}
    const payload = validUser(attempts > 2 ? { newTenant: 'Engines' } : {})
    expect((await api.send({ method: 'POST', url: users, payload, headers })).statusCode).toBe(201)
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(attempts), 10_000)
  }
  await signUp(1)
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
  await sweep(api, database.id, () => api.clock.now + 1)
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
  await sweep(api, database.id)
}
