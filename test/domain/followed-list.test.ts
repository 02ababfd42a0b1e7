import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createDatabase } from '../../server/domain/management/databases.js'
import { createWorkspace } from '../../server/domain/management/workspaces.js'
import { createFollowedList } from '../../server/domain/numbered-lists/followed-list.js'
import { keptEvents } from '../../server/store/queries/numbered-lists.js'
import { openTestStore } from '../support/store.js'

it.for([
  [true, 1],
  [false, 3],
] as const)(
  'waits of several databases share a statement unless each database may be on another node, and end for new rows of their own',
  async ([readsAcrossDatabases, statements]) => {
    const store = { ...(await openTestStore()), readsAcrossDatabases: () => readsAcrossDatabases }
    const now = new Date()
    await createWorkspace(store, 'many', now)
    const ids: string[] = []
    for (const databaseName of ['one', 'two', 'three'])
      ids.push((await createDatabase({ store, now }, { workspaceSlug: 'many', databaseName }, {})).id)
    const list = createFollowedList(store, keptEvents, { isEnding: () => false, max: 10 })
    const pages = await Promise.all(ids.map((id) => list.read(id, { after: undefined, limit: 10 })))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const query = vi.spyOn(store, 'query')
    const ended: string[] = []
    const waits = ids.map(async (id, index) => {
      const place = (pages[index] as (typeof pages)[number]).next
      const client = { isDisconnected: () => false, onceDisconnected: () => () => undefined }
      const result = await list.waits.wait(id, place, { milliseconds: 25_000, apiKey: id, client })
      if (result === 'changed') ended.push(id)
    })
    vi.advanceTimersByTime(500)
    while (query.mock.calls.length === 0) await setImmediate()
    vi.useRealTimers()
    expect(query).toHaveBeenCalledTimes(statements)
    const [databaseId = ''] = ids
    const event = { databaseId, id: crypto.randomUUID(), payload: {}, createdAt: now }
    await store.prisma.keptEvent.create({ data: event })
    await expect.poll(() => ended).toEqual([databaseId])
    const page = await list.read(databaseId, { after: pages[0]?.next, limit: 10 })
    expect(page.rows.map(({ id }) => id)).toEqual([event.id])
    list.waits.end()
    await Promise.all(waits)
    expect(ended).toEqual([databaseId])
    await store.close()
  },
)
