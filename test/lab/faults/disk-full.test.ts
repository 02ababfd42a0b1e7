import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { times } from '../form.js'
import { mountSmallDisk } from './small-disk.js'
import { onPostgres, openStage } from './stage.js'

it('a Postgres whose disk is full refuses writes, and then crashes', async ({ skip }) => {
  // Binaries, a new cluster and some megabytes to write.
  const disk = await mountSmallDisk(200).catch(({ message }) => skip(`no small disk here: ${message}`))
  const postgres = await startPostgres({}, disk.folder)
  onTestFinished(() => postgres.stop().then(disk.unmount))
  const stage = await openStage(onPostgres(postgres.url))
  const { server, load, noted, expectReadiness, outage, close } = stage
  const [first] = load.ledger

  while (noted.outages < times(1, 5)) {
    await outage(async () => {
      // No table can grow; what is there can be read.
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

/** Has Postgres begin new files for its log until it panics for lack of room, as it must. */
async function exhaustLog({ url }: PostgresServer) {
  const client = new Client(url)
  client.on('error', () => undefined)
  await client.connect()
  const begin = async () => {
    // There must be something in a file before the next is begun.
    await client.query(`SELECT pg_logical_emit_message(false, 'usher', 'test'), pg_switch_wal()`)
    return true
  }
  while (await begin().catch(() => false));
}
