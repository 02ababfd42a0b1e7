import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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
  await start(2, 3)
  await vi.advanceTimersByTimeAsync(1000)
  await start(10, 2.4)
  expect(outcomes).toEqual(['done', 'done', ...Array(4).fill('unavailable')])
  await vi.advanceTimersByTimeAsync(3000)
  expect(outcomes.slice(6)).toEqual(Array(6).fill('done'))
})

it('rejects a job immediately if the queue behind, as long as it is now, would take longer', async () => {
  const { start, outcomes } = startTurnstile(1)
  await start(10, 3.4)
  expect(outcomes).toEqual(Array(4).fill('unavailable'))
})
