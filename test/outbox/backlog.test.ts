import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, vi } from 'vitest'
import { failMessage } from '../../server/store/queries/deliveries.js'
import { insertMessages } from '../../server/store/queries/outbox.js'
import { claimStreams, completeEvent } from '../../server/store/queries/streams.js'
import type { Store } from '../../server/store/store.js'
import { withOwnStore } from '../support/api.js'
import { startApp } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { startReceiver } from '../support/receiver.js'
import { storeBacklog } from './backlog.js'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('usher', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const usher = await startApp(store)
    usher.clock.now = Date.now()
    onCleanup(usher.close)
    return usher
  })

it('a new event is claimed before retries that became due after it', async ({ store, usher }) => {
  const { id: databaseId } = await usher.newDatabase()
  const second = (count: number) => new Date(Date.now() + count * 1_000)
  await storeBacklog(store, { databaseIds: [databaseId], users: 64, eventsOfUser: 1 })
  for (let count = 0; count < 4; count++) {
    const claim = { databaseId, now: second(1), until: second(60), lookAgain: second(60) }
    // Half of the retries are due before the new event.
    const failure = { lastError: 'status 500', dueAt: second(count % 2 ? 2 : 4), lookAgain: second(60) }
    for (const { streamId, version, ...event } of await claimStreams(store, claim, 16)) {
      const stream = { id: streamId, version }
      if (event.isDue) await failMessage(store, { databaseId, ...event, stream }, failure)
    }
  }
  const userId = uuidv7()
  const event = { databaseId, id: uuidv7(), kind: 'webhook', userId, payload: {}, createdAt: second(3) }
  await insertMessages(store, [{ ...event, dueAt: second(3) }])
  const claimed = await claimStreams(
    store,
    { databaseId, now: second(10), until: second(60), lookAgain: second(60) },
    16,
  )
  expect(claimed.map(({ streamId }) => streamId)).toContain(userId)
  expect(claimed).toHaveLength(16)
  await store.prisma.message.deleteMany()
  await store.prisma.messageStream.deleteMany()
})

it.for([
  ['long ago', 3_600_000],
  ['just now', 0],
] as const)(
  'a new event is claimed before further events, stored %s, of users whose event was delivered after it',
  async ([, age], { store, usher }) => {
    const { id: databaseId } = await usher.newDatabase()
    const second = (count: number) => new Date(Date.now() + count * 1_000)
    await storeBacklog(store, { databaseIds: [databaseId], users: 64, eventsOfUser: 3 })
    await store.prisma.message.updateMany({ data: { createdAt: new Date(Date.now() - age) } })
    const claim = (count: number) =>
      claimStreams(store, { databaseId, now: second(count), until: second(60), lookAgain: second(60) }, 16)
    const first = await claim(1)
    const userId = uuidv7()
    const event = { databaseId, id: uuidv7(), kind: 'webhook', userId, payload: {}, createdAt: second(2) }
    await insertMessages(store, [{ ...event, dueAt: second(2) }])
    for (const { streamId, version, ...delivered } of first)
      if (delivered.isDue)
        await completeEvent(
          store,
          { databaseId, id: delivered.id, stream: { id: streamId, version } },
          second(3),
        )
    const claimed = (await claim(4)).map(({ streamId }) => streamId)
    expect(claimed).toContain(userId)
    expect(claimed).toHaveLength(16)
    await store.prisma.message.deleteMany()
    await store.prisma.messageStream.deleteMany()
  },
)

it('a claim that exceeds its time limit is logged with its database and counted', async ({
  store,
  usher,
}) => {
  const { id } = await usher.newDatabase()
  const query: Store['query'] = async (text, values, milliseconds) => {
    if (/SKIP LOCKED|kind = 'mail'/.test(text) && values[0] === id)
      throw Object.assign(new Error('canceling statement'), { code: '57014', severity: 'ERROR' })
    return store.query(text, values, milliseconds)
  }
  const api = await startApp({ ...store, query }, { METRICS_PORT: '1' })
  onTestFinished(api.close)
  api.context.deliver([{ databaseId: id }])
  await vi.waitFor(
    () =>
      expect(api.logged()).toMatch(/"databaseId":".{36}","channel":"mail","msg":"messages were not claimed"/),
    10_000,
  )
  const counts = await api.metrics?.getSingleMetricAsString('usher_message_claims_failed_total')
  for (const channel of ['mail', 'webhook'])
    expect(counts).toContain(`usher_message_claims_failed_total{channel="${channel}"} 1`)
  expect(api.logged()).toContain(id)
})

it('a request that changes nothing sends no event, and waiting updates of a user are one', async ({
  store,
  usher,
}) => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const database = await usher.newDatabase()
  await setDatabase(store, database, { webhookUrl: receiver.url })
  const { id, token } = await database.signedUp()
  await vi.waitFor(async () => expect(await store.prisma.message.count()).toBe(0), 20_000)
  receiver.answer = () => undefined
  const rename = (preferredName: string | null) => database.as(token.jwt, 'PATCH', 'me', { preferredName })
  await rename(null)
  await rename('Ada')
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2), 10_000)
  // The first update is being delivered, so the second one needs a new event, and the others do not.
  for (const name of ['Grace', 'Grace', 'Joan', 'Edith']) await rename(name)
  expect(await store.prisma.message.count({ where: { userId: id } })).toBe(2)
  await store.prisma.message.deleteMany()
})
