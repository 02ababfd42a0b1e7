import { expect, vi } from 'vitest'
import { expireCursors } from '../../server/domain/management/expire-cursors.js'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { it as managementTest } from '../support/management.js'
import { revokeApiKey, setDatabase } from '../support/operator-changes.js'
import { startReceiver } from '../support/receiver.js'

interface Page {
  events: { id: string; type: string; timestamp: string; data: Record<string, string> }[]
  next: string
  moreAvailable: boolean
}

/** `it` with a database whose events are kept for a week, and a key that reads them. */
const it = managementTest.extend('kept', async ({ usher, store, manage }) => {
  const { database } = manage
  await setDatabase(store, database, { eventsKept: 7 })
  const { key, id } = await manage.newKey(['events:read'])
  const send = (query = '') => manage.send(key, 'GET', `events${query}`)
  const list = async (query = ''): Promise<Page> => {
    const response = await send(query)
    expect(response.statusCode, response.body).toBe(200)
    return response.json()
  }
  /** Sweeps the database. @param pause called between two batches */
  const sweep = (pause: () => Promise<unknown> = async () => undefined) =>
    sweepDatabase(usher.context, database.id, {
      log: usher.app.log,
      stopped: new AbortController().signal,
      pause,
    })
  /** Returns a function that sends a request with a new key, because keys of the tests expire within an hour. */
  const sendLater = async () => {
    const later = await manage.newKey(['events:read'])
    return (query = '') => manage.send(later.key, 'GET', `events${query}`)
  }
  return { database, keyId: id, send, sendLater, list, sweep }
})

it('returns 409 while the database keeps no events', async ({ manage }) => {
  const { key } = await manage.newKey(['events:read'])
  await manage.database.signedUp()
  const { statusCode, body } = await manage.send(key, 'GET', 'events')
  expect([statusCode, JSON.parse(body).code]).toEqual([409, 'events_not_kept'])
})

it('returns the events of changes in their order, with the ids and bodies that a webhook gets', async ({
  usher,
  store,
  kept,
}) => {
  const { database } = kept
  const receiver = await startReceiver()
  await setDatabase(store, database, { webhookUrl: receiver.url })
  const { id, tenants, token } = await database.signedUp({ newTenant: 'Engines' })
  await database.as(token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  const { events, next, moreAvailable } = await kept.list()
  const data = { databaseId: database.id, userId: id }
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['user.created', data],
    ['tenant.created', { ...data, tenantId: tenants[0] }],
    ['tenant.user_added', { ...data, tenantId: tenants[0] }],
    ['user.updated', data],
  ])
  expect(events[0]?.timestamp).toBe(new Date(usher.clock.now).toISOString())
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(4), 10_000)
  const sent = receiver.requests.map(({ headers, event }) => ({ id: headers['webhook-id'], ...event }))
  expect(events).toEqual(sent)
  await receiver.close()
  expect(moreAvailable).toBe(false)
  expect(await kept.list(`?after=${next}`)).toEqual({ events: [], next, moreAvailable: false })
})

it('an event that an API key has caused names the key', async ({ manage, kept }) => {
  const { key, id } = await manage.newKey(['tenants:write'])
  const tenant = (await manage.send(key, 'POST', 'tenants', { name: 'Engines' })).json()
  const data = { databaseId: kept.database.id, tenantId: tenant.id, apiKey: id }
  expect((await kept.list()).events).toMatchObject([{ type: 'tenant.created', data }])
})

it('keeps each change of a name, although a webhook gets one event for several', async ({ store, kept }) => {
  const { database } = kept
  const receiver = await startReceiver()
  receiver.answer = () => undefined
  await setDatabase(store, database, { webhookUrl: receiver.url })
  const { token } = await database.signedUp()
  // From now on, the events of the user wait.
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 10_000)
  let after = (await kept.list()).next
  for (const preferredName of ['Ada', 'Augusta', 'Countess']) {
    await database.as(token.jwt, 'PATCH', 'me', { preferredName })
    const page = await kept.list(`?after=${after}`)
    expect(page.events.map(({ type }) => type)).toEqual(['user.updated'])
    after = page.next
  }
  expect(await store.prisma.message.count({ where: { databaseId: database.id } })).toBe(2)
  await receiver.close()
})

it('has pages, which together have every event once', async ({ kept }) => {
  const ids: string[] = []
  for (let count = 0; count < 5; count++) ids.push((await kept.database.signedUp()).id)
  const found: unknown[] = []
  let query = '?limit=2'
  for (let more = true; more; ) {
    const page = await kept.list(query)
    expect(page.events.length).toBeLessThanOrEqual(2)
    found.push(...page.events.map(({ data }) => data.userId))
    more = page.moreAvailable
    query = `?limit=2&after=${page.next}`
  }
  expect(found).toEqual(ids)
})

it('a cursor expires with an unknown lineage, a place that does not exist yet or of another event, and by the command', async ({
  usher,
  store,
  kept,
}) => {
  await kept.database.signedUp()
  const { next } = await kept.list()
  const [lineage, seq, stamp] = next.split('.')
  expect(stamp).toMatch(/^[\da-f]{12}$/)
  const outcome = async (after: string) => {
    const response = await kept.send(`?after=${after}`)
    return [response.statusCode, response.json().code]
  }
  expect(await outcome(`other.${seq}`)).toEqual([410, 'cursor_expired'])
  expect(await outcome(`${lineage}.${Number(seq) + 1}`)).toEqual([410, 'cursor_expired'])
  // After a restore, another event has the number.
  expect(await outcome(`${lineage}.${seq}.0123456789ab`)).toEqual([410, 'cursor_expired'])
  // A server without stamps has given it out.
  expect(await outcome(`${lineage}.${seq}`)).toEqual([200, undefined])
  expect(await outcome(next)).toEqual([200, undefined])
  expect(await expireCursors(store, kept.database)).toMatchObject({ databases: 1 })
  expect(await outcome(next)).toEqual([410, 'cursor_expired'])
  expect((await kept.list()).events).toHaveLength(1)
  const other = await usher.newDatabase()
  expect(await expireCursors(store, other)).toMatchObject({ databases: 0 })
  expect((await expireCursors(store, undefined)).databases).toBeGreaterThan(0)
})

it('a cursor expires if events were not kept for a time', async ({ store, kept, usher }) => {
  const { next } = await kept.list()
  await setDatabase(store, kept.database, { eventsKept: 0 })
  usher.clock.cacheAhead += 6_000
  await kept.database.signedUp()
  await setDatabase(store, kept.database, { eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  expect((await kept.send(`?after=${next}`)).json().code).toBe('cursor_expired')
})

it('a cursor also expires if the command that keeps events again fails at first', async ({
  store,
  kept,
  usher,
}) => {
  const { next } = await kept.list()
  await setDatabase(store, kept.database, { eventsKept: 0 })
  usher.clock.cacheAhead += 6_000
  await kept.database.signedUp()
  const cut = {
    ...store,
    query: (text: string, values: unknown[]) =>
      text.includes('event_cursor SET lineage')
        ? Promise.reject(new Error('cut'))
        : store.query<never>(text, values),
  }
  await expect(setDatabase(cut, kept.database, { eventsKept: 1 })).rejects.toThrow('cut')
  await setDatabase(store, kept.database, { eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  expect((await kept.send(`?after=${next}`)).json().code).toBe('cursor_expired')
})

it.for([
  ['after=1', 'after', 'must be `next` of an earlier response'],
  ['wait=26', 'wait', 'must be a whole number from 0 to 25'],
  ['limit=1001', 'limit', 'must be a whole number from 1 to 1000'],
  ['since=1', 'query', 'since'],
])('refuses %s', async ([query, path, detail], { kept }) => {
  const response = await kept.send(`?${query}`)
  const [error] = response.json().errors
  expect([response.statusCode, error.path]).toEqual([400, path])
  expect(error.detail).toContain(detail)
})

it('deletes events after the days of the setting, and with them the places before', async ({
  usher,
  kept,
}) => {
  const day = 86_400_000
  const { next: start } = await kept.list()
  const old = await kept.database.signedUp()
  const { next: afterOld } = await kept.list()
  // Not read before it is deleted.
  const unread = await kept.database.signedUp()
  usher.clock.now += 6 * day
  const young = await kept.database.signedUp()
  await kept.sweep()
  const userIds = async (send: typeof kept.send) => {
    const { events, next }: Page = (await send()).json()
    return { next, ids: events.map(({ data }) => data.userId) }
  }
  expect((await userIds(await kept.sendLater())).ids).toEqual([old.id, unread.id, young.id])
  usher.clock.now += 1.5 * day
  await kept.sweep()
  const send = await kept.sendLater()
  for (const after of [start, afterOld])
    expect((await send(`?after=${after}`)).json().code).toBe('cursor_expired')
  const { ids, next } = await userIds(send)
  expect(ids).toEqual([young.id])
  expect((await send(`?after=${next}`)).statusCode).toBe(200)
})

it('a sweep that is running applies a new setting to the events that it has not deleted yet', async ({
  usher,
  store,
  kept,
}) => {
  const { id: databaseId } = kept.database
  await store.prisma.keptEvent.createMany({
    data: Array.from({ length: 300 }, () => ({
      databaseId,
      id: crypto.randomUUID(),
      payload: { type: 'user.updated' },
      createdAt: new Date(usher.clock.now),
    })),
  })
  usher.clock.now += 8 * 86_400_000
  // One batch has been deleted.
  await kept.sweep(() => setDatabase(store, kept.database, { eventsKept: 90 }))
  expect(await store.prisma.keptEvent.count({ where: { databaseId } })).toBe(50)
})

it('a cursor stays valid when events are kept for longer', async ({ store, kept }) => {
  await kept.database.signedUp()
  const { next } = await kept.list()
  await setDatabase(store, kept.database, { eventsKept: 30 })
  expect(await kept.list(`?after=${next}`)).toMatchObject({ events: [], next })
})

it('a request waits for an event of the database', async ({ usher, kept }) => {
  const { next } = await kept.list()
  const waiting = kept.list(`?after=${next}&wait=25`)
  const { id } = await kept.database.signedUp()
  const { events, next: last } = await waiting
  expect(events.map(({ data }) => data.userId)).toEqual([id])
  expect(await kept.list(`?after=${last}&wait=1`)).toMatchObject({ events: [], next: last })
  const wait = vi.spyOn(usher.context.keptEvents.waits, 'wait')
  expect(await kept.list(`?after=${next}&wait=25`)).toMatchObject({ events, next: last })
  expect(wait).not.toHaveBeenCalled()
})

it.for(['is revoked', 'expires'])(
  'a key that %s while its request waits is refused',
  async (happening, { usher, store, kept }) => {
    const { next } = await kept.list()
    const waiting = kept.send(`?after=${next}&wait=25`)
    await vi.waitFor(() => expect(usher.context.keptEvents.waits.count()).toBe(1))
    if (happening === 'expires') usher.clock.now += 3_600_000
    else await revokeApiKey(store, kept.database, kept.keyId)
    await kept.database.signedUp()
    const { statusCode, body } = await waiting
    expect([statusCode, JSON.parse(body).code]).toEqual([401, 'key_invalid'])
  },
)

it('the events of another database are not shown', async ({ usher, store, manage, kept }) => {
  const other = await usher.newDatabase()
  await setDatabase(store, other, { eventsKept: 1 })
  await other.signedUp()
  const { id } = await kept.database.signedUp()
  expect((await kept.list()).events.map(({ data }) => data.userId)).toEqual([id])
  const foreign = await manage.newKey(['events:read'], other)
  expect((await manage.send(foreign.key, 'GET', 'events')).statusCode).toBe(401)
})
