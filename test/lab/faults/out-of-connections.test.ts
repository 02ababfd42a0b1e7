import { Client, type DatabaseError } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOwnPostgres } from '../../support/own-postgres.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { times } from '../form.js'
import { onPostgres, openStage } from './stage.js'

const maxConnections = 30

let postgres: PostgresServer
let control: Client
beforeAll(async () => {
  postgres = await startOwnPostgres({ max_connections: String(maxConnections) })
  control = await open()
})
afterAll(async () => {
  await control.end()
  await postgres.stop()
})

it('no acknowledged sign-up is lost when other clients use all connections of Postgres', async () => {
  const { noted, outage, close } = await openStage(onPostgres(postgres.url))
  while (noted.outages < times(2, 20)) await outage(takeAll)
  await close('Postgres out of connections')
})

async function open() {
  const client = new Client(postgres.url)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Takes all connections, including those of Usher. */
async function takeAll() {
  const taken: Client[] = []
  while (taken.length < maxConnections - 1) {
    await control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'usher'`,
    )
    try {
      for (;;) taken.push(await open())
    } catch (error) {
      expect((error as DatabaseError).code).toBe('53300')
    }
  }
  return () => Promise.all(taken.map((client) => client.end()))
}
