import type { ServerResponse } from 'node:http'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, vi } from 'vitest'
import { UnavailableError } from '../../server/store/errors.js'
import { insertMessages } from '../../server/store/queries/outbox.js'
import type { Store } from '../../server/store/store.js'
import { withOwnStore } from '../support/api.js'
import { startApp, type TestApi, type TestDatabase } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { setDatabase } from '../support/operator-changes.js'
import { startReceiver } from '../support/receiver.js'
import { startSmtp } from '../support/smtp.js'

// The embedded store has one connection.
const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('receiver', async ({ store: _ }, { onCleanup }) => {
    const receiver = await startReceiver()
    onCleanup(receiver.close)
    return receiver
  })

/** Stores events of a database with a webhook, as another server does. */
async function storeEvents({ store, clock }: TestApi, database: TestDatabase, url: string, count: number) {
  await setDatabase(store, database, { webhookUrl: url })
  const createdAt = new Date(clock.now)
  const messages = Array.from({ length: count }, () => ({
    databaseId: database.id,
    id: uuidv7(),
    kind: 'webhook',
    userId: null,
    payload: { type: 'user.updated' },
    createdAt,
    dueAt: createdAt,
  }))
  await insertMessages(store, messages)
}

it('a database whose node is unavailable does not delay the messages of others', async ({
  store,
  receiver,
}) => {
  let unavailable = ''
  const query: Store['query'] = async (text, values, milliseconds) => {
    if (values[0] === unavailable) throw new UnavailableError('the node does not respond')
    return store.query(text, values, milliseconds)
  }
  const usher = await startApp({ ...store, query }, {}, { intervals: { search: 50 } })
  unavailable = (await usher.newDatabase()).id
  await storeEvents(usher, await usher.newDatabase(), receiver.url, 1)
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 20_000)
  expect(receiver.requests).toHaveLength(1)
  await usher.close()
})

it('the search finds the mails and the events that other servers have stored', async ({
  store,
  receiver,
}) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' }
  const usher = await startApp(store, settings, { intervals: { search: 20 } })
  onTestFinished(usher.close)
  const database = await usher.newDatabase()
  const now = new Date(usher.clock.now)
  await store.prisma.message.create({
    data: {
      databaseId: database.id,
      id: uuidv7(),
      kind: 'mail',
      payload: { type: 'password_changed' },
      recipient: 'ada@example.com',
      createdAt: now,
      dueAt: now,
    },
  })
  for (let time = 1; time <= 2; time++) {
    await storeEvents(usher, database, receiver.url, 1)
    await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 10_000)
    expect(receiver.requests).toHaveLength(time)
  }
  expect(smtp.mails).toMatchObject([{ recipients: ['ada@example.com'] }])
})

it('a server that closes waits for its search to look up the workers', async ({ store }) => {
  const happened: string[] = []
  const found = newGate()
  const query = async <Row>(...statement: Parameters<Store['query']>) => {
    if (!statement[0].includes('pg_dist_partition')) return store.query<Row>(...statement)
    happened.push('looks up')
    await found.opened
    const rows = await store.query<Row>(...statement)
    happened.push('has looked up')
    return rows
  }
  const usher = await startApp({ ...store, query }, {}, { intervals: { search: 1 } })
  await vi.waitFor(() => expect(happened).toEqual(['looks up']), { interval: 1 })
  const closed = usher.close().then(() => happened.push('closed'))
  // They take longer than closing.
  for (const _ of Array(20).keys()) await store.query('SELECT 1', [])
  found.open()
  await closed
  expect(happened.slice(0, 2)).toEqual(['looks up', 'has looked up'])
  expect(happened.at(-1)).toBe('closed')
})

it('a message that fails is delivered again after its wait, without a search', async ({
  store,
  receiver,
}) => {
  // The first wait is a second.
  const usher = await startApp(store, {}, { intervals: { search: 3_600_000, retry: 1_000 } })
  const database = await usher.newDatabase()
  await storeEvents(usher, database, receiver.url, 0)
  receiver.answer = (response) => response.writeHead(503).end()
  await database.signedUp()
  const where = { databaseId: database.id }
  await vi.waitFor(
    async () =>
      expect(await store.prisma.message.count({ where: { ...where, lastError: 'status 503' } })).toBe(1),
    10_000,
  )
  receiver.answer = (response) => response.writeHead(204).end()
  usher.clock.now += 1_000
  await vi.waitFor(async () => expect(await store.prisma.message.count({ where })).toBe(0), 10_000)
  await usher.close()
})

it('a receiver that does not respond does not delay the mails of its database', async ({
  store,
  receiver,
}) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  const usher = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  receiver.answer = () => undefined
  const database = await usher.newDatabase()
  const { token } = await database.signedUp()
  await storeEvents(usher, database, receiver.url, 16)
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  usher.context.deliver([{ databaseId: database.id }])
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2), 5_000)
  await database.as(token.jwt, 'POST', 'me/email-verification')
  await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), 5_000)
  await usher.close()
  await store.prisma.message.deleteMany()
})

it('deliveries leave the connections of the store to requests', async ({ store, receiver }) => {
  let running = 0
  let most = 0
  const query: Store['query'] = async (text, values, milliseconds) => {
    // The other statements are searches.
    if (typeof values[0] !== 'string') return store.query<never>(text, values, milliseconds)
    running += 1
    most = Math.max(most, running)
    return store.query<never>(text, values, milliseconds).finally(() => {
      running -= 1
    })
  }
  const usher = await startApp({ ...store, query })
  const responses: ServerResponse[] = []
  receiver.answer = (response) => {
    responses.push(response)
    if (responses.length >= 4) for (const each of responses.splice(0)) each.writeHead(204).end()
  }
  const databases = [await usher.newDatabase(), await usher.newDatabase()]
  for (const database of databases) await storeEvents(usher, database, receiver.url, 16)
  usher.context.deliver(databases.map(({ id }) => ({ databaseId: id })))
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 20_000)
  expect(most).toBeLessThanOrEqual(4)
  await usher.close()
})

it('the events of a user are sent in the order in which their changes were stored', async ({
  store,
  receiver,
}) => {
  const fast = await startApp(store)
  const database = await fast.newDatabase()
  await storeEvents(fast, database, receiver.url, 0)
  const { token } = await database.signedUp()
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 20_000)

  let proceed: (() => void) | undefined
  const transaction: Store['transaction'] = async (...parameters) => {
    await new Promise<void>((resolve) => {
      proceed = resolve
    })
    return store.transaction(...parameters)
  }
  const slow = await startApp({ ...store, transaction })
  receiver.answer = (response) => response.writeHead(503).end()
  const { workspaceSlug, databaseName } = database
  const update = slow
    .client(workspaceSlug, databaseName)
    .as(token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  await vi.waitFor(() => expect(proceed).toBeDefined(), 10_000)
  fast.clock.now += 500
  expect((await database.as(token.jwt, 'PATCH', 'me', { preferredName: 'Grace' })).statusCode).toBe(200)
  await vi.waitFor(
    async () => expect(await store.prisma.message.count({ where: { lastError: 'status 503' } })).toBe(1),
    10_000,
  )

  const accepted: string[] = []
  receiver.answer = (response, { event }) => {
    accepted.push(event.timestamp)
    response.writeHead(204).end()
  }
  proceed?.()
  expect((await update).statusCode).toBe(200)
  for (const { clock } of [slow, fast]) clock.now += 1_000
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 20_000)
  // Timestamps are in the order of the requests, of which the first was stored last.
  expect(accepted).toHaveLength(2)
  expect(accepted).toEqual(accepted.toSorted().reverse())
  await slow.close()
  await fast.close()
})
