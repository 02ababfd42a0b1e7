import { Client } from 'pg'
import { describe, it, type TestContext } from 'vitest'
import { startOwnPostgres } from '../../support/own-postgres.js'
import { times } from '../form.js'
import { onPostgres, openStage } from './stage.js'

type Stall = (control: Client) => Promise<() => Promise<unknown>>

// Both wait for the timeouts of a statement and of a connection, so they run in parallel.
describe.concurrent('a stalled Postgres', () => {
  it('requests return 503 while Postgres does not respond (SIGSTOP)', (test) =>
    stallPostgres(test, 'Postgres frozen', freeze))
  it('requests return 503 while statements exceed their timeout because a table is locked', (test) =>
    stallPostgres(test, 'Statements past their limit', lockTables))
})

/** @param stall returns a function that ends the stall */
async function stallPostgres({ onTestFinished }: TestContext, title: string, stall: Stall) {
  const postgres = await startOwnPostgres()
  onTestFinished(postgres.stop)
  const { outage, noted, close } = await openStage(onPostgres(postgres.url))
  const control = new Client(postgres.url)
  await control.connect()
  while (noted.outages < times(1, 3)) await outage(() => stall(control))
  await control.end()
  await close(title)
}

/** Pauses all processes of Postgres. */
const freeze: Stall = async (control) => {
  const file = await control.query(`SELECT pg_read_file('postmaster.pid') AS text`)
  const postmaster = Number.parseInt(file.rows[0].text, 10)
  // First the postmaster, so that it starts no others.
  process.kill(postmaster, 'SIGSTOP')
  const { rows } = await control.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
  const pids = [...rows.map(({ pid }) => pid), postmaster]
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return async () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

/** Locks tables that every statement needs, like a careless migration. */
const lockTables: Stall = async (control) => {
  await control.query('BEGIN')
  await control.query('LOCK TABLE usher."user", usher._prisma_migrations')
  return () => control.query('ROLLBACK')
}
