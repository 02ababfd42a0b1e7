import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startOwnPostgres } from '../../support/own-postgres.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { times } from '../form.js'
import { mountSmallDisk } from './small-disk.js'
import { onPostgres, openStage } from './stage.js'

it('no acknowledged sign-up is lost when the disk of Postgres is full and Postgres crashes', async ({
  skip,
}) => {
  // 140 MB: a new cluster and some megabytes for writes.
  const disk = await mountSmallDisk(140).catch(({ message }) => skip(`no small disk here: ${message}`))
  const postgres = await startOwnPostgres({}, disk.folder)
  onTestFinished(() => postgres.stop().then(disk.unmount))
  const stage = await openStage(onPostgres(postgres.url))
  const { server, load, noted, expectReadiness, outage, close } = stage
  const [first] = load.ledger

  while (noted.outages < times(1, 5)) {
    await outage(async () => {
      // Tables cannot grow, but existing rows can be read.
      await disk.fill()
      await load.sees(503)
      await expectReadiness(200)
      expect(await server.login(first?.email ?? '')).toMatchObject({ status: 200, body: first?.user })
      await exhaustLog(postgres)
      return async () => {
        await disk.empty()
        await postgres.kill()
        await postgres.start()
      }
    })
  }
  await close('Disk full')
})

/** Creates WAL segments until Postgres panics because the disk is full. */
async function exhaustLog({ url }: PostgresServer) {
  const client = new Client(url)
  client.on('error', () => undefined)
  await client.connect()
  const begin = async () => {
    // Postgres only switches to a new segment if the current one is not empty.
    await client.query(`SELECT pg_logical_emit_message(false, 'usher', 'test'), pg_switch_wal()`)
    return true
  }
  while (await begin().catch(() => false));
}
