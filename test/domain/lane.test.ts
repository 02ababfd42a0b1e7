import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { createLane } from '../../server/domain/outbox/lane.js'

interface RunningPass {
  databaseId: string
  limit: number
  setSize(size: number): void
  end(hasMore?: boolean): Promise<void>
}

const settings = { capacity: 6, slowCapacity: 2, batch: 4, quickMilliseconds: 1_000 }

let stopping: AbortController
let passes: RunningPass[]
let lane: ReturnType<typeof createLane>

beforeEach(() => {
  stopping = new AbortController()
  passes = []
  lane = createLane(
    settings,
    (databaseId, limit, setSize) =>
      new Promise((resolve) => {
        const end = async (hasMore = false) => {
          passes = passes.filter((pass) => pass.databaseId !== databaseId)
          resolve(hasMore)
          await setImmediate()
        }
        passes.push({ databaseId, limit, setSize, end })
      }),
    stopping.signal,
  )
})

const running = () => passes.map(({ databaseId }) => databaseId)
const passOf = (databaseId: string) => {
  const pass = passes.find((each) => each.databaseId === databaseId)
  if (!pass) throw new Error(`no pass of ${databaseId} is running`)
  return pass
}
const add = (...databaseIds: string[]) => {
  for (const databaseId of databaseIds) lane.add(databaseId)
}

it('passes use no more than the capacity, and give back what they do not need', async () => {
  add('a', 'b', 'c', 'd', 'e')
  expect(running()).toEqual(['a', 'b', 'c'])
  passOf('a').setSize(1)
  expect(running()).toEqual(['a', 'b', 'c'])
  passOf('b').setSize(1)
  expect(running()).toEqual(['a', 'b', 'c', 'd'])
  await passOf('c').end()
  expect(running()).toEqual(['a', 'b', 'd', 'e'])
})

it('a database whose receiver responded in time gets a large batch', async () => {
  for (const size of [0, 2]) {
    add('a')
    // A pass without messages says nothing of the receiver.
    expect(passOf('a').limit).toBe(2)
    passOf('a').setSize(size)
    await passOf('a').end()
  }
  add('a', 'b')
  expect(passes.map(({ databaseId, limit }) => [databaseId, limit])).toEqual([
    ['a', 4],
    ['b', 2],
  ])
})

it('a database with more messages, or with new ones, gets another pass after the others', async () => {
  add('a', 'b', 'c', 'd')
  add('b')
  await passOf('a').end(true)
  expect(running()).toEqual(['b', 'c', 'd'])
  await passOf('b').end()
  expect(running()).toEqual(['c', 'd', 'a'])
  await passOf('c').end()
  expect(running()).toEqual(['d', 'a', 'b'])
  await passOf('d').end()
  expect(running()).toEqual(['a', 'b'])
})

it('a pass that takes too long makes room, and its database waits for other slow ones from then on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    add('slow', 'slower', 'c', 'd', 'e')
    for (const name of ['slow', 'slower', 'c']) passOf(name).setSize(2)
    vi.advanceTimersByTime(999)
    expect(running()).toEqual(['slow', 'slower', 'c'])
    vi.advanceTimersByTime(1)
    // Only one of them has room among the slow ones.
    expect(running()).toEqual(['slow', 'slower', 'c', 'd'])
    await passOf('slow').end()
    await passOf('slower').end()
    expect(running()).toEqual(['c', 'd', 'e'])
    add('slow', 'slower')
    expect(running()).toEqual(['c', 'd', 'e', 'slow'])
  } finally {
    vi.useRealTimers()
  }
})

it('a lane that is stopped starts no pass, and settles when the running ones have ended', async () => {
  add('a')
  let isSettled = false
  stopping.abort()
  const settled = lane.settled().then(() => {
    isSettled = true
  })
  add('b')
  await setImmediate()
  expect([running(), isSettled]).toEqual([['a'], false])
  await passOf('a').end(true)
  await settled
  expect(running()).toEqual([])
})
