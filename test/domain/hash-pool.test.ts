import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createHashPool, type HashRequest } from '../../server/domain/passwords/hash-pool.js'
import { ClientDisconnected } from '../../server/domain/problem.js'

class FakeThread extends EventEmitter {
  requests: HashRequest[] = []
  constructor(readonly toSkip: Int32Array) {
    super()
  }
  postMessage(request: HashRequest) {
    this.requests.push(request)
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
const respond = (thread: FakeThread, password: string, result: boolean) => {
  const request = thread.requests.find(({ job }) => job.password === password)
  thread.emit('message', { serial: request?.serial, result })
}

it('gives a thread at most two jobs, and returns each result to its own caller', async () => {
  const { pool, threads } = startPool(1)
  const results = ['wrong', 'right', 'later'].map((password) => pool.run(verify(password)))
  const [thread] = threads as [FakeThread]
  expect(thread.requests.map(({ job }) => job.password)).toEqual(['wrong', 'right'])
  expect(pool.stats()).toMatchObject({ busy: 1, queued: 2, started: 1 })
  respond(thread, 'right', true)
  respond(thread, 'wrong', false)
  expect(thread.requests.map(({ job }) => job.password)).toEqual(['wrong', 'right', 'later'])
  respond(thread, 'later', false)
  expect(await Promise.all(results)).toEqual([false, true, false])
})

it('gives a job to the thread with fewer jobs', () => {
  const { pool, threads } = startPool(2)
  for (const password of ['a', 'b', 'c', 'd']) void pool.run(verify(password))
  expect(threads.map(({ requests }) => requests.map(({ job }) => job.password))).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
})

it('cancels the waiting job of a disconnected client, but no job in progress', async () => {
  const { pool, threads } = startPool(1)
  const clients = ['first', 'second'].map(() => new EventEmitter())
  const results = ['first', 'second'].map((password, index) =>
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
  expect(thread.toSkip[0]).toBe(thread.requests[1]?.serial)
  respond(thread, 'first', true)
  thread.emit('message', { serial: thread.requests[1]?.serial, skipped: true })
  expect(await results[0]).toBe(true)
  await expect(results[1]).rejects.toThrow(ClientDisconnected)
  expect(pool.stats().started).toBe(1)
})

it('rejects the jobs of a thread that has failed', async () => {
  const { pool, threads } = startPool(1)
  const results = ['a', 'b', 'c'].map((password) => pool.run(verify(password)))
  threads[0]?.emit('error', new Error('out of memory'))
  for (const result of results) await expect(result).rejects.toThrow('out of memory')
})
