import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { startApp } from '../support/app.js'

const it = apiTest.extend('counted', { scope: 'file' }, async ({ store }, { onCleanup }) => {
  const counted = await startApp(store, { METRICS_PORT: '1', DOCS: 'off' })
  onCleanup(counted.close)
  return counted
})

it.for([
  ['/healthz', 200, '/healthz', undefined, true],
  ['/nowhere', 404, 'unknown', 'route_not_found', true],
  // Fastify handles a path that cannot be decoded before all hooks, and does not measure its time.
  ['/%zz', 404, 'unknown', 'route_not_found', false],
] as const)('counts the response to %s', async ([url, status, route, code, isTimed], { counted }) => {
  const metric = async (name: string, labels: string) =>
    Number((await counted.metrics?.getSingleMetricAsString(`usher_${name}`))?.match(`${labels}} (\\S+)`)?.[1])
  const seconds = 'http_request_duration_seconds'
  const labels = `method="GET",route="${route}",status="${status}"`
  const read = async () => ({
    responses: (await metric(seconds, `_count{${labels}`)) || 0,
    seconds: (await metric(seconds, `_sum{${labels}`)) || 0,
    problems: (await metric('problems_total', `{code="${code}"`)) || 0,
  })
  const before = await read()
  const start = performance.now()
  const response = await counted.inject({ url })
  expect([response.statusCode, response.headers['x-request-id']]).toEqual([status, expect.any(String)])
  const after = await read()
  expect(after.responses - before.responses).toBe(1)
  expect(after.seconds > before.seconds).toBe(isTimed)
  expect((after.seconds - before.seconds) * 1000).toBeLessThanOrEqual(performance.now() - start)
  expect(after.problems - before.problems).toBe(code ? 1 : 0)
})
