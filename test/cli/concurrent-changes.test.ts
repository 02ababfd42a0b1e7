import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { eventMessages } from '../../server/domain/events/events.js'
import { insertMessages } from '../../server/store/queries/outbox.js'
import { disableUser, enableUser } from '../../server/store/queries/revocations.js'
import type { TestDatabase } from '../support/app.js'
import { lockWaits } from '../support/lock-waits.js'
import { type Operator, it as operatorTest } from '../support/operator.js'
import { setDatabase } from '../support/operator-changes.js'

type Verb = 'disable' | 'enable'

const it = operatorTest.extend('account', async ({ usher, database }) => {
  const { id } = await database.signedUp()
  const { id: databaseId, path } = database
  const { store } = usher
  await setDatabase(store, database, { eventsKept: 1 })
  const run = (verb: Verb) => usher.json(`user ${verb} ${path} ${id}`)
  return {
    run,
    /** Returns the types of the events so far, and whether the user is disabled. */
    async state() {
      const where = { databaseId }
      const events = await store.prisma.keptEvent.findMany({ where, orderBy: { storedAt: 'asc' } })
      const { disabled } = await usher.json(`user show ${path} ${id}`)
      return [events.map(({ payload }) => (payload as { type: string }).type), disabled]
    },
    /** Runs a command during another one that is not committed before the first has ended or waits for it. */
    async runDuring(other: Verb, verb: Verb) {
      const now = new Date(usher.clock.now)
      let running: Promise<unknown> | undefined
      await store.transaction(databaseId, async (query) => {
        const event = { type: `user.${other}d`, userId: id } as const
        const messages = eventMessages({ id: databaseId, webhookUrl: null, eventsKept: 1 }, now, [event])
        const user = { databaseId, id }
        await (other === 'disable' ? disableUser({ query }, user, now) : enableUser({ query }, user))
        await insertMessages({ query }, messages)
        let hasEnded = false
        running = run(verb).finally(() => {
          hasEnded = true
        })
        await expect
          .poll(async () => hasEnded || (await lockWaits(store)) === 1, { timeout: 30_000 })
          .toBe(true)
      })
      await running
    },
  }
})

describe('commands that change a user at the same time', () => {
  it('user disable of a disabled user that is enabled meanwhile leaves the state of the last event', async ({
    account,
  }) => {
    await account.run('disable')
    await account.runDuring('enable', 'disable')
    expect(await account.state()).toEqual([['user.disabled', 'user.enabled', 'user.disabled'], true])
  })

  it('user enable of an enabled user that is disabled meanwhile leaves the state of the last event', async ({
    account,
  }) => {
    await account.runDuring('disable', 'enable')
    expect(await account.state()).toEqual([['user.disabled', 'user.enabled'], false])
  })

  it('two of user disable, or of user enable, write one event', async ({ account }) => {
    await account.runDuring('disable', 'disable')
    expect(await account.state()).toEqual([['user.disabled'], true])
    await account.runDuring('enable', 'enable')
    expect(await account.state()).toEqual([['user.disabled', 'user.enabled'], false])
  })

  it('a repeated command returns the same and writes no event', async ({ account }) => {
    const first = await account.run('disable')
    expect(await account.run('disable')).toEqual(first)
    await account.run('enable')
    await account.run('enable')
    expect(await account.state()).toEqual([['user.disabled', 'user.enabled'], false])
  })
})

describe('usher database set --webhook-url', () => {
  const url = 'https://app.example.com/events'
  const set = (usher: Operator, { path }: TestDatabase, to: string) =>
    usher.json(`database set ${path} --webhook-url ${to}`)

  /** Sets the webhook during a change by another command. Returns the output, and the row afterwards. */
  async function setDuring(
    usher: Operator,
    database: TestDatabase,
    data: { webhookUrl: string | null; sealedWebhookSecret: Uint8Array<ArrayBuffer> | null },
  ) {
    const { store } = usher
    const where = { id: database.id }
    const [running] = await store.prisma.$transaction(
      async (changing) => {
        await changing.database.updateMany({ where, data })
        const other = set(usher, database, `${url}/2`)
        await expect.poll(() => lockWaits(store), { timeout: 30_000 }).toBe(1)
        return [other]
      },
      { timeout: 40_000 },
    )
    return { output: await running, row: await store.prisma.database.findUniqueOrThrow({ where }) }
  }

  it('creates a secret if the webhook is removed meanwhile', async ({ usher, database }) => {
    const { webhookSecret: first } = await set(usher, database, url)
    const removed = { webhookUrl: null, sealedWebhookSecret: null }
    const { output, row } = await setDuring(usher, database, removed)
    expect(output.webhookSecret).toMatch(/^whsec_/)
    expect(output.webhookSecret).not.toBe(first)
    expect(row).toMatchObject({ webhookUrl: `${url}/2`, sealedWebhookSecret: expect.anything() })
  })

  it('keeps the secret of a webhook that is set meanwhile', async ({ usher, database }) => {
    const created = { webhookUrl: url, sealedWebhookSecret: new Uint8Array([1]) }
    const { output, row } = await setDuring(usher, database, created)
    expect(output.webhookSecret).toBeNull()
    expect(row).toMatchObject({ ...created, webhookUrl: `${url}/2` })
  })

  /** Stores an event that waits for the operator. */
  async function storeEvent({ store }: Operator, { id: databaseId }: TestDatabase, type: string) {
    const message = { databaseId, id: uuidv7(), kind: 'webhook', payload: { type }, createdAt: new Date() }
    await store.prisma.message.create({ data: { ...message, dueAt: null } })
  }

  /** Returns the types of the waiting events. */
  const waitingEvents = async (usher: Operator, { path }: TestDatabase) =>
    (await usher.rows(`outbox list ${path}`)).map(({ type }) => type)

  it('keeps the events of a webhook that is set while those of the former one are deleted', async ({
    usher,
    database,
  }) => {
    const { store } = usher
    const { id } = database
    await set(usher, database, url)
    await storeEvent(usher, database, 'former')
    const [removal] = await store.prisma.$transaction(
      async (reading) => {
        await reading.$queryRaw`SELECT 1 FROM usher.outbox WHERE database_id = ${id}::uuid FOR UPDATE`
        const running = set(usher, database, 'none')
        await expect.poll(() => lockWaits(store, '%DELETE FROM usher.outbox%'), { timeout: 30_000 }).toBe(1)
        await store.prisma.database.updateMany({ where: { id, webhookUrl: null }, data: { webhookUrl: url } })
        await storeEvent(usher, database, 'new')
        return [running]
      },
      { timeout: 40_000 },
    )
    await removal
    expect(await waitingEvents(usher, database)).toEqual(['new'])
  })

  it('deletes the events that an interrupted removal of the former webhook left', async ({
    usher,
    database,
  }) => {
    await storeEvent(usher, database, 'former')
    await set(usher, database, url)
    expect(await waitingEvents(usher, database)).toEqual([])
  })
})

it('usher database set --roles removes no role that is added and used meanwhile', async ({
  usher,
  database,
}) => {
  const { store } = usher
  const { id, path } = database
  const user = await database.signedUp()
  const { id: tenant } = await usher.json(`tenant create ${path} Engines`)
  await usher.json(`tenant add-user ${path} ${tenant} ${user.id}`)
  const [running] = await store.prisma.$transaction(
    async (changing) => {
      await changing.$queryRaw`SELECT 1 FROM usher.signing_key WHERE database_id = ${id}::uuid FOR UPDATE`
      await changing.database.updateMany({ where: { id }, data: { roles: ['billing'] } })
      await changing.membership.updateMany({
        where: { databaseId: id, userId: user.id },
        data: { role: 'billing' },
      })
      const other = usher.outcome(`database set ${path} --roles viewer`)
      await expect.poll(() => lockWaits(store), { timeout: 30_000 }).toBe(1)
      return [other]
    },
    { timeout: 40_000 },
  )
  expect(await running).toMatch(/^4 usher: members .* have the role billing\. /)
  expect((await store.prisma.database.findUniqueOrThrow({ where: { id } })).roles).toEqual(['billing'])
})
