import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { findSearchPlaces, searchPlace } from '../../../server/store/citus/search.js'
import * as deliveries from '../../../server/store/queries/deliveries.js'
import { insertMessages, type NewMessage, storeMessages } from '../../../server/store/queries/outbox.js'
import { searchStart } from '../../../server/store/queries/search.js'
import * as streams from '../../../server/store/queries/streams.js'
import { dropMessages, retryMessages } from '../../../server/store/queries/waiting-messages.js'
import type { Store } from '../../../server/store/store.js'
import { storeBacklog } from '../../outbox/backlog.js'
import { withOwnStore } from '../../support/api.js'
import { startApp } from '../../support/app.js'
import type { OpenStore } from '../../support/open-store.js'
import { planOf, recordStatements } from './statement-plans.js'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('usher', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const usher = await startApp(store)
    onCleanup(usher.close)
    return usher
  })
  .extend('client', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const client = new pg.Client({ connectionString: store.settings?.DATABASE_URL })
    await client.connect()
    onCleanup(() => client.end())
    return client
  })

const rows = 20_000
/** 16 streams with their messages, each found, changed and entered into indexes. The table has some 590. */
const maxBuffers = 450
const minute = 60_000
const at = (milliseconds: number) => new Date(Date.now() + milliseconds)

const eventOf = (databaseId: string, userId: string, isMerged = false): NewMessage => ({
  databaseId,
  id: uuidv7(),
  kind: 'webhook',
  userId,
  payload: { type: 'user.updated', userId },
  createdAt: at(0),
  dueAt: at(0),
  isMerged,
})

const claimOf = (databaseId: string) => ({ databaseId, now: at(0), until: at(minute), lookAgain: at(minute) })

/** Stores an event of a new user and claims it. */
async function claimedEvent(store: Store, databaseId: string) {
  const event = eventOf(databaseId, uuidv7())
  await insertMessages(store, [event])
  const claimed = await streams.claimStreams(store, claimOf(databaseId), 16)
  const first = claimed.find(({ streamId }) => streamId === event.userId) ?? expect.fail('not claimed')
  return { ...event, databaseId, attempts: 0, stream: { id: first.streamId, version: first.version } }
}

/** Runs what servers do to deliver messages of a database. */
async function deliver(store: Store, databaseId: string) {
  const delivered = await claimedEvent(store, databaseId)
  await deliveries.claimMessage(store, delivered, claimOf(databaseId))
  await streams.completeEvent(store, delivered, at(0))
  await streams.endStream(store, { databaseId, ...delivered.stream }, at(0))
  for (const isEvent of [true, false]) {
    const { stream, ...message } = await claimedEvent(store, databaseId)
    const failure = { lastError: 'status 500', dueAt: null, lookAgain: at(minute) }
    await deliveries.failMessage(store, { ...message, ...(isEvent && { stream }) }, failure)
  }
  const mail: NewMessage = { ...eventOf(databaseId, uuidv7()), kind: 'mail' }
  await insertMessages(store, [mail])
  await deliveries.findDueMails(store, { databaseId, now: at(0) }, 16)
  await deliveries.deleteMessage(store, databaseId, mail.id)
  await store.transaction(databaseId, (query) =>
    storeMessages({ query }, [eventOf(databaseId, uuidv7(), true)]),
  )
}

/** Runs what commands do to messages that wait for the operator. */
async function changeMessages(store: OpenStore, databaseId: string) {
  const { isMerged, ...event } = eventOf(databaseId, uuidv7())
  const waiting = () => ({ ...event, payload: {}, id: uuidv7(), dueAt: null })
  for (const change of [retryMessages, dropMessages]) {
    await store.prisma.message.createMany({ data: [waiting(), waiting()] })
    const chosen = { databaseId, after: undefined, now: at(0) }
    const { messages } = await change(store, { ...chosen, id: undefined })
    expect(messages).toBeGreaterThanOrEqual(2)
    const data = waiting()
    await store.prisma.message.create({ data })
    expect(await change(store, { ...chosen, id: data.id })).toMatchObject({ messages: 1 })
  }
}

/** Searches for messages, as each server does. */
async function search(store: Store) {
  for (const place of await findSearchPlaces(store))
    await searchPlace(store, place, { ...searchStart, now: at(0) })
}

/** Stores an event in each of some databases, which need not exist. */
const storeInOthers = (client: pg.Client, databases: number) =>
  client.query(`BEGIN; SET LOCAL session_replication_role = replica;
    WITH others AS (SELECT gen_random_uuid() AS database_id, gen_random_uuid() AS id FROM generate_series(1, ${databases})),
      events AS (
        INSERT INTO usher.outbox (database_id, id, kind, user_id, payload, created_at, due_at)
        SELECT database_id, id, 'webhook', id, '{}', now(), now() FROM others)
    INSERT INTO usher.outbox_stream (database_id, id, due_at) SELECT database_id, id, now() FROM others;
    COMMIT`)

const distributions = [
  ['of one user', { users: 1, eventsOfUser: rows, others: 0 }],
  ['of many users, next to databases with one', { users: rows / 2, eventsOfUser: 2, others: rows }],
] as const

it.for(distributions)(
  'no statement about messages reads the events that wait %s',
  async ([, { others, ...backlog }], { store, usher, client }) => {
    await client.query('TRUNCATE usher.outbox, usher.outbox_stream')
    const { id } = await usher.newDatabase()
    await storeInOthers(client, others)
    await storeBacklog(store, { databaseIds: [id], ...backlog })
    const { recording, sent } = recordStatements(store)
    await deliver(recording, id)
    await changeMessages(recording, id)
    // It visits each database that has messages.
    if (others === 0) await search(recording)
    const costly = new Set<string>()
    for (const statement of sent())
      for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
        const { scanned, buffers = 0 } = await planOf(client, statement, mode)
        if (scanned.includes('outbox') || buffers > maxBuffers)
          costly.add(`${mode} reads ${buffers} buffers: ${statement.text.trim().slice(0, 100)}`)
      }
    expect([...costly]).toEqual([])
  },
)
