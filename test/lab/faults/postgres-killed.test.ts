import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startOwnPostgres } from '../../support/own-postgres.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { times } from '../form.js'
import { startServer } from './server.js'
import { onPostgres, openStage } from './stage.js'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startOwnPostgres()
})
afterAll(() => postgres.stop())

it('requests return 503 while Postgres is killed under load, until it is back', async () => {
  const { noted, outage, close } = await openStage(onPostgres(postgres.url))
  while (noted.outages < times(2, 40)) {
    await outage(async () => {
      await postgres.kill(noted.outages % 2 ? 'SIGQUIT' : 'SIGKILL')
      // Child processes that SIGKILL left behind must exit before a restart.
      return () => vi.waitFor(postgres.start, { timeout: 10_000 })
    })
  }
  await close('Postgres killed')
})

it('a server that starts while Postgres is stopped returns 503, and serves when Postgres starts', async () => {
  await postgres.kill()
  const server = await startServer(onPostgres(postgres.url).env)
  const email = 'early@example.com'
  expect(server.logged()).toContain('the store is unreachable; returning 503 until it is reachable')
  expect(await server.signUp({ email })).toMatchObject({ status: 503 })
  expect(await Promise.all(['/readyz', '/healthz'].map(server.get))).toEqual([503, 200])
  await postgres.start()
  await vi.waitFor(async () => expect(await server.signUp({ email })).toMatchObject({ status: 201 }), 10_000)
  await server.stop()
})
