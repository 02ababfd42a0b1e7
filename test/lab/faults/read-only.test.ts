import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOwnPostgres } from '../../support/own-postgres.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { times } from '../form.js'
import { onPostgres, openStage } from './stage.js'

let postgres: PostgresServer
let control: Client
beforeAll(async () => {
  postgres = await startOwnPostgres()
  control = new Client(postgres.url)
  await control.connect()
})
afterAll(async () => {
  await control.end()
  await postgres.stop()
})

// Like a standby before its promotion, or a hosted server whose disk is nearly full.
it('sign-ups return 503 and logins work while Postgres is read-only', async () => {
  const { server, load, noted, expectReadiness, expectBack, close } = await openStage(
    onPostgres(postgres.url),
  )
  const [first] = load.ledger
  while (noted.outages < times(1, 20)) {
    await load.sees(201)
    await setReadOnly('on')
    noted.outages += 1
    await load.sees(503)
    await expectReadiness(503)
    expect(await server.login(first?.email ?? '')).toMatchObject({ status: 200, body: first?.user })
    await setReadOnly('off')
    await expectBack()
  }
  await close('Postgres read-only')
})

async function setReadOnly(value: 'on' | 'off') {
  await control.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
  await control.query('SELECT pg_reload_conf()')
}
