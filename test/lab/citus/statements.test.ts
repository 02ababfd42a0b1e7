import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sweepDatabase } from '../../../server/domain/sweep/sweep.js'
import { distribute } from '../../../server/store/citus/distribute.js'
import { referenceTables } from '../../../server/store/citus/tables.js'
import { types } from '../../../server/store/connect-postgres.js'
import { migrate } from '../../../server/store/migrate.js'
import { password, startApp, type TestDatabase, validUser } from '../../support/app.js'
import { type CitusCluster, startCluster } from '../../support/citus-cluster.js'
import { useInvitations } from '../../support/every-invitation-operation.js'
import { useManagement } from '../../support/every-management-operation.js'
import { readEvents, readRevocations } from '../../support/every-operation.js'
import { useTenants } from '../../support/every-tenant-operation.js'
import type { OpenStore } from '../../support/open-store.js'
import { setDatabase } from '../../support/operator-changes.js'
import { type Receiver, startReceiver } from '../../support/receiver.js'
import { codeIn, type Smtp, startSmtp } from '../../support/smtp.js'
import { recorded, recordingPrisma, type Sent, sentBy } from './recording.js'
import { open, report } from './stage.js'

// Citus reports to a session what it sends to its nodes. Every statement of the operations must be sent to one node, which
// commits it without a second phase.

let cluster: CitusCluster
let store: OpenStore
let client: pg.Client
let sent: Sent[] = []
/** What each execution of a statement sent. */
const byStatement = new Map<string, Sent[][]>()

beforeAll(async () => {
  cluster = await startCluster()
  const url = await cluster.createDatabase('usher')
  store = await open(url)
  await migrate(store)
  await distribute(store)
  client = new pg.Client({ connectionString: url, types, options: recorded })
  await client.connect()
  client.on('notice', (notice) => {
    const one = sentBy(notice)
    if (one) sent.push(one)
  })
  await useEveryOperation(url)
})
afterAll(async () => {
  await client.end()
  await store.close()
  await cluster.stop()
})

/** Citus inserts the users of an import by COPY, and commits that in two phases, although it is on one node. */
const commitOfCopy = 'COMMIT after COPY'
let hasCopied = false

function record(text: string, commands: Sent[]) {
  hasCopied =
    text !== 'BEGIN' && (hasCopied || commands.some(({ sql }) => sql.startsWith('COPY insert_select')))
  const key = text === 'COMMIT' && hasCopied ? commitOfCopy : text
  byStatement.set(key, [...(byStatement.get(key) ?? []), commands])
}

/** Runs the operations, their statements one at a time on the session to which Citus reports. */
async function useEveryOperation(url: string) {
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<Result>(work: () => Promise<Result>) {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }
  async function run<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    sent = []
    try {
      return (await client.query({ text, values })).rows
    } finally {
      record(text, sent)
    }
  }
  const query: OpenStore['query'] = (text, values) => inTurn(() => run(text, values))
  const transaction: OpenStore['transaction'] = (_databaseId, work) =>
    inTurn(async () => {
      await run('BEGIN')
      try {
        const result = await work(run)
        await run('COMMIT')
        return result
      } catch (error) {
        await run('ROLLBACK')
        throw error
      }
    })
  const [receiver, smtp] = await Promise.all([startReceiver(), startSmtp()])
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'usher@example.com' }
  const api = await startApp({ ...store, query, transaction }, settings)
  api.clock.now = Date.now()
  const database = await api.newDatabase()
  const taken = validUser({ newTenant: 'Engines' })
  const { token } = await database.signedUp(taken)
  const headers = { 'idempotency-key': 'once' }
  const withKey = (payload: object) => api.send({ method: 'POST', url: database.users, payload, headers })
  const wrong = { email: taken.email, password: 'wrong password' }
  const statuses = [
    await database.createUser(validUser()),
    await database.createUser(taken),
    await withKey(validUser()),
    await api.send({
      method: 'POST',
      url: database.users,
      payload: validUser({ newTenant: 'Compilers' }),
      headers: { 'idempotency-key': 'again' },
    }),
    await database.me(token.jwt),
    await database.login(wrong),
    await database.login({ email: taken.email, password }),
  ].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([201, 409, 201, 201, 200, 401, 200])
  await useAccountOperations(await api.newDatabase(), receiver, smtp)
  const prisma = recordingPrisma(url, record)
  const managed = await startApp({ ...store, query, transaction, loadPrisma: prisma.loadPrisma }, settings)
  managed.clock.now = Date.now()
  // Commands, which create and change databases on every node, are not recorded.
  const management = { ...managed, store, newDatabase: api.newDatabase }
  await useManagement(management)
  await readEvents(management)
  await readRevocations(management)
  await useTenants(api)
  await useInvitations(api, smtp)
  const sweeping = { log: api.app.log, stopped: new AbortController().signal, pause: async () => undefined }
  await sweepDatabase(api.context, database.id, sweeping)
  await api.close()
  await managed.close()
  await Promise.all([receiver.close(), smtp.close(), prisma.close()])
}

/** In a database with a webhook and mails. */
async function useAccountOperations(database: TestDatabase, receiver: Receiver, smtp: Smtp) {
  await setDatabase(store, database, { webhookUrl: receiver.url, appUrl: 'https://app.example.com' })
  const user = validUser({ newTenant: 'Engines' })
  const { email } = user
  const opened = await database.opened(user)
  const token = opened.token.jwt
  const refreshToken = opened.refreshToken.value
  const newPassword = 'four random common words'
  const codeOfMail = (number: number) =>
    vi.waitFor(() => {
      const code = smtp.mails.map(codeIn).filter(Boolean)[number]
      if (!code) throw new Error('no mail')
      return code
    }, 15_000)
  const post = (path: string, body: object) => database.as('', 'POST', path, body)
  const responses = [
    await database.refresh(refreshToken),
    await database.as(token, 'GET', 'me/sessions'),
    await database.as(token, 'DELETE', `me/sessions/${crypto.randomUUID()}`),
    await database.as(token, 'PATCH', 'me', { preferredName: 'Ada' }),
    await database.as(token, 'POST', 'me/email-verification'),
    await post('email-verification', { code: await codeOfMail(0) }),
    await database.as(token, 'PUT', 'me/password', { password, newPassword }),
    await post('password-reset', { email }),
    await post('password-reset/confirm', { code: await codeOfMail(1), newPassword }),
    await database.endSession(refreshToken),
  ]
  const newToken = async () =>
    (await database.login({ email, password: newPassword })).json().token.jwt as string
  responses.push(
    await database.as(await newToken(), 'DELETE', 'me/sessions'),
    await database.as(await newToken(), 'POST', 'me/deletion', { password: newPassword }),
  )
  const owner = validUser()
  const other = await database.opened(owner)
  await database.markVerified(owner.email)
  responses.push(
    await database.as(other.token.jwt, 'POST', 'me/email', { email: 'new@example.com', password }),
    await post('email-change/confirm', { code: await codeOfMail(2) }),
    await post('email-change/undo', { code: await codeOfMail(3) }),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([
    200, 200, 204, 200, 202, 200, 200, 202, 200, 204, 204, 204, 202, 200, 200,
  ])
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 15_000)
}

const tablesOf = (text: string) => [
  ...new Set(
    [...text.matchAll(/(?:INTO|FROM|JOIN|UPDATE) "?usher"?\."?(\w+)/g)].map(([, table = '']) => table),
  ),
]

it('every statement of the operations is sent to one node and committed there once', () => {
  const found: string[] = []
  for (const [text, executions] of byStatement) {
    const isCommit = text.startsWith('COMMIT')
    // The others read the coordinator's own catalog.
    if (!isCommit && tablesOf(text).length === 0) continue
    // Every node has the reference tables.
    const expected = !isCommit && tablesOf(text).every((table) => referenceTables.includes(table)) ? 0 : 1
    const nodes = Math.max(...executions.map((commands) => new Set(commands.map(({ node }) => node)).size))
    const commands = Math.max(...executions.map(({ length }) => length))
    const isTwoPhase = executions.flat().some(({ sql }) => /PREPARE TRANSACTION|COMMIT PREPARED/.test(sql))
    const title = text.replace(/\s+/g, ' ').trim().slice(0, 60)
    report(title, nodes, commands, isTwoPhase ? 'two phases' : 'once')
    if (nodes !== expected || isTwoPhase !== (text === commitOfCopy)) found.push(text)
  }
  expect(found).toEqual([])
})

it('which are sign-ups of every kind, logins, reads, counts, sessions, codes, messages and those of management', () => {
  const tables = [...byStatement.keys()].map((text) => tablesOf(text).join(' '))
  for (const written of [
    'user',
    'user tenant membership',
    'user idempotency_key',
    'user tenant membership idempotency_key',
  ]) {
    expect(tables).toContain(written)
  }
  expect(tables.join()).toMatch(/login_failures/)
  expect(tables.join()).toMatch(/signing_key/)
  expect(tables.join()).toMatch(/hash_parameters/)
  const ofManagement = ['api_key', 'api_request', 'kept_event', 'event_cursor']
  const ofCodes = ['outbox', 'code', 'code_request', 'invitation']
  for (const table of ['session', 'database_secret', ...ofCodes, ...ofManagement])
    expect(tables.join(' ').split(' ')).toContain(table)
})

it('a read is sent as it is, in one round trip', () => {
  const reads = [...byStatement].filter(
    ([text]) =>
      tablesOf(text).length > 0 && /^\s*SELECT/.test(text) && !/ FOR (NO KEY )?(UPDATE|SHARE)/.test(text),
  )
  expect(reads.length).toBeGreaterThan(0)
  // The first statement of a transaction also opens it on the node.
  const isSentOnce = (commands: Sent[]) => {
    const own = commands.filter(({ sql }) => !/^BEGIN /.test(sql))
    return own.length <= 1 && own.every(({ sql }) => /^SELECT/.test(sql))
  }
  const others = reads.flatMap(([text, executions]) => (executions.every(isSentOnce) ? [] : [text]))
  expect(others).toEqual([])
})

it('sign-ups and reads work where the server plans without values', async () => {
  await store.prisma.$executeRaw`ALTER DATABASE usher SET plan_cache_mode = force_generic_plan`
  const other = await open(`${cluster.coordinator.url.replace(/postgres$/, 'usher')}`)
  const api = await startApp(other)
  const database = await api.newDatabase('standard', 'generic')
  for (let count = 0; count < 7; count++) {
    const { token } = await database.signedUp({ newTenant: 'Engines' })
    expect((await database.me(token.jwt)).statusCode).toBe(200)
  }
  await api.close()
  await other.close()
})
