import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, vi } from 'vitest'
import { UnavailableError } from '../../server/store/errors.js'
import type { Store } from '../../server/store/store.js'
import { withOwnStore } from '../support/api.js'
import { startApp } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { startReceiver } from '../support/receiver.js'
import { startSmtp } from '../support/smtp.js'
import { storeBacklog } from './backlog.js'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('smtp', { scope: 'file' }, async ({ store: _ }, { onCleanup }) => {
    const smtp = await startSmtp()
    onCleanup(smtp.close)
    return smtp
  })
  .extend('receiver', { scope: 'file' }, async ({ store: _ }, { onCleanup }) => {
    const receiver = await startReceiver()
    onCleanup(receiver.close)
    return receiver
  })
  // A test may replace how the server runs its statements.
  .extend('statements', { scope: 'file' }, ({ store }) => ({ query: store.query }))
  // A server that never searches the store.
  .extend('server', { scope: 'file' }, async ({ store, statements, smtp }, { onCleanup }) => {
    const query: Store['query'] = (...statement) => statements.query(...statement)
    const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com', METRICS_PORT: '1' }
    const server = await startApp({ ...store, query }, settings, { intervals: { search: 3_600_000 } })
    onCleanup(server.close)
    return server
  })
  // The server, and a database that has an app and a webhook.
  .extend('usher', async ({ store, statements, server, smtp, receiver }, { onCleanup }) => {
    onCleanup(async () => {
      statements.query = store.query
      await store.prisma.message.deleteMany()
      await store.prisma.messageStream.deleteMany()
    })
    smtp.mails.splice(0)
    receiver.requests.splice(0)
    server.forgetLog()
    // Later than the streams of a backlog, which are due at the time of the store.
    server.clock.now = Date.now() + 60_000
    const database = await server.newDatabase()
    const { id: databaseId } = database
    await setDatabase(store, database, { webhookUrl: receiver.url, appUrl: 'https://app.example.com' })
    const totals = async () => {
      const text = String(await server.metrics?.getSingleMetricAsString('usher_messages_total'))
      const total = (channel: string, result: string) =>
        Number(text.match(`{channel="${channel}",result="${result}"} (\\d+)`)?.[1])
      return {
        mails: total('mail', 'delivered'),
        events: total('webhook', 'delivered'),
        expired: total('mail', 'expired'),
        failed: total('mail', 'failed') + total('webhook', 'failed'),
      }
    }
    const before = await totals()
    return {
      ...server,
      database,
      databaseId,
      /** Stores a mail that is due, by default a notice. */
      async storeMail(more: object = {}) {
        const now = new Date(server.clock.now)
        const notice = { payload: { type: 'password_changed' }, recipient: 'ada@example.com' }
        const id = randomUUID()
        await store.prisma.message.create({
          data: { databaseId, id, kind: 'mail', createdAt: now, dueAt: now, ...notice, ...more },
        })
        return id
      },
      deliver: (kind?: string) => server.context.deliver([{ databaseId, ...(kind && { kind }) }]),
      messages: () => store.prisma.message.findMany({ where: { databaseId } }),
      streams: () => store.prisma.messageStream.findMany({ where: { databaseId } }),
      /** Returns what this test has added to the metrics. */
      async counts() {
        const { mails, events, expired, failed } = await totals()
        return {
          mails: mails - before.mails,
          events: events - before.events,
          expired: expired - before.expired,
          failed: failed - before.failed,
        }
      },
    }
  })

/** Waits until a check passes. */
const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 5 })

it('delivers all messages that are due after one call, although a pass delivers only some', async ({
  store,
  usher,
  smtp,
  receiver,
}) => {
  for (let count = 0; count < 5; count++) await usher.storeMail()
  await storeBacklog(store, { databaseIds: [usher.databaseId], users: 5, eventsOfUser: 2 })
  usher.deliver()
  await eventually(async () => expect(await usher.messages()).toEqual([]))
  expect([smtp.mails.length, receiver.requests.length]).toEqual([5, 10])
  expect(await usher.counts()).toEqual({ mails: 5, events: 10, expired: 0, failed: 0 })
})

it('delivers an event behind streams that are empty or whose first event is not due', async ({
  store,
  statements,
  usher,
  receiver,
}) => {
  const { databaseId } = usher
  await storeBacklog(store, { databaseIds: [databaseId], users: 3, eventsOfUser: 1 })
  const [due, later, waiting] = await usher.messages()
  const hour = new Date(usher.clock.now + 3_600_000)
  await store.prisma.message.updateMany({ where: { id: later?.id }, data: { dueAt: hour } })
  await store.prisma.message.updateMany({ where: { id: waiting?.id }, data: { dueAt: null } })
  // A pass claims some new streams and some that have failed.
  await store.prisma.messageStream.updateMany({ data: { hasFailed: true } })
  const empty = Array.from({ length: 6 }, () => ({ databaseId, id: randomUUID(), dueAt: new Date(0) }))
  await store.prisma.messageStream.createMany({ data: empty })
  const ended: unknown[] = []
  statements.query = (text, values, milliseconds) => {
    if (/^\s*DELETE FROM usher.outbox_stream/.test(text)) ended.push(values[1])
    return store.query(text, values, milliseconds)
  }
  usher.deliver()
  const tomorrow = new Date(usher.clock.now + 86_400_000)
  await eventually(async () => {
    const streams = (await usher.streams()).map(({ id, dueAt }) => [id, dueAt])
    expect(new Map(streams as [string, Date][])).toEqual(
      new Map([
        [String(later?.userId), hour],
        [String(waiting?.userId), tomorrow],
      ]),
    )
  })
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([due?.id])
  expect(ended.sort()).toEqual(empty.map(({ id }) => id).sort())
})

it('looks again after a day at the stream of an event that waits for the operator', async ({
  store,
  usher,
  receiver,
}) => {
  const { answer } = receiver
  onTestFinished(() => {
    receiver.answer = answer
  })
  receiver.answer = (response) => response.writeHead(500).end()
  await storeBacklog(store, { databaseIds: [usher.databaseId], users: 1, eventsOfUser: 1 })
  await store.prisma.message.updateMany({ data: { attempts: 18 } })
  usher.deliver('webhook')
  await eventually(async () =>
    expect(await usher.messages()).toMatchObject([{ lastError: 'status 500', dueAt: null }]),
  )
  const dueAt = new Date(usher.clock.now + 86_400_000)
  expect(await usher.streams()).toMatchObject([{ dueAt }])
  expect(await usher.counts()).toMatchObject({ events: 0, failed: 1 })
})

it('an event whose webhook is removed while it is delivered counts as delivered', async ({
  store,
  usher,
  receiver,
}) => {
  await storeBacklog(store, { databaseIds: [usher.databaseId], users: 1, eventsOfUser: 1 })
  await store.prisma.database.update({ where: { id: usher.databaseId }, data: { webhookUrl: null } })
  usher.deliver('webhook')
  await eventually(async () => expect(await usher.messages()).toEqual([]))
  expect(receiver.requests).toEqual([])
  expect(await usher.counts()).toMatchObject({ events: 1, failed: 0 })
})

it.for([
  ['webhook', [0, 1], { kind: 'mail', attempts: 0 }],
  ['mail', [1, 0], { kind: 'webhook', attempts: 0 }],
] as const)(
  'delivers only messages of the kind %s if a caller names it',
  async ([kind, received, left], { store, usher, smtp, receiver }) => {
    await usher.storeMail()
    await storeBacklog(store, { databaseIds: [usher.databaseId], users: 1, eventsOfUser: 1 })
    usher.deliver(kind)
    await eventually(async () => expect(await usher.messages()).toMatchObject([left]))
    expect([smtp.mails.length, receiver.requests.length]).toEqual(received)
  },
)

it.for([
  ['a claim', /kind = 'mail' AND due_at/, 'messages were not claimed'],
  ['the read of a database', /SELECT app_url AS/, 'messages were not delivered'],
  ['the deletion of a mail', /^DELETE FROM usher.outbox WHERE/, 'the result of a delivery was not stored'],
] as const)(
  'logs the error of %s, unless the store is unavailable',
  async ([, pattern, message], { store, statements, usher }) => {
    let failures = 0
    let error: Error = new UnavailableError('away')
    statements.query = async (text, values, milliseconds) => {
      if (!pattern.test(text)) return store.query(text, values, milliseconds)
      failures += 1
      throw error
    }
    await usher.storeMail()
    const failsAgain = async () => {
      const before = failures
      // After the end of a claim.
      usher.clock.now += 60_000
      usher.deliver('mail')
      await eventually(() => expect(failures).toBe(before + 1))
    }
    // A pass of a database begins after the end of the previous one.
    for (let pass = 0; pass < 3; pass++) await failsAgain()
    expect(usher.logged()).not.toContain(message)
    error = new TypeError('unexpected')
    for (let pass = 0; pass < 2; pass++) await failsAgain()
    expect(usher.logged()).toContain(`"msg":"${message}"`)
    expect(await usher.messages()).toHaveLength(1)
  },
)

it('does not send a mail that another server has claimed meanwhile', async ({
  store,
  statements,
  usher,
  smtp,
}) => {
  const id = await usher.storeMail()
  statements.query = async (text, values, milliseconds) => {
    if (text.includes('attempts = attempts + 1'))
      await store.prisma.message.updateMany({ where: { id }, data: { attempts: 7, dueAt: null } })
    return store.query(text, values, milliseconds)
  }
  usher.deliver('mail')
  await eventually(async () => expect(await usher.messages()).toMatchObject([{ attempts: 7 }]))
  await usher.storeMail({ recipient: 'grace@example.com' })
  usher.deliver('mail')
  await eventually(async () => expect(await usher.messages()).toMatchObject([{ id, attempts: 7 }]))
  expect(smtp.mails).toMatchObject([{ recipients: ['grace@example.com'] }])
  expect(await usher.counts()).toMatchObject({ mails: 1, expired: 0 })
})

it('logs that a mail is not retried if its code expires at the time of the retry', async ({
  usher,
  smtp,
}) => {
  smtp.refusal = new Error('mailbox unavailable')
  onTestFinished(() => {
    smtp.refusal = undefined
  })
  const storeCode = async (milliseconds: number) => {
    const { id: userId } = await usher.database.signedUp()
    const createdAt = new Date(usher.clock.now - 3_600_000 + milliseconds)
    return usher.storeMail({ userId, createdAt, payload: { type: 'password_reset' }, recipient: null })
  }
  // The first retry is after a second.
  const last = await storeCode(1_000)
  await storeCode(1_001)
  usher.deliver('mail')
  await eventually(async () =>
    expect(await usher.messages()).toMatchObject(Array(2).fill({ lastError: 'SMTP EENVELOPE 550' })),
  )
  // A pass begins after the end of the previous one, which has logged.
  await usher.storeMail()
  usher.deliver('mail')
  await eventually(async () => expect(await usher.counts()).toMatchObject({ mails: 0, failed: 3 }))
  const logged = usher
    .logged()
    .match(/"message":"\S{36}","reason":"\S+ \S+ 550".*"a message is not retried"/g)
  expect(logged).toEqual([expect.stringContaining(last)])
})

it('counts a mail as too old when its code expires at the time of the delivery', async ({ usher, smtp }) => {
  const { id: userId } = await usher.database.signedUp({ email: 'ada@example.com' })
  const reset = { payload: { type: 'password_reset' }, recipient: null }
  const expiring = { ...reset, createdAt: new Date(usher.clock.now - 3_600_000) }
  const ofUser = await usher.storeMail({ ...expiring, userId })
  // Such a mail is stored for an address without user, so that the response takes as long.
  await usher.storeMail(expiring)
  await usher.storeMail({ ...reset, userId, createdAt: new Date(usher.clock.now - 3_599_999) })
  usher.deliver('mail')
  await eventually(async () => expect(await usher.messages()).toEqual([]))
  expect(smtp.mails).toHaveLength(1)
  expect(await usher.counts()).toEqual({ mails: 2, events: 1, expired: 1, failed: 0 })
  expect(usher.logged().match(/"message":"\S{36}","msg":"a mail was not sent[^"]*"/g)).toEqual([
    expect.stringContaining(ofUser),
  ])
})

it.for(['of_a_later_version', 'toString'])(
  'keeps the mail %s, which this version does not know',
  async (type, { usher }) => {
    await usher.storeMail({ payload: { type } })
    usher.deliver('mail')
    await eventually(async () =>
      expect(await usher.messages()).toMatchObject([
        { lastError: `this version does not know the mail ${type}` },
      ]),
    )
  },
)

it('sends a notice to its address, or to that of its user, in NFC', async ({ store, usher, smtp }) => {
  const { id: userId } = await usher.database.signedUp()
  // Earlier versions stored addresses as entered.
  const data = { email: 'e\u0301va@example.com' }
  await store.prisma.user.updateMany({ where: { databaseId: usher.databaseId }, data })
  await usher.storeMail({ userId, recipient: 'zoe\u0301@example.com' })
  await usher.storeMail({ userId, recipient: null })
  await usher.storeMail({ userId: randomUUID(), recipient: null })
  await usher.storeMail({ userId: null, recipient: null })
  const code = { payload: { type: 'password_reset' }, recipient: null }
  await usher.storeMail({ userId, ...code })
  usher.deliver('mail')
  await eventually(async () => expect(await usher.messages()).toEqual([]))
  expect(smtp.mails.map(({ recipients, parsed }) => [recipients, parsed.subject]).sort()).toEqual([
    [['zo\u00e9@example.com'], 'Your password was changed'],
    [['\u00e9va@example.com'], 'Choose a new password'],
    [['\u00e9va@example.com'], 'Your password was changed'],
  ])
})

it('keeps a mail with a link while the database has no app URL', async ({ store, usher, smtp }) => {
  await setDatabase(store, usher.database, { appUrl: null })
  const { id: userId } = await usher.database.signedUp()
  await usher.storeMail({ userId, recipient: null, payload: { type: 'password_reset' } })
  await usher.storeMail({ payload: { type: 'email_change_undo' } })
  usher.deliver('mail')
  await eventually(async () =>
    expect(await usher.messages()).toMatchObject(Array(2).fill({ lastError: 'the database has no app URL' })),
  )
  expect(smtp.mails).toEqual([])
})
