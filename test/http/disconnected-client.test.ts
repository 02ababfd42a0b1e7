import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'

const it = apiTest.extend(
  'settings',
  { scope: 'file' },
  {
    HASH_CONCURRENCY: '1',
    HASH_QUEUE_SECONDS: '60',
    ARGON2_MEMORY_KIB: '65536',
    ARGON2_PASSES: '10',
    METRICS_PORT: '9464',
  },
)

const patient = { timeout: 20_000 }

it('does not hash the password of a queued login whose client has disconnected', async ({
  usher,
  database,
  origin,
}) => {
  const { users } = database
  const stats = () => usher.context.hashing.stats()
  const login = (name: string, signal: AbortSignal | null = null) => {
    const body = JSON.stringify({ email: `${name}@example.com`, password: 'correct horse battery' })
    const headers = { 'content-type': 'application/json' }
    return fetch(`${origin}${users}/login`, { method: 'POST', headers, body, signal })
  }
  await expect.poll(() => stats().busy, patient).toBe(0)
  const { started } = stats()

  const first = login('first')
  await expect.poll(() => stats().busy, patient).toBe(1)
  const controller = new AbortController()
  const others = ['second', 'third', 'fourth'].map((name) => login(name, controller.signal))
  await expect.poll(() => stats().queued, patient).toBe(3)
  controller.abort()
  await Promise.allSettled(others)

  expect((await first).status).toBe(401)
  await expect.poll(() => stats().queued, patient).toBe(0)
  // The thread already held the second job.
  await expect.poll(() => stats().busy, patient).toBe(0)
  expect(stats().started - started).toBe(2)
  const statuses = () => [...usher.logged().matchAll(/"status":(\d+)/g)].map(([, status]) => status)
  await expect.poll(statuses, patient).toEqual(['499', '499', '499', '401'])
  const counted = await usher.metrics?.metrics()
  expect(counted).toMatch(/usher_http_request_duration_seconds_count\{.*status="499"\} 3/)
  expect(counted).not.toMatch(/usher_problems_total\{code="unavailable"\}/)
})
