import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createListWaits } from '../../server/domain/numbered-lists/list-waits.js'

const place = { lineage: 'lineage', seq: 1, stamp: null }

/** A client that disconnects when a test says so. */
function newClient() {
  const listeners = new Set<() => void>()
  return {
    isDisconnected: () => false,
    onceDisconnected(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    disconnect() {
      for (const listener of listeners) listener()
    },
    listeners,
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns the waits of a process and its store. @param max requests that may wait */
function newProcess(max = 3, databasesPerStatement = 1) {
  const state = { reads: 0, seq: 1, isEnding: false, fails: false, hasMore: false }
  const waits = createListWaits({
    read: async () => {
      state.reads += 1
      if (state.fails) throw new Error('unavailable')
      return { ...place, seq: state.seq, hasMore: state.hasMore }
    },
    databasesPerStatement: () => databasesPerStatement,
    isEnding: () => state.isEnding,
    max,
  })
  let keys = 0
  /** Starts a wait, by default with an API key of its own. */
  const wait = (client = newClient(), databaseId = 'one', apiKey = `key ${keys++}`) =>
    waits.wait(databaseId, place, { milliseconds: 25_000, client, apiKey })
  return { state, waits, wait }
}

it('requests that wait for a database share its reads, and end with the first new event', async () => {
  const { state, waits, wait } = newProcess()
  const results = Promise.all([wait(), wait()])
  await vi.advanceTimersByTimeAsync(5_000)
  expect([state.reads, waits.count()]).toEqual([10, 2])
  state.seq = 2
  await vi.advanceTimersByTimeAsync(500)
  expect(await results).toEqual(['changed', 'changed'])
  expect(waits.count()).toBe(0)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(state.reads).toBe(11)
})

it('a wait without a new event ends after its time', async () => {
  const { waits, wait } = newProcess()
  const result = wait()
  await vi.advanceTimersByTimeAsync(24_999)
  expect(waits.count()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect([await result, waits.count()]).toEqual(['unchanged', 0])
})

it('after a wait in which reads of the store failed at last, the list is read again', async () => {
  const { state, waits, wait } = newProcess()
  const result = wait()
  await vi.advanceTimersByTimeAsync(20_000)
  state.fails = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect([await result, waits.count()]).toEqual(['changed', 0])
})

it('after a wait in which another reader kept rows from being numbered, the list is read again', async () => {
  const { state, waits, wait } = newProcess()
  const result = wait()
  await vi.advanceTimersByTimeAsync(20_000)
  state.hasMore = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect([await result, waits.count()]).toEqual(['changed', 0])
})

it('after a wait for one of many databases, each of which is read seldom, the list is read again', async () => {
  const { state, waits } = newProcess(1_000)
  const client = newClient()
  const results = Array.from({ length: 400 }, (_, index) =>
    waits.wait(`database ${index}`, place, { milliseconds: 4_000, client, apiKey: `key ${index}` }),
  )
  await vi.advanceTimersByTimeAsync(3_999)
  expect([waits.count(), state.reads]).toEqual([400, 400])
  await vi.advanceTimersByTimeAsync(1)
  expect([await results[0], await results[399]]).toEqual(['changed', 'unchanged'])
})

it('databases that can share a statement are read at the same time, every half second', async () => {
  const { state, waits } = newProcess(1_000, 128)
  const client = newClient()
  for (let index = 0; index < 200; index++) {
    void waits.wait(`database ${index}`, place, { milliseconds: 25_000, client, apiKey: `key ${index}` })
    await vi.advanceTimersByTimeAsync(2)
  }
  const reads: number[] = []
  for (const milliseconds of [99, 1, 499, 1]) {
    await vi.advanceTimersByTimeAsync(milliseconds)
    reads.push(state.reads)
  }
  expect(reads).toEqual([0, 200, 200, 400])
  waits.end()
})

it('a wait beyond the bound of the process is refused, until a client disconnects', async () => {
  const { waits, wait } = newProcess()
  const clients = [newClient(), newClient(), newClient()]
  const results = clients.map((client, index) => wait(client, `database ${index}`))
  expect(await wait()).toBe('refused')
  clients[0]?.disconnect()
  expect(await results[0]).toBe('unchanged')
  expect([waits.count(), clients[0]?.listeners.size]).toEqual([2, 0])
  const next = wait()
  expect(waits.count()).toBe(3)
  waits.end()
  expect([await next, await wait()]).toEqual(['refused', 'refused'])
})

it('a database with many requests never takes the places of all others', async () => {
  const { waits, wait } = newProcess(100)
  const results = new Map<string, number>()
  const fill = async (databaseId: string) => {
    for (let refused = false; !refused; ) {
      const result = await Promise.race([wait(newClient(), databaseId), 'waits'])
      refused = result === 'refused'
      if (!refused) results.set(databaseId, (results.get(databaseId) ?? 0) + 1)
    }
  }
  for (const databaseId of ['one', 'two', 'three']) await fill(databaseId)
  expect([...results.values()]).toEqual([50, 25, 13])
  await fill('one')
  expect(results.get('one')).toBe(50)
  expect(waits.count()).toBe(88)
  waits.end()
})

it('the requests with one API key take a quarter of the places at most, and free them', async () => {
  const { waits, wait } = newProcess(8)
  const first = newClient()
  void wait(first, 'one', 'key')
  void wait(newClient(), 'one', 'key')
  expect(await wait(newClient(), 'one', 'key')).toBe('refused')
  void wait(newClient(), 'one', 'other key')
  first.disconnect()
  void wait(newClient(), 'one', 'key')
  expect(await wait(newClient(), 'one', 'key')).toBe('refused')
  expect(waits.count()).toBe(3)
  waits.end()
})

it('a client that disconnected before its wait does not take a place', async () => {
  const { waits, wait } = newProcess()
  expect(await wait({ ...newClient(), isDisconnected: () => true })).toBe('unchanged')
  expect(waits.count()).toBe(0)
})

it('all waits end within half a second when the server shuts down, and new ones are refused', async () => {
  const { state, waits, wait } = newProcess()
  const result = wait()
  state.isEnding = true
  expect(await wait()).toBe('refused')
  await vi.advanceTimersByTimeAsync(500)
  expect([await result, waits.count(), state.reads]).toEqual(['refused', 0, 0])
})
