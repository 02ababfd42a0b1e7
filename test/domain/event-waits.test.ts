import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createEventWaits } from '../../server/domain/events/event-waits.js'

const place = { lineage: 'lineage', seq: 1 }

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

/** Returns the waits of a process that lets three requests wait, and its store. */
function newProcess() {
  const state = { reads: 0, seq: 1, isEnding: false, fails: false }
  const waits = createEventWaits({
    read: async () => {
      state.reads += 1
      if (state.fails) throw new Error('unavailable')
      return { ...place, seq: state.seq }
    },
    isEnding: () => state.isEnding,
    max: 3,
  })
  const wait = (client = newClient(), databaseId = 'one') =>
    waits.wait(databaseId, place, { milliseconds: 25_000, client })
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

it('a wait ends after its time, also while the store is unavailable', async () => {
  const { state, waits, wait } = newProcess()
  state.fails = true
  const result = wait()
  await vi.advanceTimersByTimeAsync(24_999)
  expect(waits.count()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect([await result, waits.count()]).toEqual(['unchanged', 0])
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
  expect(await next).toBe('refused')
})

it('all waits end within half a second when the server shuts down, and new ones are refused', async () => {
  const { state, waits, wait } = newProcess()
  const result = wait()
  state.isEnding = true
  expect(await wait()).toBe('refused')
  await vi.advanceTimersByTimeAsync(500)
  expect([await result, waits.count(), state.reads]).toEqual(['refused', 0, 0])
})
