import { rm } from 'node:fs/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { disableUser } from '../../../server/domain/admin/change-user.js'
import { createDatabase, setDatabase } from '../../../server/domain/admin/databases.js'
import { webhookSettings } from '../../../server/domain/admin/webhook.js'
import { createWorkspace } from '../../../server/domain/admin/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import type { Store } from '../../../server/store/store.js'
import { type Receiver, startReceiver } from '../../support/receiver.js'
import { createDataFolder, createPostgresDatabase } from '../../support/store.js'
import { report, times } from '../form.js'
import { type Server, startServer } from './server.js'
import { inFolder, onPostgres, type StorePlace } from './stage.js'

const path = { workspaceSlug: 'acme', databaseName: 'app' }

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const accept: Receiver['answer'] = (response) => response.writeHead(204).end()
const refuse: Receiver['answer'] = (response) => response.writeHead(500).end()

/** Runs work on the store while no server has it open, or next to one on Postgres. */
async function onStore<Result>({ open }: StorePlace, work: (store: Store) => Promise<Result>) {
  const store = await open()
  return work(store).finally(store.close)
}

/** Starts Usher on a store with the database acme/app, whose webhook is the receiver. */
async function startWithWebhook(place: StorePlace) {
  await onStore(place, async (store) => {
    await migrate(store.prisma)
    await createWorkspace(store, 'acme', new Date())
    const database = await createDatabase(store, path, {}, new Date())
    const { settings } = webhookSettings(store.masterKey, database, { webhookUrl: receiver.url })
    await setDatabase(store, path, settings)
  })
  return startServer(place.env)
}

/** Starts the killed server again, as if the minute of its claims had passed, and waits for all deliveries. */
async function deliverAll(place: StorePlace, server: Server) {
  receiver.answer = accept
  await onStore(place, ({ prisma }) => prisma.message.updateMany({ data: { dueAt: new Date(0) } }))
  await server.restart()
}

const left = ({ prisma }: Store) => prisma.message.count()

/** Checks that the events of every stored user arrived, in order, and none of others. Returns how many are repeated. */
async function auditEvents({ prisma }: Store) {
  const users = await prisma.user.findMany()
  const received = new Map<string, string[]>(users.map(({ id }) => [id, []]))
  for (const { event } of receiver.requests) {
    const types = received.get(event.data.userId ?? '')
    expect(types, 'event of a user that does not exist').toBeDefined()
    types?.push(event.type)
  }
  for (const { id, disabledAt } of users) {
    expect([...new Set(received.get(id))]).toEqual([
      'user.created',
      'tenant.created',
      'tenant.user_added',
      ...(disabledAt ? ['user.disabled'] : []),
    ])
  }
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
  return { users: users.length, events: ids.size, repeated: receiver.requests.length - ids.size }
}

it('every event arrives, in order, wherever Usher is killed in a delivery', async () => {
  const { url, drop } = await createPostgresDatabase('template0')
  onTestFinished(drop)
  const place = onPostgres(url)
  const server = await startWithWebhook(place)
  // A transaction sees pg_stat_activity as it was at its first look.
  const [control, watch] = [new Client(url), new Client(url)]
  await Promise.all([control.connect(), watch.connect()])
  let count = 0
  const signUp = () => {
    count += 1
    return server.signUp({ email: `user-${count}@example.com`, newTenant: 'Engines' })
  }
  /** Waits until a statement of Usher with this text, among its first 1,024 bytes, waits for a lock. */
  const waitsFor = (statement: string) =>
    vi.waitFor(
      async () => {
        const { rowCount } = await watch.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`,
          [`%${statement}%`],
        )
        expect(rowCount, statement).toBeGreaterThan(0)
      },
      { timeout: 10_000, interval: 10 },
    )
  /** Locks the message before its receiver answers, so that its result cannot be stored. */
  const answerLocked = (answer: Receiver['answer']) => {
    receiver.answer = async (response, received) => {
      const id = received.headers['webhook-id']
      await control.query('BEGIN')
      await control.query('SELECT FROM usher.outbox WHERE id = $1 FOR UPDATE', [id])
      answer(response, received)
    }
  }
  /** Each brings Usher to a step of a delivery, where it waits. */
  const steps: Record<string, () => Promise<unknown>> = {
    'the change is written': async () => {
      await control.query('BEGIN; LOCK TABLE usher.outbox IN EXCLUSIVE MODE')
      signUp().catch(() => undefined)
      await waitsFor('INSERT INTO usher."user"')
    },
    'a message waits for its retry': async () => {
      receiver.answer = refuse
      await signUp()
      await vi.waitFor(async () => {
        const { rowCount } = await control.query('SELECT FROM usher.outbox WHERE last_error IS NOT NULL')
        expect(rowCount).toBeGreaterThan(0)
      })
    },
    'a message is claimed': async () => {
      await steps['a message waits for its retry']?.()
      await control.query('BEGIN; LOCK TABLE usher.database IN ACCESS EXCLUSIVE MODE')
      await waitsFor('sealed_webhook_secret')
    },
    'the receiver has the request': async () => {
      receiver.answer = () => undefined
      const before = receiver.requests.length
      await signUp()
      await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(before))
    },
    'the receiver has accepted': async () => {
      answerLocked(accept)
      await signUp()
      await waitsFor('DELETE FROM usher.outbox')
    },
    'the receiver has refused': async () => {
      answerLocked(refuse)
      await signUp()
      await waitsFor('SET last_error')
    },
  }
  for (const [step, bringThere] of Object.entries(steps)) {
    for (let kills = 0; kills < times(1, 20); kills++) {
      await bringThere()
      await server.kill()
      await control.query('ROLLBACK')
      await onStore(place, async (store) => {
        const [user] = await store.prisma.user.findMany({ orderBy: { id: 'desc' }, take: 1 })
        if (user) await disableUser(store, path, user.id, new Date())
      })
      await deliverAll(place, server)
      await vi.waitFor(async () => expect(await onStore(place, left)).toBe(0), 20_000)
    }
    const { users, events, repeated } = await onStore(place, auditEvents)
    report(`| ${step} | ${times(1, 20)} | ${users} | ${events} | 0 | ${repeated} |`)
  }
  await Promise.all([control.end(), watch.end()])
  await server.stop()
})

it('every event arrives after Usher with its embedded store is killed', async () => {
  const folder = await createDataFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const place = inFolder(folder)
  const server = await startWithWebhook(place)
  for (let kills = 0; kills < times(1, 10); kills++) {
    receiver.answer = () => undefined
    const before = receiver.requests.length
    await server.signUp({ email: `user-${kills}@example.com`, newTenant: 'Engines' })
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(before))
    await server.kill()
    await deliverAll(place, server)
    await vi.waitFor(() => expect(receiver.requests.at(-1)?.event.type).toBe('tenant.user_added'), 20_000)
  }
  await server.stop()
  const { users, events, repeated } = await onStore(place, auditEvents)
  expect(await onStore(place, left)).toBe(0)
  report(`| embedded store | ${times(1, 10)} | ${users} | ${events} | 0 | ${repeated} |`)
})
