import { expect, it } from 'vitest'
import { shareByWorker } from '../../server/store/citus/worker-shares.js'
import type { Store } from '../../server/store/store.js'

const connections = 4

/** A store on Citus. Each database is on the worker with its name. The test decides when a statement there ends. */
function createStore() {
  const running: string[] = []
  const ends: (() => void)[] = []
  const run = (databaseId: string) => {
    running.push(databaseId)
    return new Promise<never[]>((resolve) => ends.push(() => resolve([])))
  }
  const query = async (text: string, [databaseId]: unknown[]) => {
    if (text.includes('to_regclass')) return [{ found: true }]
    if (text.includes('pg_dist_placement')) return [{ worker: databaseId }]
    return run(String(databaseId))
  }
  const store = shareByWorker(
    {
      query: query as Store['query'],
      transaction: (databaseId, work) => run(databaseId).then(() => work(query as Store['query'])),
      masterKey: Buffer.alloc(32),
      connections: () => ({ total: 0, idle: 0, waiting: 0 }),
      loadPrisma: () => Promise.reject(new Error('not used')),
      close: async () => undefined,
    },
    connections,
  )
  return { store, running, ends }
}

it('statements and transactions of one worker take at most half of the connections', async () => {
  const { store, running, ends } = createStore()
  const done = async () => 'done'
  const work = [
    store.query('SELECT', ['frozen']),
    store.transaction('frozen', done),
    store.transaction('other', done),
  ]
  await expect(store.transaction('frozen', done)).rejects.toThrow('worker frozen does not respond')
  expect(running).toEqual(['frozen', 'frozen', 'other'])
  for (const end of ends) end()
  expect(await Promise.all(work)).toEqual([[], 'done', 'done'])
})
