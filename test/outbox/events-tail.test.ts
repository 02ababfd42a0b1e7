import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, vi } from 'vitest'
import { tailEvents } from '../../server/domain/management/outbox.js'
import type { TestDatabase } from '../support/app.js'
import { startUsher } from '../support/child.js'
import { it, type Operator } from '../support/operator.js'
import { startReceiver } from '../support/receiver.js'

/** Starts `usher events tail`, and waits until it prints events. */
async function startTail({ env, clock }: Operator, { path, signedUp }: TestDatabase) {
  const tail = startUsher(['events', 'tail', path, '--seconds', '60'], env)
  await vi.waitFor(
    async () => {
      // Servers cache for 5 s whether events are kept.
      clock.cacheAhead += 6_000
      await signedUp()
      expect(tail.output).toMatchObject({ stdout: expect.stringMatching(/\n$/), stderr: '' })
    },
    { timeout: 20_000, interval: 200 },
  )
  return {
    /** Waits for the events of a user. */
    eventsOf: (userId: string, last: string) =>
      vi.waitFor(
        () => {
          const lines = tail.output.stdout.split('\n').filter((line) => line.includes(userId))
          expect(lines.at(-1)).toContain(last)
          return lines.map((line) => JSON.parse(line))
        },
        { timeout: 10_000 },
      ),
    async stop() {
      tail.signal('SIGKILL')
      await tail.ended
    },
  }
}

it('events tail prints the events of a database in order', async ({ usher, database }) => {
  const tail = await startTail(usher, database)
  const { id, tenants } = await database.signedUp({ newTenant: 'Engines' })
  const timestamp = new Date(usher.clock.now).toISOString()
  const data = { databaseId: database.id, userId: id }
  expect(await tail.eventsOf(id, 'tenant.user_added')).toEqual([
    { type: 'user.created', timestamp, data },
    { type: 'tenant.created', timestamp, data: { ...data, tenantId: tenants[0] } },
    { type: 'tenant.user_added', timestamp, data: { ...data, tenantId: tenants[0] } },
  ])
  await tail.stop()
  expect(await usher.json(`outbox list ${database.path}`)).toEqual([])
})

it('events tail prints an event once, and none from before it was started', async ({ usher, database }) => {
  const before = {
    databaseId: database.id,
    id: uuidv7(),
    kind: 'tail',
    payload: { type: 'user.created', userId: 'before' },
    createdAt: new Date(),
  }
  await usher.store.prisma.message.create({ data: before })
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const now = vi.fn(Date.now)
  const printed: unknown[] = []
  const printing = (async () => {
    const events = tailEvents(usher.store, database, { stopped: end.signal, now })
    for await (const { data } of events) printed.push(data.userId)
  })()
  // The second time after the first read.
  await vi.waitFor(() => expect(now.mock.calls.length).toBeGreaterThan(1), 20_000)
  usher.clock.cacheAhead += 6_000
  const signedUp: string[] = []
  for (let count = 0; count < 2; count++) {
    signedUp.push((await database.signedUp()).id)
    await vi.waitFor(() => expect(printed).toContain(signedUp[count]), 20_000)
  }
  end.abort()
  await printing
  expect(printed).toEqual(signedUp)
})

it('events tail also prints the events that a webhook receives, and those that it rejects', async ({
  usher,
  database,
}) => {
  const receiver = await startReceiver()
  await usher.json(`database set ${database.path} --webhook-url ${receiver.url}`)
  const tail = await startTail(usher, database)
  const accepted = await database.signedUp()
  expect(await tail.eventsOf(accepted.id, 'user.created')).toHaveLength(1)
  await vi.waitFor(() => expect(receiver.requests.map(({ body }) => body).join()).toContain(accepted.id))
  receiver.answer = (response) => response.writeHead(500).end()
  const refused = await database.signedUp()
  expect(await tail.eventsOf(refused.id, 'user.created')).toHaveLength(1)
  await tail.stop()
  await vi.waitFor(async () =>
    expect(await usher.json(`outbox list ${database.path}`)).toMatchObject([
      { userId: refused.id, lastError: 'status 500' },
    ]),
  )
  await receiver.close()
})

it('events tail deletes the events that an earlier run has left', async ({ usher, database }) => {
  const old = {
    databaseId: database.id,
    id: '01800000-0000-7000-8000-000000000000',
    kind: 'tail',
    payload: { type: 'user.created' },
    createdAt: new Date(),
  }
  await usher.store.prisma.message.create({ data: old })
  expect(await usher.outcome(`events tail ${database.path} --seconds 1`)).toBe('0 ')
  expect(await usher.store.prisma.message.count({ where: { databaseId: database.id } })).toBe(0)
})

it('events are kept for events tail of the previous version, which writes the database', async ({
  usher,
  database,
}) => {
  const eventsTailedUntil = new Date(usher.clock.now + 60_000)
  await usher.store.prisma.database.updateMany({ where: { id: database.id }, data: { eventsTailedUntil } })
  usher.clock.cacheAhead += 6_000
  const { id: userId } = await database.signedUp()
  const where = { databaseId: database.id }
  expect(await usher.store.prisma.message.findMany({ where })).toMatchObject([{ kind: 'tail', userId }])
})

it('events tail fails after its database was deleted', async ({ usher, database }) => {
  let now = Date.now()
  const stopped = new AbortController().signal
  const event = tailEvents(usher.store, database, { stopped, now: () => now }).next()
  const where = { databaseId: database.id }
  await vi.waitFor(async () => expect(await usher.store.prisma.eventTail.count({ where })).toBe(1))
  // Only the database's node of a distributed store is written.
  const { eventsTailedUntil } = await usher.store.prisma.database.findUniqueOrThrow({
    where: { id: database.id },
  })
  expect(eventsTailedUntil).toBeNull()
  await usher.json(`database delete ${database.path} --yes`)
  now += 30_000
  await expect(event).rejects.toThrow(`Database ${database.path} does not exist`)
})

it('events tail refuses the embedded store', async ({ usher, database }) => {
  expect(await usher.outcome(`events tail ${database.path}`, '', { DATABASE_URL: '' })).toBe(
    '2 usher: DATABASE_URL must point to a Postgres server. Only one process can open the embedded store\n',
  )
})
