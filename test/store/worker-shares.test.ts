import { expect, it, onTestFinished, vi } from 'vitest'
import { shareByWorker } from '../../server/store/citus/worker-shares.js'
import type { Store } from '../../server/store/store.js'

const connections = 8

/**
 * A store on Citus, with one database in each shard. The name of a database is that of its worker and of its shard. The
 * test decides when a statement ends.
 */
function createStore({ isCitus = true, isDistributed = true } = {}) {
  const running: string[] = []
  const limits: (number | undefined)[] = []
  let placementReads = 0
  const ends = new Map<string, ((error?: Error) => void)[]>()
  const run = (databaseId: string) => {
    running.push(databaseId)
    return new Promise<never[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve([]))
      ends.set(databaseId, [...(ends.get(databaseId) ?? []), end])
    })
  }
  const query = async (text: string, [databaseId]: unknown[], milliseconds?: number) => {
    if (text.includes('partmethod')) return isDistributed ? [{}] : []
    if (text.includes('to_regclass')) return [{ found: isCitus }]
    const [worker, shard] = String(databaseId).split('/')
    if (!text.includes('pg_dist_placement')) {
      limits.push(milliseconds)
      return run(String(databaseId))
    }
    placementReads += 1
    return isDistributed ? [{ worker, shard }] : []
  }
  const store = shareByWorker(
    {
      query: query as Store['query'],
      transaction: (databaseId, work) => run(databaseId).then(() => work(query as Store['query'])),
      masterKey: Buffer.alloc(32),
      connections: () => ({ total: 0, idle: 0, waiting: 0, max: 0 }),
      readsAcrossDatabases: () => false,
      loadPrisma: () => Promise.reject(new Error('not used')),
      close: async () => undefined,
    },
    { connections },
  )
  return {
    store,
    placementReads: () => placementReads,
    /** The time limits of statements, in their order. */
    limits,
    /** Starts statements. Returns which of them run, and how each ends. */
    async start(...databaseIds: string[]) {
      const results = databaseIds.map((databaseId) =>
        store.query('SELECT', [databaseId]).then(
          () => databaseId,
          (error: Error) => `${databaseId}: ${error.message}`,
        ),
      )
      await new Promise(setImmediate)
      return { results, running: running.splice(0) }
    },
    /** Ends the statements of a database, with an error or without. */
    end(databaseId: string, error?: Error) {
      for (const each of ends.get(databaseId) ?? []) each(error)
      ends.delete(databaseId)
    },
  }
}

it.for([true, false])(
  'if there is Citus (%s), no statement reads rows of several databases',
  async (isCitus) => {
    const { store, start, end } = createStore({ isCitus })
    expect(store.readsAcrossDatabases()).toBe(false)
    const { results } = await start('a/1')
    end('a/1')
    await results[0]
    expect(store.readsAcrossDatabases()).toBe(!isCitus)
  },
)

it('on Citus, a store that is not distributed yet is used as on Postgres', async () => {
  const { start, end, placementReads } = createStore({ isDistributed: false })
  const first = await start('a/1')
  end('a/1')
  await first.results[0]
  const databaseIds = Array.from({ length: 2 * connections }, (_, index) => `a/${index}`)
  expect((await start(...databaseIds)).running).toEqual(databaseIds)
  expect(placementReads()).toBe(1)
})

const timeLimit = new Error('Query read timeout')

it('statements and transactions of one worker take at most half of the connections', async () => {
  const { store, start, end } = createStore()
  const done = async () => 'done'
  const transactions = ['a/1', 'a/2', 'b/3'].map((databaseId) => store.transaction(databaseId, done))
  const { running } = await start('a/1', 'a/2')
  expect(running.sort()).toEqual(['a/1', 'a/1', 'a/2', 'a/2', 'b/3'])
  await expect(store.transaction('a/4', done)).rejects.toThrow(/^worker a does not respond$/)
  for (const databaseId of ['a/1', 'a/2', 'b/3']) end(databaseId)
  expect(await Promise.all(transactions)).toEqual(['done', 'done', 'done'])
})

it('a shard that is locked leaves half of the connections of its worker to the other shards', async () => {
  const { start, end } = createStore()
  const locked = await start('a/locked', 'a/locked', 'a/locked')
  expect((await start('a/other', 'a/other')).running).toEqual(['a/other', 'a/other'])
  end('a/other')
  end('a/locked', timeLimit)
  expect(await Promise.all(locked.results)).toEqual([
    'a/locked: Query read timeout',
    'a/locked: Query read timeout',
    'a/locked: shard locked of worker a does not respond',
  ])
  // Only one statement at a time tries whether the shard responds again.
  const later = await start('a/locked', 'a/locked', 'a/other')
  expect(later.running).toEqual(['a/locked', 'a/other'])
  end('a/locked')
  await later.results[0]
  expect((await start('a/locked', 'a/locked')).running).toEqual(['a/locked', 'a/locked'])
})

it('a worker that exceeds the time limit in two shards gets one statement at a time until it responds', async () => {
  const { start, end } = createStore()
  await start('a/1', 'a/2')
  end('a/1', timeLimit)
  end('a/2', timeLimit)
  await new Promise(setImmediate)
  const tried = await start('a/3', 'a/4', 'b/1')
  expect(tried.running).toEqual(['a/3', 'b/1'])
  expect(await tried.results[1]).toBe('a/4: worker a does not respond')
  end('a/3')
  await tried.results[0]
  expect((await start('a/1', 'a/1', 'a/2')).running).toEqual(['a/1', 'a/1', 'a/2'])
})

it('a worker that refuses a connection gets one statement at a time', async () => {
  const { start, end } = createStore()
  const { results } = await start('a/1')
  end('a/1', new Error('Connection terminated unexpectedly'))
  await Promise.all(results)
  expect((await start('a/2', 'a/3')).running).toEqual(['a/2'])
})

it('a shard that is replaced while it is divided does not delay statements of its worker', async () => {
  const { start, end } = createStore()
  const replaced = await start('a/replaced')
  const message = 'shard for the given value does not exist'
  end('a/replaced', Object.assign(new Error(message), { severity: 'ERROR', code: 'XX000' }))
  expect(await Promise.all(replaced.results)).toEqual([`a/replaced: ${message}`])
  expect((await start('a/replaced', 'a/other', 'a/third')).running).toHaveLength(3)
})

it('statements wait for longer than usual while those before them succeed, as on the first connections', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { start, end } = createStore()
  const databaseIds = Array.from({ length: 12 }, () => 'a/new')
  const { results } = await start(...databaseIds)
  for (let count = 0; count < 5; count++) {
    await vi.advanceTimersByTimeAsync(400)
    end('a/new')
    await new Promise(setImmediate)
  }
  expect(await Promise.all(results.slice(0, 10))).toEqual(databaseIds.slice(0, 10))
  // None of the next ones succeeds.
  await vi.advanceTimersByTimeAsync(1_300)
  const { results: later } = await start('a/new')
  await vi.advanceTimersByTimeAsync(1_300)
  expect(await later[0]).toBe('a/new: shard new of worker a does not respond')
})

it('a statement waits as long as those before it may take, and gets less time if none of them succeeds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { start, end, limits } = createStore()
  await start('a/1', 'a/1', 'a/2', 'a/2')
  const waiting = await start('a/3')
  await vi.advanceTimersByTimeAsync(1_200)
  end('a/1')
  await new Promise(setImmediate)
  const last = await start('a/4', 'a/4')
  await vi.advanceTimersByTimeAsync(1_000)
  end('a/2', timeLimit)
  await new Promise(setImmediate)
  for (const databaseId of ['a/3', 'a/4']) end(databaseId)
  expect(await Promise.all([...waiting.results, ...last.results])).toEqual(['a/3', 'a/4', 'a/4'])
  expect(limits).toEqual([1_300, 1_300, 1_300, 1_300, 1_300, 1_300, 900])
})
