import { describe, expect } from 'vitest'
import { type Report, reportOf } from '../../server/domain/operators/servers/report.js'
import {
  createLastHour,
  createStatusStore,
  type Status,
} from '../../server/domain/operators/servers/status.js'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import type { Store } from '../../server/store/store.js'
import { startApp, type TestApi } from '../support/app.js'
import { it as consoleTest } from '../support/console.js'
import { reportStatus } from '../support/server-status.js'

const it = consoleTest.extend('owner', { scope: 'file' }, ({ console }) => console.owner())
const day = 24 * 3_600_000

const report = ({ clock, ...server }: TestApi, name: string, changes: Partial<Report> = {}) =>
  reportStatus(server, { name, now: clock.now, ...changes })

it('each server is listed until it stops, one that is killed until a day later, and what is wrong is named', async ({
  usher,
  store,
  owner,
  console,
}) => {
  const { prisma } = store
  const [one, killed] = [await startApp(store), await startApp(store)]
  for (const server of [one, killed]) server.clock.now = usher.clock.now
  const list = async () => (await owner.send('GET', '/operator/servers')).json()
  expect(await list()).toEqual({ servers: [], warnings: [{ code: 'one_owner', count: null, about: null }] })

  await report(one, 'web-1:3000')
  await report(killed, 'web-2:3000')
  const now = new Date(usher.clock.now).toISOString()
  const none = { queued: 0, queueSeconds: 0, shed: 0, oldestMessageSeconds: 0, mailsSent: 0, mailsFailed: 0 }
  const expected = { startedAt: now, seenAt: now, isSilent: false, load: none, lastHour: none }
  const isPostgres = store.settings !== undefined
  expect((await list()).servers).toMatchObject([
    {
      name: 'web-1:3000',
      ...expected,
      maxQueueSeconds: 60,
      maxConnections: isPostgres ? expect.any(Number) : null,
    },
    { name: 'web-2:3000', ...expected },
  ])

  await one.close()
  usher.clock.now += 120_001
  await report(usher, 'web-3:3000', {
    waiting: {
      mail: { count: 2, databaseId: console.database.id },
      webhook: { count: 0, databaseId: null },
    },
    load: { ...usher.report().load, mailsSent: 0, mailsFailed: 3 },
    hasNewMasterKey: true,
  })
  await prisma.serverStatus.updateMany({ where: { name: 'web-3:3000' }, data: { version: '0.1.0' } })
  await report(usher, 'web-4:3000')
  const { version } = (await usher.inject({ method: 'GET', url: '/operator/console' })).json()
  const { servers, warnings } = await list()
  expect(servers).toMatchObject([
    { name: 'web-2:3000', isSilent: true, seenAt: now },
    { name: 'web-3:3000', isSilent: false },
    { name: 'web-4:3000', isSilent: false },
  ])
  expect(warnings).toEqual([
    { code: 'server_silent', count: null, about: 'web-2:3000' },
    { code: 'versions_differ', count: null, about: `0.1.0, ${version}` },
    { code: 'mails_fail', count: 3, about: null },
    { code: 'master_key_changes', count: null, about: null },
    { code: 'messages_wait', count: 2, about: 'usher/operators' },
    { code: 'one_owner', count: null, about: null },
  ])

  // A server that was started in its place.
  await report(usher, 'web-2:3000')
  expect((await list()).servers.map(({ name }: { name: string }) => name)).toEqual([
    'web-3:3000',
    'web-4:3000',
    'web-2:3000',
  ])
  const sweepAfter = async (milliseconds: number) => {
    await prisma.sweep.deleteMany()
    await sweepDatabase(
      { ...usher.context, now: () => usher.clock.now + milliseconds },
      console.database.id,
      {
        log: usher.app.log as never,
        stopped: new AbortController().signal,
        pause: async () => undefined,
      },
    )
    return prisma.serverStatus.count()
  }
  expect([await sweepAfter(day - 120_001), await sweepAfter(day), await sweepAfter(day + 1)]).toEqual([
    4, 3, 0,
  ])
  await killed.close()
})

it('a server stores nothing without an operators’ database, and nothing after it has deleted its row', async () => {
  const sent: string[] = []
  const query = async (text: string) => {
    sent.push(text.trim().split(' ', 1)[0] as string)
    return found
  }
  let found: object[] = []
  const store = { query } as unknown as Store
  const status = createStatusStore({ store, now: () => 0 }, { warn: () => undefined })
  const server = { id: 'a', name: 'web-1:3000', startedAt: 0, status: {} as Status }
  await status.put(server)
  expect(sent.splice(0)).toEqual(['SELECT'])
  found = [{ id: 'b' }]
  await status.put(server)
  await status.put(server)
  expect(sent.splice(0)).toEqual(['SELECT', 'INSERT', 'INSERT'])
  await status.remove()
  await status.put(server)
  expect(sent).toEqual(['DELETE'])
})

describe('a status', () => {
  const load = {
    queued: 0,
    queueSeconds: 0,
    shed: 0,
    connections: 0,
    oldestMessageSeconds: 0,
    mailsSent: 0,
    mailsFailed: 0,
  }
  const waiting = { mail: { count: 0, databaseId: null }, webhook: { count: 0, databaseId: null } }
  const base: Report = { load, maxQueueSeconds: 10, maxConnections: 5, waiting, hasNewMasterKey: false }

  it('adds up the processes of a server, each of which counts the messages of the whole store', () => {
    const busy = { ...load, queued: 2, queueSeconds: 1, shed: 1, connections: 3, oldestMessageSeconds: 60 }
    const other = { ...waiting, webhook: { count: 4, databaseId: 'a' } }
    expect(
      reportOf([
        { ...base, load: busy },
        { ...base, load: { ...busy, queueSeconds: 2 }, waiting: other },
      ]),
    ).toEqual({
      ...base,
      load: { ...busy, queued: 4, queueSeconds: 2, shed: 2, connections: 6 },
      maxConnections: 10,
      waiting: other,
    })
  })

  it('has the maxima of an hour, and the sums of what has happened', () => {
    const add = createLastHour()
    const minute = 60_000
    add({ ...base, load: { ...load, queued: 9, shed: 9 } }, 0)
    add({ ...base, load: { ...load, queued: 3, shed: 2 } }, minute)
    const status = add({ ...base, load: { ...load, queued: 1, shed: 1 } }, 60 * minute)
    expect(status.load).toMatchObject({ queued: 1, shed: 1 })
    expect(status.lastHour).toMatchObject({ queued: 3, shed: 3 })
  })
})
