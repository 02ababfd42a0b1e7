import { rm } from 'node:fs/promises'
import { Client } from 'pg'
import { expect, it, vi } from 'vitest'
import { createDataFolder, createPostgresDatabase } from '../../support/store.js'
import { isLong, times } from '../form.js'
import { startMailChannel, startWebhookChannel } from './channels.js'
import { refuse, startDelivering } from './deliveries.js'
import { inFolder, onPostgres } from './stage.js'

/** Concurrent, because they wait most of the time. Each kill takes a start of the server, whose time varies. */
const options = { concurrent: true, timeout: times(180_000, 1_800_000) }

const channels = [
  ['webhook', startWebhookChannel, 0],
  ['mail', startMailChannel, 1],
] as const

it.for(channels)(
  'every %s arrives wherever Usher is killed',
  options,
  async ([, startChannel, place], test) => {
    const { onTestFinished } = test
    const { url, drop } = await createPostgresDatabase('template0')
    onTestFinished(drop)
    const channel = await startChannel(test)
    const { server, request, requestHeld, killAndDeliver, reportStep } = await startDelivering(
      onPostgres(url),
      channel,
    )
    // A transaction sees pg_stat_activity as it was at its first look.
    const connect = () => new Client({ connectionString: url, application_name: 'test' })
    const [control, watch] = [connect(), connect()]
    await Promise.all([control.connect(), watch.connect()])
    onTestFinished(async () => void (await Promise.all([control.end(), watch.end()])))
    const connections = `FROM pg_stat_activity WHERE datname = current_database()
    AND backend_type = 'client backend' AND application_name <> 'test'`
    /** Waits until a query returns rows, or none. */
    const returnsRows = (query: string, isExpected = true) =>
      vi.waitFor(async () => expect((await watch.query(query)).rows.length > 0, query).toBe(isExpected), {
        timeout: 20_000,
        interval: 10,
      })
    /** Waits until a statement of Usher with this text, among its first 1,024 bytes, waits for a lock. */
    const waitsFor = (statement: string) =>
      returnsRows(`SELECT ${connections} AND wait_event_type = 'Lock' AND query LIKE '%${statement}%'`)
    /** Ends the connections of the killed process and releases the locks. Its last statements complete or are lost. */
    async function endConnections(complete: boolean) {
      if (!complete) await watch.query(`SELECT pg_terminate_backend(pid) ${connections}`)
      await control.query('ROLLBACK')
      await returnsRows(`SELECT ${connections}`, false)
    }
    /** Locks a message before it is answered, so that its result cannot be stored. */
    const answerLocked = (isAccepted: boolean) => async (id: string) => {
      await control.query('BEGIN')
      await control.query('SELECT FROM usher.outbox WHERE id = $1 FOR UPDATE', [id])
      return isAccepted
    }
    async function writeChange() {
      await control.query('BEGIN; LOCK TABLE usher.outbox IN EXCLUSIVE MODE')
      channel.request(server).catch(() => undefined)
      await waitsFor(channel.statement)
    }
    /** Each brings Usher to a step of a delivery, where it waits. */
    const steps: Record<string, () => Promise<unknown>> = {
      'the change is written': writeChange,
      'the change is lost': writeChange,
      async 'a message waits for its retry'() {
        channel.answer = refuse
        await request()
        await returnsRows('SELECT FROM usher.outbox WHERE last_error IS NOT NULL')
      },
      async 'a message is claimed'() {
        await steps['a message waits for its retry']?.()
        await control.query('BEGIN; LOCK TABLE usher.database IN ACCESS EXCLUSIVE MODE')
        await waitsFor('sealed_webhook_secret')
      },
      'the receiver has the message': requestHeld,
      async 'the receiver has accepted'() {
        channel.answer = answerLocked(true)
        await request()
        await waitsFor('DELETE FROM usher.outbox')
      },
      async 'the receiver has refused'() {
        channel.answer = answerLocked(false)
        await request()
        await waitsFor('SET last_error')
      },
    }
    // The short form kills once at each step, with one of the channels.
    const own = Object.entries(steps).filter((_step, index) => isLong || index % 2 === place)
    for (const [step, bringThere] of own) {
      for (let kills = 0; kills < times(1, 20); kills++) {
        await bringThere()
        const isWritten = step === 'the change is written'
        const isStored = isWritten ? channel.storesAlone : step !== 'the change is lost'
        await killAndDeliver(() => endConnections(isWritten), isStored)
        await returnsRows('SELECT FROM usher.outbox', false)
      }
      reportStep(step)
    }
    await server.stop()
  },
)

it.for(isLong ? channels : channels.slice(0, 1))(
  'every %s arrives after an embedded store is killed',
  options,
  async ([, startChannel], test) => {
    const folder = await createDataFolder()
    test.onTestFinished(() => rm(folder, { recursive: true }))
    const channel = await startChannel(test)
    const { server, onStore, requestHeld, killAndDeliver, reportStep } = await startDelivering(
      inFolder(folder),
      channel,
    )
    for (let kills = 0; kills < times(1, 10); kills++) {
      await requestHeld()
      await killAndDeliver(async () => undefined, true)
    }
    reportStep('the receiver has the message, embedded store')
    await server.stop()
    const left = await onStore(({ prisma }) => prisma.message.findMany())
    expect(left.filter(({ id }) => !channel.accepted.has(id))).toEqual([])
  },
)
