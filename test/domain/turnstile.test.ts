import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ClientDisconnected } from '../../server/domain/problem.js'
import { createTurnstile } from '../../server/domain/throttle/turnstile.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns a turnstile of two jobs, a function that starts jobs of a second, and the outcomes of those that ended. */
function startTurnstile(queueSeconds: number) {
  const turnstile = createTurnstile(2, { hold: () => () => undefined, waitSeconds: () => queueSeconds })
  const outcomes: string[] = []
  const start = (count: number, deadlineSeconds: number) => {
    for (let index = 0; index < count; index++) {
      const client = {
        network: 'network',
        deadline: performance.now() + deadlineSeconds * 1000,
        isDisconnected: () => false,
        onceDisconnected: () => () => undefined,
      }
      turnstile
        .run(client, () => new Promise<void>((resolve) => setTimeout(resolve, 1000)))
        .then(
          () => outcomes.push('done'),
          (error) => outcomes.push(error.code),
        )
    }
    return vi.advanceTimersByTimeAsync(0)
  }
  return { start, outcomes }
}

it('rejects a job immediately if the jobs before it take longer than its deadline', async () => {
  const { start, outcomes } = startTurnstile(0)
  await vi.advanceTimersByTimeAsync(10_000)
  await start(2, 3)
  await vi.advanceTimersByTimeAsync(1000)
  await start(10, 2.4)
  expect(outcomes).toEqual(['done', 'done', ...Array(4).fill('unavailable')])
  await vi.advanceTimersByTimeAsync(3000)
  expect(outcomes.slice(6)).toEqual(Array(6).fill('done'))
})

it.each([
  [1, 3.4, 4],
  [2, 5.4, 5],
])(
  'rejects a job immediately if the queue behind, which now takes %i s, would take longer',
  async (queueSeconds, deadlineSeconds, rejected) => {
    const { start, outcomes } = startTurnstile(queueSeconds)
    await start(10, deadlineSeconds)
    expect(outcomes).toEqual(Array(rejected).fill('unavailable'))
  },
)

it('rejects the job of a client that has disconnected, before and while it waits', async () => {
  let held = 0
  const hold = () => {
    held += 1
    return () => {
      held -= 1
    }
  }
  const turnstile = createTurnstile(1, { hold, waitSeconds: () => 0 })
  const listeners = new Set<() => void>()
  const client = {
    network: 'network',
    deadline: performance.now() + 60_000,
    isDisconnected: () => false,
    onceDisconnected(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const running = turnstile.run(client, () => new Promise((resolve) => setTimeout(resolve, 1000)))
  const job = vi.fn()
  const gone = turnstile.run({ ...client, isDisconnected: () => true }, job)
  await expect(gone).rejects.toBeInstanceOf(ClientDisconnected)
  const waiting = turnstile.run(client, job)
  expect(held).toBe(1)
  for (const listener of listeners) listener()
  await expect(waiting).rejects.toBeInstanceOf(ClientDisconnected)
  expect(held).toBe(0)
  await vi.advanceTimersByTimeAsync(1000)
  await running
  expect(job).not.toHaveBeenCalled()
})
