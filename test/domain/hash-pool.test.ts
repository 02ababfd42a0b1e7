import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createHashPool, type HashRequest } from '../../server/domain/passwords/hash-pool.js'
import { ClientDisconnected } from '../../server/domain/problem.js'

/** A thread that responds when a test says so, and in the order that it says. */
class FakeThread extends EventEmitter {
  orders: HashRequest[] = []
  constructor(readonly toSkip: Int32Array) {
    super()
  }
  postMessage(order: HashRequest) {
    this.orders.push(order)
  }
  ref() {}
  unref() {}
}

function startPool(size: number) {
  const threads: FakeThread[] = []
  const pool = createHashPool(size, 60, (toSkip) => {
    const thread = new FakeThread(toSkip)
    threads.push(thread)
    return thread
  })
  return { pool, threads }
}

const verify = (password: string) => ({ kind: 'verify' as const, password, hash: 'x' })
const answer = (thread: FakeThread, password: string, result: boolean) => {
  const order = thread.orders.find(({ job }) => job.password === password)
  thread.emit('message', { serial: order?.serial, result })
}

it('a thread gets two jobs at most, and each answer goes to who asked, whatever their order', async () => {
  const { pool, threads } = startPool(1)
  const outcomes = ['wrong', 'right', 'later'].map((password) => pool.run(verify(password)))
  const [thread] = threads as [FakeThread]
  expect(thread.orders.map(({ job }) => job.password)).toEqual(['wrong', 'right'])
  expect(pool.stats()).toMatchObject({ busy: 1, queued: 2, started: 1 })
  answer(thread, 'right', true)
  answer(thread, 'wrong', false)
  expect(thread.orders.map(({ job }) => job.password)).toEqual(['wrong', 'right', 'later'])
  answer(thread, 'later', false)
  expect(await Promise.all(outcomes)).toEqual([false, true, false])
})

it('of two threads the one with less to do gets a job', () => {
  const { pool, threads } = startPool(2)
  for (const password of ['a', 'b', 'c', 'd']) void pool.run(verify(password))
  expect(threads.map(({ orders }) => orders.map(({ job }) => job.password))).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
})

it('a job at hand is called off when its client hangs up, one that is worked on is not', async () => {
  const { pool, threads } = startPool(1)
  const clients = ['first', 'second'].map(() => new EventEmitter())
  const outcomes = ['first', 'second'].map((password, index) =>
    pool.run(verify(password), {
      isDisconnected: () => false,
      deadline: Number.POSITIVE_INFINITY,
      onceDisconnected: (listener) => {
        clients[index]?.once('close', listener)
        return () => void clients[index]?.off('close', listener)
      },
    }),
  )
  const [thread] = threads as [FakeThread]
  clients[0]?.emit('close')
  expect(thread.toSkip[0]).toBe(0)
  clients[1]?.emit('close')
  expect(thread.toSkip[0]).toBe(thread.orders[1]?.serial)
  answer(thread, 'first', true)
  thread.emit('message', { serial: thread.orders[1]?.serial, skipped: true })
  expect(await outcomes[0]).toBe(true)
  await expect(outcomes[1]).rejects.toThrow(ClientDisconnected)
  expect(pool.stats().started).toBe(1)
})

it('what waited for a thread that died is told so', async () => {
  const { pool, threads } = startPool(1)
  const outcomes = ['a', 'b', 'c'].map((password) => pool.run(verify(password)))
  threads[0]?.emit('error', new Error('out of memory'))
  for (const outcome of outcomes) await expect(outcome).rejects.toThrow('out of memory')
})
