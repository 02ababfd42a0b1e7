import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { HashPool } from '../../server/domain/passwords/hash-pool.js'
import type { HashRequest } from '../../server/domain/passwords/hash-thread.js'
import { ClientDisconnected, Problem } from '../../server/domain/problem.js'
import { networkOf } from '../../server/domain/throttle/client-network.js'

class FakeThread extends EventEmitter {
  requests: HashRequest[] = []
  /** Whether it keeps the process alive. */
  isReferenced = true
  isClosed = false
  postMessage(request: HashRequest | 'close') {
    if (request === 'close') this.isClosed = true
    else this.requests.push(request)
  }
  ref() {
    this.isReferenced = true
  }
  unref() {
    this.isReferenced = false
  }
}

function startPool(size: number, queueSeconds = 60) {
  const threads: FakeThread[] = []
  const pool = new HashPool(size, queueSeconds, () => {
    const thread = new FakeThread()
    threads.push(thread)
    return thread
  })
  return { pool, threads }
}

const verify = (password: string) => ({ kind: 'verify' as const, password, hash: 'x' })
const respond = (thread: FakeThread, password: string, result: boolean, milliseconds = 0) => {
  const request = thread.requests.find(({ job }) => job.password === password)
  thread.emit('message', { serial: request?.serial, milliseconds, result })
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

it('gives a thread that has finished a job one of those that wait', () => {
  const { pool, threads } = startPool(1)
  for (const password of ['a', 'b', 'c', 'd', 'e']) void pool.run(verify(password))
  const [thread] = threads as [FakeThread]
  for (const [password, given] of [
    ['a', 3],
    ['b', 4],
  ] as const) {
    respond(thread, password, true)
    expect(thread.requests).toHaveLength(given)
  }
})

it('gives no thread the job of a client that has disconnected before', async () => {
  const { pool, threads } = startPool(1)
  const client = {
    network: '',
    deadline: Number.POSITIVE_INFINITY,
    isDisconnected: () => true,
    onceDisconnected: () => () => undefined,
  }
  await expect(pool.run(verify('a'), client)).rejects.toThrow(ClientDisconnected)
  expect(threads[0]?.requests).toEqual([])
})

describe('the estimate of waits', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  /** Runs a job that takes a time. Returns the estimate of the next one, from the earlier jobs. */
  async function runFor(milliseconds: number, pool: HashPool, thread: FakeThread | undefined) {
    const password = `takes ${milliseconds} ms`
    const result = pool.run(verify(password))
    const { queueSeconds } = pool.stats()
    if (thread) respond(thread, password, true, milliseconds)
    await result
    return queueSeconds
  }

  it('counts how long jobs have waited', () => {
    const { pool, threads } = startPool(1)
    vi.advanceTimersByTime(10_000)
    void pool.run(verify('a'))
    vi.advanceTimersByTime(250)
    void pool.run(verify('b'))
    vi.advanceTimersByTime(500)
    respond(threads[0] as FakeThread, 'a', true)
    expect(pool.stats()).toMatchObject({ started: 2, waitedSeconds: 0.5 })
  })

  it('follows slow jobs faster than fast ones', async () => {
    const { pool, threads } = startPool(1)
    vi.advanceTimersByTime(10_000)
    const estimates: number[] = []
    for (const milliseconds of [500, 1_000, 100, 0])
      estimates.push(await runFor(milliseconds, pool, threads[0]))
    expect(estimates).toEqual([0, 0.5, 0.6, 0.575])
  })

  it('counts neither the start of a thread nor delays of the server', async () => {
    const { pool, threads } = startPool(1, 2)
    const first = pool.run(verify('first'))
    vi.advanceTimersByTime(3_000)
    respond(threads[0] as FakeThread, 'first', true, 1)
    await first
    for (let index = 0; index < 200; index++) void pool.run(verify(`${index}`))
    expect(pool.stats()).toMatchObject({ queued: 199, shed: 0 })
  })

  it('divides the waiting jobs among the threads, and accepts a job that waits as long as allowed', async () => {
    // A quarter more than the estimate.
    const { pool, threads } = startPool(2, 0.625)
    await runFor(500, pool, threads[0])
    for (const password of ['a', 'b']) void pool.run(verify(password))
    expect([pool.stats().queueSeconds, pool.waitSeconds('')]).toEqual([0.25, 0.3125])
    void pool.run(verify('c'))
    expect(pool.waitSeconds('')).toBe(0.625)
    void pool.run(verify('d'))
    expect(pool.stats()).toMatchObject({ queued: 2, shed: 0 })
    await expect(pool.run(verify('e'))).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(pool.stats()).toMatchObject({ queued: 2, shed: 1 })
  })
})

it('gives a job to the thread with fewer jobs', () => {
  const { pool, threads } = startPool(2)
  for (const password of ['a', 'b', 'c', 'd']) void pool.run(verify(password))
  expect(threads.map(({ requests }) => requests.map(({ job }) => job.password))).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
})

it('rejects the waiting job of a disconnected client, but no job in progress', async () => {
  const { pool, threads } = startPool(1)
  const clients = ['first', 'second', 'third'].map(() => new EventEmitter())
  const results = ['first', 'second', 'third'].map((password, index) =>
    pool.run(verify(password), {
      network: 'network',
      isDisconnected: () => false,
      deadline: Number.POSITIVE_INFINITY,
      onceDisconnected: (listener) => {
        clients[index]?.once('close', listener)
        return () => void clients[index]?.off('close', listener)
      },
    }),
  )
  const [thread] = threads as [FakeThread]
  for (const client of clients) client.emit('close')
  await expect(results[1]).rejects.toThrow(ClientDisconnected)
  await expect(results[2]).rejects.toThrow(ClientDisconnected)
  respond(thread, 'first', true)
  expect(await results[0]).toBe(true)
  respond(thread, 'second', true)
  expect(thread.requests.map(({ job }) => job.password)).toEqual(['first', 'second'])
})

describe('networks', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const clientOf = (network: string) => ({
    network,
    deadline: Number.POSITIVE_INFINITY,
    isDisconnected: () => false,
    onceDisconnected: () => () => undefined,
  })

  it('networks take turns, so that one with many jobs does not delay the others', () => {
    const { pool, threads } = startPool(1)
    for (let index = 0; index < 5; index++) void pool.run(verify(`greedy ${index}`), clientOf('greedy'))
    void pool.run(verify('polite'), clientOf('polite'))
    const [thread] = threads as [FakeThread]
    for (let index = 0; index < 5; index++) respond(thread, `greedy ${index}`, false)
    const order = thread.requests.map(({ job }) => job.password)
    expect(order).toEqual(['greedy 0', 'greedy 1', 'greedy 2', 'polite', 'greedy 3', 'greedy 4'])
  })

  it('networks share the limit of the queue, so that one with many jobs uses up only its own share', async () => {
    const { pool, threads } = startPool(1, 2)
    const [thread] = threads as [FakeThread]
    void pool.run(verify('first'), clientOf('greedy'))
    respond(thread, 'first', false, 500)
    const greedy = Array.from({ length: 20 }, (_, index) =>
      pool.run(verify(`greedy ${index}`), clientOf('greedy')).catch((error) => error.code),
    )
    expect(() => pool.assertCapacity('greedy')).toThrow(Problem)
    expect(() => pool.assertCapacity('polite')).not.toThrow()
    const release = [1, 2, 3, 4].map((count) => pool.hold(`other ${count}`))
    expect(() => pool.assertCapacity('polite')).toThrow(Problem)
    for (const end of release) end()
    expect(() => pool.assertCapacity('polite')).not.toThrow()
    expect(await greedy.at(-1)).toBe('unavailable')
    expect(pool.stats()).toMatchObject({ queued: 3, shed: 18 })
  })

  it('the 300 networks of a /48 share its turns, so that they do not delay others', async () => {
    const { pool, threads } = startPool(1, 2)
    const [thread] = threads as [FakeThread]
    void pool.run(verify('first'), clientOf('first'))
    respond(thread, 'first', false, 500)
    const ofSite = Array.from({ length: 300 }, (_, index) =>
      pool
        .run(verify(`of site ${index}`), clientOf(networkOf(`2001:db8:1:${index}::1`)))
        .catch((error) => error.code),
    )
    const bystander = networkOf('2001:db8:2::1')
    pool.assertCapacity(bystander)
    void pool.run(verify('bystander'), clientOf(bystander))
    for (const index of [0, 1]) respond(thread, `of site ${index}`, false)
    const order = thread.requests.map(({ job }) => job.password)
    expect(order).toEqual(['first', 'of site 0', 'of site 1', 'of site 2', 'bystander'])
    expect(await ofSite.at(-1)).toBe('unavailable')
  })

  it('networks accept a job whose turn has come, although later requests wait for a turn', async () => {
    const { pool, threads } = startPool(1, 2)
    const [thread] = threads as [FakeThread]
    void pool.run(verify('first'), clientOf('network'))
    respond(thread, 'first', false, 500)
    void pool.run(verify('second'), clientOf('network'))
    for (let index = 0; index < 3; index++) pool.hold('network')
    expect(() => pool.assertCapacity('network')).toThrow(Problem)
    const result = pool.run(verify('third'), clientOf('network'))
    respond(thread, 'second', false)
    respond(thread, 'third', true)
    expect(await result).toBe(true)
  })
})

it('closes after the exit of its threads, also of one that fails meanwhile', async () => {
  const { pool, threads } = startPool(1)
  const closed = vi.fn()
  const closing = pool.close().then(closed)
  threads[0]?.emit('error', new Error('cannot be loaded'))
  await setImmediate()
  expect(closed).not.toHaveBeenCalled()
  threads[0]?.emit('exit')
  await closing
})

it('a thread keeps the process alive while it has jobs, and until it has closed', async () => {
  const { pool, threads } = startPool(1)
  const [thread] = threads as [FakeThread]
  expect(thread.isReferenced).toBe(false)
  thread.emit('message', 'ready')
  expect(thread.isReferenced).toBe(false)
  const results = ['a', 'b'].map((password) => pool.run(verify(password)))
  expect(thread.isReferenced).toBe(true)
  respond(thread, 'a', true)
  expect(thread.isReferenced).toBe(true)
  respond(thread, 'b', true)
  expect(thread.isReferenced).toBe(false)
  await Promise.all(results)
  const result = pool.run(verify('c'))
  const closed = pool.close()
  expect(thread).toMatchObject({ isClosed: true, isReferenced: true })
  respond(thread, 'c', true)
  expect(await result).toBe(true)
  expect(thread.isReferenced).toBe(true)
  thread.emit('exit')
  await closed
  expect(threads).toHaveLength(1)
})

it('rejects a job with the error of its thread, which then starts the next one', async () => {
  const { pool, threads } = startPool(1)
  const results = ['a', 'b'].map((password) => pool.run(verify(password)))
  const [thread] = threads as [FakeThread]
  expect(pool.stats()).toMatchObject({ started: 1, busy: 1, queued: 1 })
  thread.emit('message', { serial: thread.requests[0]?.serial, error: 'unknown format' })
  await expect(results[0]).rejects.toThrow('unknown format')
  expect(pool.stats()).toMatchObject({ started: 2, busy: 1, queued: 0 })
  respond(thread, 'b', true)
  expect(await results[1]).toBe(true)
  expect(pool.stats()).toMatchObject({ started: 2, busy: 0, queued: 0 })
})

it('replaces a thread that has exited once, and rejects only its jobs', async () => {
  const { pool, threads } = startPool(1)
  threads[0]?.emit('message', 'ready')
  const results = ['a', 'b', 'c'].map((password) => pool.run(verify(password)))
  threads[0]?.emit('error', new Error('out of memory'))
  threads[0]?.emit('exit')
  for (const result of results.slice(0, 2)) await expect(result).rejects.toThrow('out of memory')
  expect(threads).toHaveLength(2)
  respond(threads[1] as FakeThread, 'c', true)
  expect(await results[2]).toBe(true)
  threads[1]?.emit('exit')
  expect(threads).toHaveLength(3)
  const result = pool.run(verify('d'))
  threads[2]?.emit('exit')
  await expect(result).rejects.toThrow('a hashing thread exited')
})

it('a pool that closes replaces no thread', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { pool, threads } = startPool(2)
  threads[0]?.emit('error', new Error('no such file'))
  threads[1]?.emit('message', 'ready')
  const closed = pool.close()
  threads[1]?.emit('exit')
  await closed
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(100)
  expect(threads).toHaveLength(2)
})

it('a thread that the system cannot start is started later', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const thread = new FakeThread()
  let starts = 0
  const pool = new HashPool(1, 60, () => {
    starts += 1
    if (starts < 3) throw new Error('no more threads')
    return thread
  })
  expect(() => pool.assertWorking()).toThrow('No hashing thread is running.')
  await vi.advanceTimersByTimeAsync(100)
  expect(starts).toBe(2)
  await vi.advanceTimersByTimeAsync(199)
  expect(starts).toBe(2)
  await vi.advanceTimersByTimeAsync(1)
  expect([starts, pool.stats().threads]).toEqual([3, 0])
  thread.emit('message', 'ready')
  expect(pool.stats().threads).toBe(1)
})

it('rejects the jobs of a thread that has failed', async () => {
  const { pool, threads } = startPool(1)
  const results = ['a', 'b', 'c'].map((password) => pool.run(verify(password)))
  threads[0]?.emit('error', new Error('out of memory'))
  for (const result of results) await expect(result).rejects.toThrow('out of memory')
})

describe('a thread that cannot start', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const broken = new Error('no such file')

  /** Lets the newest thread fail until none has been started for a while, and returns the delays in milliseconds. */
  async function failFor(milliseconds: number, threads: FakeThread[]) {
    const delays: number[] = []
    for (let waited = 0, since = 0; waited < milliseconds; waited += 100, since += 100) {
      const count = threads.length
      await vi.advanceTimersByTimeAsync(100)
      if (threads.length === count) continue
      delays.push(since + 100)
      since = -100
      threads.at(-1)?.emit('error', broken)
    }
    return delays
  }

  it('a thread that cannot start is started again after 0.1 s, doubled up to 10 s', async () => {
    const { threads } = startPool(1)
    threads[0]?.emit('error', broken)
    expect(await failFor(34_000, threads)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  })

  it('a thread that cannot start gets no job, and all rejections say unavailable meanwhile', async () => {
    const { pool, threads } = startPool(1)
    threads[0]?.emit('message', 'ready')
    pool.assertWorking()
    threads[0]?.emit('error', broken)
    threads[1]?.emit('error', broken)
    expect(() => pool.assertWorking()).toThrow('No hashing thread is running.')
    await expect(pool.run(verify('a'))).rejects.toMatchObject({ code: 'unavailable' })
    expect(pool.stats().threads).toBe(0)
    await vi.advanceTimersByTimeAsync(100)
    await expect(pool.run(verify('a'))).rejects.toMatchObject({ code: 'unavailable' })
    threads[2]?.emit('message', 'ready')
    const outcome = pool.run(verify('a'))
    respond(threads[2] as FakeThread, 'a', true)
    expect(await outcome).toBe(true)
    expect(threads).toHaveLength(3)
  })

  it('the replacement of a thread that cannot start gets a waiting job once it has loaded', async () => {
    const { pool, threads } = startPool(2)
    threads[1]?.emit('error', broken)
    for (const password of ['a', 'b', 'c']) void pool.run(verify(password))
    await vi.advanceTimersByTimeAsync(100)
    expect(threads.map(({ requests }) => requests.length)).toEqual([2, 0, 0])
    threads[2]?.emit('message', 'ready')
    expect(threads[2]?.requests).toMatchObject([{ job: verify('c') }])
  })

  it('a thread that starts within a minute does not stop the pool, and its failure begins another minute', async () => {
    const { pool, threads } = startPool(1)
    const stopped = vi.fn()
    void pool.stopped.then(stopped)
    threads[0]?.emit('error', broken)
    await failFor(30_000, threads)
    threads.at(-1)?.emit('message', 'ready')
    await vi.advanceTimersByTimeAsync(120_000)
    threads.at(-1)?.emit('error', broken)
    threads.at(-1)?.emit('error', broken)
    await failFor(59_900, threads)
    expect(stopped).not.toHaveBeenCalled()
    await failFor(200, threads)
    expect(stopped).toHaveBeenCalledOnce()
  })

  it('a thread that cannot start stops the pool after a minute in which no other works', async () => {
    const { pool, threads } = startPool(1)
    const stopped = vi.fn()
    void pool.stopped.then(({ message }) => stopped(message))
    threads[0]?.emit('error', broken)
    await failFor(59_900, threads)
    expect(stopped).not.toHaveBeenCalled()
    await failFor(200, threads)
    expect(stopped).toHaveBeenCalledWith('no hashing thread could be started for 60 s: no such file')
  })

  it('a thread that cannot start does not stop a pool in which another works', async () => {
    const { pool, threads } = startPool(2)
    const stopped = vi.fn()
    void pool.stopped.then(stopped)
    threads[0]?.emit('message', 'ready')
    threads[1]?.emit('error', broken)
    await failFor(120_000, threads)
    pool.assertWorking()
    expect(stopped).not.toHaveBeenCalled()
  })
})
