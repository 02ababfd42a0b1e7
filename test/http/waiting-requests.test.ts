import { request } from 'node:http'
import { expect, vi } from 'vitest'
import { buildApp } from '../../server/http/app.js'
import { keptEvents } from '../../server/store/queries/numbered-lists.js'
import { withStore } from '../support/api.js'
import { startApp } from '../support/app.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'

/** `it` with a server, and a database whose events are kept. `limit` sets the time that a request may take to arrive. */
const it = withStore.extend('server', async ({ store }, { onCleanup }) => {
  const usher = await startApp(store)
  const database = await usher.newDatabase()
  await setDatabase(store, database, { eventsKept: 1 })
  const operation = { store, now: new Date(usher.clock.now) }
  const { key } = await createApiKey(operation, database, {
    name: 'backend',
    scopes: ['events:read'],
    expiresInSeconds: 3600,
  })
  // The server looks for late requests every 20 ms.
  const app = await buildApp({ ...usher.config, requestMilliseconds: 300 }, usher.context, {
    log: usher.app.log,
  })
  const limit = (milliseconds: number) =>
    Object.assign(app.server, { headersTimeout: milliseconds, requestTimeout: milliseconds })
  limit(60_000)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  onCleanup(async () => {
    await app.close()
    await usher.close()
  })
  const url = `${origin}${database.users.replace(/users$/, 'management/events')}`
  const headers = { authorization: `Bearer ${key}` }
  const isWaiting = (count: number) => expect.poll(() => usher.context.keptEvents.waits.count()).toBe(count)
  return { usher, database, app, limit, url, headers, isWaiting }
})

it('a request may wait for events longer than it may take to send one', async ({ server }) => {
  const waiting = fetch(`${server.url}?wait=1`, { headers: server.headers })
  await server.isWaiting(1)
  server.limit(300)
  const response = await waiting
  expect([response.status, response.headers.get('retry-after')]).toEqual([200, null])
  expect(await response.json()).toMatchObject({ events: [], moreAvailable: false })
})

it('a client that disconnects while it waits frees its place', async ({ server }) => {
  const waiting = request(`${server.url}?wait=25`, { headers: server.headers }).on('error', () => undefined)
  waiting.end()
  await server.isWaiting(1)
  waiting.destroy()
  await server.isWaiting(0)
})

it('a request that waits gets an empty list with Retry-After when the server drains', async ({ server }) => {
  const { usher, url, headers } = server
  const before = fetch(`${url}?wait=25`, { headers })
  await server.isWaiting(1)
  usher.context.isEnding = true
  for (const response of [await before, await fetch(`${url}?wait=25`, { headers })]) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([200, '5'])
    expect(await response.json()).toMatchObject({ events: [] })
  }
})

it('a server that closes does not wait for requests that wait', async ({ server }) => {
  const waiting = fetch(`${server.url}?wait=25`, { headers: server.headers })
  await server.isWaiting(1)
  await server.app.close()
  const { status, headers } = await waiting
  // A wait that ends in time asks for no pause.
  expect([status, headers.get('retry-after')]).toEqual([200, '5'])
})

it('many requests that wait hold no connection of the store and get the event by one read', async ({
  server,
}) => {
  const { usher, database, url, headers } = server
  const { next } = await (await fetch(url, { headers })).json()
  const query = vi.spyOn(usher.context.store, 'query')
  const responses = Array.from({ length: 50 }, () => fetch(`${url}?after=${next}&wait=25`, { headers }))
  await server.isWaiting(50)
  // The embedded store has one connection.
  const { id } = await database.signedUp()
  for (const response of await Promise.all(responses)) {
    const { events } = await response.json()
    expect(events).toMatchObject([{ type: 'user.created', data: { userId: id } }])
  }
  const texts = query.mock.calls.map(([text]) => text)
  expect(texts.filter((text) => text === keptEvents.findFrom)).toHaveLength(1)
})

it('a cursor that has expired fails no other request that is read at the same time', async ({ server }) => {
  const { url, headers } = server
  const { next } = await (await fetch(url, { headers })).json()
  const cursors = ['other.1', next, 'other.2', next]
  const responses = await Promise.all(cursors.map((after) => fetch(`${url}?after=${after}`, { headers })))
  expect(responses.map(({ status }) => status)).toEqual([410, 200, 410, 200])
})
