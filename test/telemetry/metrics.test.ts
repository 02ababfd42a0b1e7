import { once } from 'node:events'
import { connect } from 'node:net'
import { Registry } from 'prom-client'
import { expect, onTestFinished, vi } from 'vitest'
import { startMetricsServer } from '../../server/metrics/metrics-server.js'
import { password } from '../support/app.js'
import { startUsher, usher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { freePort } from '../support/postgres-server.js'
import { it as servedStoreTest } from '../support/served-store.js'

const users = '/workspaces/demo/databases/app/users'
const route = '/workspaces/:workspaceSlug/databases/:databaseName/users'

/** Starts a server and waits until all its workers listen. */
async function startServer(env: Record<string, string>, workers: number) {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const more = { PORT: String(port), METRICS_PORT: String(metricsPort), WORKERS: String(workers) }
  const server = startUsher(['serve'], { ...env, HASH_CONCURRENCY: '3', ...more })
  await server.printed('Server listening')

  /** Uses a new connection, so that the next request may reach another worker. */
  async function send(path: string, body?: object, headers: Record<string, string> = {}) {
    const response = await fetch(`http://localhost:${port}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { connection: 'close', 'content-type': 'application/json', ...headers },
    })
    return { status: response.status, body: await response.json() }
  }

  async function scrape() {
    const response = await fetch(`http://localhost:${metricsPort}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    const series = text.split('\n').filter((line) => line && !line.startsWith('#'))
    const value = (name: string) =>
      Number(
        series
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')
          .at(-1),
      )
    const responses = (method: string, path: string, status: number) =>
      value(
        `usher_http_request_duration_seconds_count{method="${method}",route="${path}",status="${status}"}`,
      )
    return { text, series, value, responses }
  }
  if (workers > 1) {
    await vi.waitFor(async () => expect((await scrape()).value('usher_workers')).toBe(workers), 20_000)
  }
  return { ...server, port, metricsPort, send, scrape }
}

async function end(server: Awaited<ReturnType<typeof startServer>>) {
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
}

/** Servers of one process and of two, whose first test counts from their start. */
const it = servedStoreTest
  .extend('one', { scope: 'file' }, async ({ env }, { onCleanup }) => {
    const server = await startServer(env, 1)
    onCleanup(() => end(server))
    return server
  })
  .extend('two', { scope: 'file' }, async ({ env }, { onCleanup }) => {
    const server = await startServer(env, 2)
    onCleanup(() => end(server))
    return server
  })

it.for([1, 2])(
  'metrics of %d process(es) count responses by route and status, and problems by code',
  async (workers, { one, two }) => {
    const server = workers === 1 ? one : two
    const email = `ada-${workers}@example.com`
    const { body } = await server.send(users, { email, password })
    for (let i = 0; i < 4; i++) {
      const headers = { authorization: `Bearer ${body.token.jwt}` }
      expect((await server.send(`${users}/me`, undefined, headers)).status).toBe(200)
    }
    const statuses = []
    for (let i = 0; i < 6; i++) {
      statuses.push((await server.send(`${users}/login`, { email, password: 'wrong password' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await server.send('/nowhere/ada')
    await server.send('/nowhere/bob')
    await server.send('/%')
    await server.send('/healthz', {})
    const socket = connect(server.port, 'localhost')
    socket.end('no request\r\n\r\n').resume()
    await once(socket, 'close')

    const { value, responses, text } = await server.scrape()
    expect(responses('POST', route, 201)).toBe(1)
    expect(responses('GET', `${route}/me`, 200)).toBe(4)
    expect(responses('POST', `${route}/login`, 401)).toBe(5)
    expect(responses('POST', `${route}/login`, 429)).toBe(1)
    expect(responses('GET', 'unknown', 404)).toBe(3)
    expect(responses('POST', '/healthz', 405)).toBe(1)
    expect(value('usher_problems_total{code="too_many_attempts"}')).toBe(1)
    expect(value('usher_problems_total{code="invalid_credentials"}')).toBe(5)
    expect(value('usher_problems_total{code="route_not_found"}')).toBe(3)
    expect(value('usher_problems_total{code="malformed_request"}')).toBe(1)
    // One hash per process measures the speed of the queue. A failed login verifies only the user's hash.
    expect(value('usher_hash_jobs_total')).toBe(workers + 6)
    expect(value('usher_hash_wait_seconds_total')).toBeGreaterThanOrEqual(0)
    expect(value('usher_hash_shed_total')).toBe(0)
    expect(value('usher_hash_queue_length')).toBe(0)
    expect(value('usher_hash_threads_busy')).toBe(0)
    expect(value('usher_hash_threads')).toBe(3)
    expect(value('usher_store_connections')).toBeGreaterThanOrEqual(workers)
    // The server also searches for messages, which uses a connection for a moment.
    await vi.waitFor(async () => {
      const now = await server.scrape()
      expect(now.value('usher_store_connections_idle')).toBe(now.value('usher_store_connections'))
    }, 10_000)
    expect(value('usher_store_waiting')).toBe(0)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(text).not.toMatch(/ada|bob|nowhere/)
  },
)

it('metrics contain the last values of a worker that does not respond', async ({ two: server }) => {
  for (let i = 0; i < 10; i++) await server.send('/healthz')
  const count = (await server.scrape()).responses('GET', '/healthz', 200)
  expect(count).toBeGreaterThanOrEqual(10)
  const pid = Number(server.output.stdout.match(/"pid":(\d+),.*"worker":1,/)?.[1])
  process.kill(pid, 'SIGSTOP')
  expect((await server.scrape()).responses('GET', '/healthz', 200)).toBe(count)
  process.kill(pid, 'SIGCONT')
})

it('metrics keep the counters of exited workers', async ({ two: server }) => {
  for (let i = 0; i < 10; i++) await server.send('/healthz')
  const before = await server.scrape()
  const count = before.responses('GET', '/healthz', 200)
  expect(count).toBeGreaterThanOrEqual(10)
  expect(before.value('usher_worker_deaths_total')).toBe(0)
  const pid = Number(server.output.stdout.match(/"pid":(\d+),.*"worker":1,/)?.[1])
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(async () => {
    const after = await server.scrape()
    expect(after.value('usher_worker_deaths_total')).toBe(1)
    expect(after.value('usher_workers')).toBe(2)
  }, 20_000)
  await server.send('/healthz')
  expect((await server.scrape()).responses('GET', '/healthz', 200)).toBe(count + 1)
})

it('the server of metrics limits headers and body of a request to 15 seconds', async () => {
  const server = await startMetricsServer({ host: 'localhost', port: 0 }, () => new Registry())
  onTestFinished(() => void server.close())
  expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 15_000 })
})

it('metrics are served only on METRICS_PORT, which serves nothing else', async ({ one: server }) => {
  expect(await server.send('/metrics')).toMatchObject({ status: 404 })
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(`http://localhost:${server.metricsPort}${path}`, { method })).status
  expect(await statusOf('/healthz')).toBe(404)
  expect(await statusOf('/metrics', 'POST')).toBe(405)
  expect(await statusOf('/metrics', 'HEAD')).toBe(200)
})

it('serve exits 1 if METRICS_PORT is in use', async ({ env, one: server }) => {
  const more = { PORT: String(await freePort()), METRICS_PORT: String(server.metricsPort) }
  for (const workers of ['1', '2']) {
    const run = workers === '1' ? runUsher : usher
    expect(await run(['serve', '--workers', workers], { ...env, ...more })).toMatchObject({
      code: 1,
      stderr: `usher: port ${server.metricsPort} is already in use. Set METRICS_PORT to another one\n`,
    })
  }
})
