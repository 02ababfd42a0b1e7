import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished } from 'vitest'
import { eventMessages } from '../../server/domain/events/events.js'
import { expireCursors } from '../../server/domain/management/expire-cursors.js'
import { cursorOf, placeOf } from '../../server/domain/numbered-lists/cursor.js'
import { deleteEndedRows, type ListPage, readList } from '../../server/domain/numbered-lists/read-list.js'
import { UnavailableError } from '../../server/store/errors.js'
import { keptEvents as list, type Place } from '../../server/store/queries/numbered-lists.js'
import { insertMessages } from '../../server/store/queries/outbox.js'
import type { Store } from '../../server/store/store.js'
import { findPgBouncer, startPgBouncer } from '../instances/pgbouncer.js'
import { withOwnStore } from '../support/api.js'
import { startApp, type TestDatabase } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { lockWaits } from '../support/lock-waits.js'
import { openPostgres } from '../support/open-store.js'
import type { TestStore } from '../support/store.js'

type Work = (query: Store['query']) => Promise<unknown>

const masterKey = randomBytes(32)
const limit = 1000

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('usher', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const usher = await startApp(store)
    onCleanup(usher.close)
    return usher
  })
  .extend('database', ({ usher }) => usher.newDatabase())
  .extend('events', ({ store, database }) => keptEvents(store, database))

function keptEvents(store: TestStore, { id }: TestDatabase) {
  const source = { id, webhookUrl: null, eventsKept: 7 }
  /** Returns the message of an event of a user, whose type says which one it is. */
  const messagesOf = (userId: string, sessionId: string) =>
    eventMessages(source, new Date(), [{ type: 'user.updated', userId, sessionId }])
  const read = async (after?: Place, using: Pick<Store, 'query' | 'transaction'> = store) => {
    const page = await readList(using, { list, databaseId: id }, { after, limit })
    return { ...page, names: namesOf(page) }
  }
  return {
    messagesOf,
    read,
    /** Stores an event. */
    add: (userId: string, name: string, using: Pick<Store, 'query'> = store) =>
      insertMessages(using, messagesOf(userId, name)),
    /** Stores an event in a transaction that stays open until the returned function is called. */
    async hold(userId: string, name: string, before: Work = async () => undefined) {
      const [stored, end] = [newGate(), newGate()]
      const committed = store.transaction(id, async (query) => {
        await before(query as Store['query'])
        await insertMessages({ query: query as Store['query'] }, messagesOf(userId, name))
        stored.open()
        await end.opened
      })
      await Promise.race([stored.opened, committed])
      return () => {
        end.open()
        return committed
      }
    },
    /** Returns all numbers, in order. */
    async numbers() {
      const rows = await store.prisma.keptEvent.findMany({
        where: { databaseId: id },
        orderBy: { seq: 'asc' },
      })
      return rows.map(({ seq }) => Number(seq))
    },
  }
}

const namesOf = ({ rows }: ListPage) =>
  rows.map(({ payload }) => (payload as { sessionId: string }).sessionId)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const user = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

it('a transaction that commits after a reader has passed is read next', async ({ events }) => {
  const commit = await events.hold(user(1), 'late')
  await events.add(user(2), 'early')
  const first = await events.read()
  expect(first.names).toEqual(['early'])
  expect((await events.read(first.next)).names).toEqual([])
  await commit()
  const second = await events.read(first.next)
  expect(second.names).toEqual(['late'])
  expect((await events.read()).names).toEqual(['early', 'late'])
  expect(await events.numbers()).toEqual([1, 2])
})

it('the events of a user stay in order when a reader passes between their commits', async ({
  store,
  usher,
  database,
  events,
}) => {
  const { id } = await database.signedUp()
  const change = {
    text: `UPDATE usher."user" SET preferred_name = 'Ada' WHERE database_id = $1::uuid AND id = $2::uuid RETURNING 1`,
    values: [database.id, id],
  }
  const rename: Work = (query) => query(change.text, change.values)
  const commit = await events.hold(id, 'first', rename)
  const second = store.transaction(database.id, async (query) => {
    await rename(query)
    await insertMessages({ query }, events.messagesOf(id, 'second'))
  })
  await expect.poll(() => lockWaits(store)).toBe(1)
  const before = await events.read()
  expect(before.names).toEqual([])
  await commit()
  await second
  expect((await events.read(before.next)).names).toEqual(['first', 'second'])
  expect(usher.context.keptEvents.waits.count()).toBe(0)
})

it('readers that pass many open transactions in any order skip none and repeat none', async ({ events }) => {
  let seed = 20261122
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % below
  }
  const open: { name: string; commit: () => Promise<void> }[] = []
  const committed: string[] = []
  const found: string[] = []
  let next: Place | undefined
  for (let step = 0; step < 120; step++) {
    const action = random(3)
    if (action === 0 && open.length < 6)
      open.push({ name: `${step}`, commit: await events.hold(user(step), `${step}`) })
    else if (action === 1 && open.length > 0) {
      const [{ name, commit } = { name: '', commit: async () => undefined }] = open.splice(
        random(open.length),
        1,
      )
      await commit()
      committed.push(name)
    } else {
      const page = await events.read(next)
      found.push(...page.names)
      next = page.next
      expect(found.toSorted()).toEqual(committed.toSorted())
    }
  }
  for (const { commit } of open) await commit()
  expect(committed.length).toBeGreaterThan(20)
})

it('readers that number at the same time give each event one number, without a gap', async ({
  store,
  database,
  events,
}) => {
  await store.query(
    `INSERT INTO usher.kept_event (database_id, id, payload, created_at)
    SELECT $1::uuid, gen_random_uuid(), '{}', now() FROM generate_series(1, 2500)`,
    [database.id],
  )
  const readToEnd = async () => {
    let next: Place | undefined
    let count = 0
    // A reader that meets another one which numbers gets an empty page, and tries again.
    while (count < 2500) {
      const page: ListPage = await events.read(next)
      if (next || page.rows.length > 0) next = page.next
      count += page.rows.length
    }
    return count
  }
  expect(await Promise.all([1, 2, 3, 4].map(readToEnd))).toEqual([2500, 2500, 2500, 2500])
  expect(await events.numbers()).toEqual(upTo(2500))
})

/** Returns a store whose connection is killed before or after a transaction commits. */
const killed = (store: Store, when: 'before' | 'after'): Pick<Store, 'query' | 'transaction'> => ({
  query: store.query,
  async transaction(databaseId, work) {
    const result = await store.transaction(databaseId, async (query) => {
      const numbered = await work(query)
      if (when === 'before') await query('SELECT pg_terminate_backend(pg_backend_pid())', [])
      return numbered
    })
    if (when === 'after') throw new Error('killed')
    return result
  },
})

it.for(['before', 'after'] as const)(
  'a reader that is killed %s its numbers are committed loses no event',
  async (when, { store, events }) => {
    await events.add(user(1), 'one')
    const { next } = await events.read()
    await events.add(user(1), 'two')
    await events.add(user(1), 'three')
    await expect(events.read(next, killed(store, when))).rejects.toThrow()
    expect((await events.read(next)).names).toEqual(['two', 'three'])
    expect(await events.numbers()).toEqual([1, 2, 3])
  },
)

it('a reader does not wait for one that is frozen while it numbers', async ({ store, database, events }) => {
  await events.add(user(1), 'one')
  const { next } = await events.read()
  const [locked, end] = [newGate(), newGate()]
  onTestFinished(end.open)
  const frozen = store.transaction(database.id, async (query) => {
    await query('SELECT 1 FROM usher.event_cursor WHERE database_id = $1::uuid FOR UPDATE', [database.id])
    locked.open()
    await end.opened
  })
  await locked.opened
  await events.add(user(1), 'two')
  expect(await events.read()).toMatchObject({ names: ['one'], moreAvailable: true })
  await expect(events.read(next)).rejects.toThrow(UnavailableError)
  // The sweep goes on to the next database.
  expect(await deleteEndedRows(store, { list, databaseId: database.id }, new Date(0))).toBe(false)
  end.open()
  await frozen
  expect((await events.read(next)).names).toEqual(['two'])
})

it('after a restore, cursors of lost events are refused, although other events have their numbers', async ({
  store,
  database,
  events,
}) => {
  const where = { databaseId: database.id }
  const add = (name: string) => events.add(user(1), name)
  for (const name of ['one', 'two']) await add(name)
  const { next: beforeBackup } = await events.read()
  const [rows, cursor] = [
    await store.prisma.keptEvent.findMany({ where }),
    await store.prisma.eventCursor.findUniqueOrThrow({ where }),
  ]
  await add('lost')
  const { next: lost } = await events.read(beforeBackup)
  await store.prisma.keptEvent.deleteMany({ where })
  await store.prisma.eventCursor.deleteMany({ where })
  await store.prisma.keptEvent.createMany({
    data: rows.map((row) => ({ ...row, payload: Object(row.payload) })),
  })
  await store.prisma.eventCursor.createMany({ data: cursor })
  await expect(events.read(lost)).rejects.toMatchObject({ code: 'cursor_expired' })
  // From here on, another event has the number of the lost one.
  await add('new')
  // The cursor of a server without stamps can only expire by the command.
  const former = { ...lost, stamp: null }
  expect((await events.read(beforeBackup)).names).toEqual(['new'])
  await expect(events.read(lost)).rejects.toMatchObject({ code: 'cursor_expired' })
  expect((await events.read(former)).names).toEqual([])
  await add('newer')
  await expect(events.read(lost)).rejects.toMatchObject({ code: 'cursor_expired' })
  expect((await events.read(former)).names).toEqual(['newer'])
  // Also when the events of these numbers have been deleted.
  const kept = await events.read()
  await deleteEndedRows(store, { list, databaseId: database.id }, new Date(Date.now() + 60_000))
  for (const place of [lost, { ...kept.next, stamp: lost.stamp }])
    await expect(events.read(place)).rejects.toMatchObject({ code: 'cursor_expired' })
  expect((await events.read(kept.next)).next).toEqual(kept.next)
  await add('last')
  for (const place of [{ ...kept.next, stamp: lost.stamp }])
    await expect(events.read(place)).rejects.toMatchObject({ code: 'cursor_expired' })
  expect((await events.read(kept.next)).names).toEqual(['last'])
  expect(await expireCursors(store, undefined)).toEqual({ databases: expect.any(Number) })
  for (const place of [former, beforeBackup])
    await expect(events.read(place)).rejects.toMatchObject({ code: 'cursor_expired' })
  const { names, next } = await events.read()
  expect(names).toEqual(['last'])
  expect(next.lineage).not.toBe(lost.lineage)
  expect(placeOf(cursorOf(next))).toEqual(next)
})

it.skipIf(!inject('pgbouncerUrl'))(
  'all of this holds through PgBouncer in transaction mode',
  async ({ store, events }) => {
    const url = String((store as TestStore).settings?.DATABASE_URL)
    const pgbouncer = await startPgBouncer(findPgBouncer(), url)
    const readers = await Promise.all([1, 2].map(() => openPostgres(pgbouncer.url, masterKey)))
    const commit = await events.hold(user(1), 'late')
    await events.add(user(2), 'early', readers[0])
    const first = await events.read(undefined, readers[1])
    expect(first.names).toEqual(['early'])
    await commit()
    const pages = await Promise.all(readers.map((reader) => events.read(first.next, reader)))
    const last = await events.read(first.next, readers[0])
    expect(last.names).toEqual(['late'])
    for (const { names } of pages) expect([[], ['late']]).toContainEqual(names)
    await Promise.all(readers.map(({ close }) => close()))
    await pgbouncer.stop()
  },
)
