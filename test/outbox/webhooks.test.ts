import { Webhook } from 'standardwebhooks'
import { expect, vi } from 'vitest'
import { usualIntervals } from '../../server/domain/outbox/intervals.js'
import { password, type TestDatabase, validUser } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { lockWaits } from '../support/lock-waits.js'
import { it as base, type Operator } from '../support/operator.js'
import { type Receiver, startReceiver } from '../support/receiver.js'

const it = base
  .extend('receiver', async ({ usher: _ }, { onCleanup }) => {
    const receiver = await startReceiver()
    onCleanup(receiver.close)
    return receiver
  })
  // The secret of the database's webhook, which leads to the receiver.
  .extend('secret', async ({ usher, database, receiver }) => {
    const { webhookSecret } = await usher.json(`database set ${database.path} --webhook-url ${receiver.url}`)
    return String(webhookSecret)
  })

const typesOf = ({ requests }: Receiver) => requests.map(({ event }) => event.type)

/** Waits until the receiver has got a number of requests. */
const receives = (receiver: Receiver, count: number) =>
  vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(count), 15_000)

const messagesOf = ({ store }: Operator, { id: databaseId }: TestDatabase) =>
  store.prisma.message.findMany({ where: { databaseId }, orderBy: { id: 'asc' } })

/** Waits until the only message has failed a number of times, and returns it. */
const failed = (usher: Operator, database: TestDatabase, attempts: number) =>
  vi.waitFor(async () => {
    const [message] = await messagesOf(usher, database)
    expect(message).toMatchObject({ attempts, lastError: expect.any(String) })
    if (!message) throw new Error('no message')
    // Until the attempt ends, the message is claimed for a minute.
    expect(message.dueAt?.getTime()).not.toBe(usher.clock.now + 60_000)
    return message
  }, 15_000)

/** Waits until every message has been delivered. */
const delivered = (usher: Operator, database: TestDatabase) =>
  vi.waitFor(async () => expect(await messagesOf(usher, database)).toEqual([]), 15_000)

/** Delivers the messages that are due at a time. */
function deliverAt(usher: Operator, database: TestDatabase, time: number) {
  usher.clock.now = time
  usher.context.deliver([{ databaseId: database.id }])
}

it('a sign-up with a tenant sends three events in order, signed by Standard Webhooks', async ({
  usher,
  database,
  receiver,
  secret,
}) => {
  const { id, tenants } = await database.signedUp({ newTenant: 'Engines' })
  await receives(receiver, 3)
  const data = { databaseId: database.id, userId: id }
  const timestamp = new Date(usher.clock.now).toISOString()
  expect(receiver.requests.map(({ event }) => event)).toEqual([
    { type: 'user.created', timestamp, data },
    { type: 'tenant.created', timestamp, data: { ...data, tenantId: tenants[0] } },
    { type: 'tenant.user_added', timestamp, data: { ...data, tenantId: tenants[0] } },
  ])
  const webhook = new Webhook(secret)
  const other = new Webhook(`whsec_${'A'.repeat(43)}=`)
  for (const { method, body, headers, event } of receiver.requests) {
    expect(method).toBe('POST')
    expect(webhook.verify(body, headers)).toEqual(event)
    expect(() => webhook.verify(`${body} `, headers)).toThrow()
    expect(() => other.verify(body, headers)).toThrow()
  }
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  await delivered(usher, database)
})

it('a sign-up with an Idempotency-Key sends its events once, and a rejected sign-up sends none', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const user = validUser({ newTenant: 'Engines' })
  const create = (headers: Record<string, string> = {}) =>
    usher.send({ method: 'POST', url: database.users, payload: user, headers })
  const key = { 'idempotency-key': 'once' }
  expect([await create(key), await create(key), await create()].map(({ statusCode }) => statusCode)).toEqual([
    201, 201, 409,
  ])
  await delivered(usher, database)
  expect(typesOf(receiver)).toEqual(['user.created', 'tenant.created', 'tenant.user_added'])
})

it('each change of the command line sends its event once, with ids and without address or name', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const email = 'ada@example.com'
  const [tenantId = ''] = (await database.signedUp({ newTenant: 'Engines' })).tenants
  const { id: userId } = await database.signedUp({ email, preferredName: 'Ada' })
  await delivered(usher, database)
  receiver.requests.splice(0)
  const of = `${database.path} ${email}`
  const member = `${database.path} ${tenantId} ${email}`
  for (const change of [`user disable ${of}`, `user enable ${of}`, `tenant add-user ${member}`]) {
    await usher.json(change)
    await usher.json(change)
  }
  await usher.json(`tenant remove-user ${member}`)
  await usher.json(`user set-password ${of}`, 'another battery staple')
  await usher.json(`user revoke-tokens ${of}`)
  await usher.json(`user delete ${of} --yes`)
  usher.clock.now = Date.now()
  await receives(receiver, 6)
  await delivered(usher, database)
  const ofUser = { databaseId: database.id, userId }
  const ofTenant = { ...ofUser, tenantId }
  expect(receiver.requests.map(({ event: { type, data } }) => [type, data])).toEqual([
    ['user.disabled', ofUser],
    ['user.enabled', ofUser],
    ['tenant.user_added', ofTenant],
    ['tenant.user_removed', ofTenant],
    ['user.password_changed', ofUser],
    ['user.deleted', ofUser],
  ])
  expect(receiver.requests.map(({ body }) => body).join()).not.toMatch(/ada|engines/i)
})

it('users and tenants that the operator creates, and users of a deleted tenant, send events', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const { path } = database
  const { id: tenantId } = await usher.json(`tenant create ${path} Engines`)
  const create = async (email: string) =>
    (await usher.json(`user create ${path} ${email} --no-password --tenant ${tenantId}`)).id
  const users = [await create('ada@example.com'), await create('grace@example.com')]
  await usher.json(`tenant rename ${path} ${tenantId} Looms`)
  await usher.json(`tenant delete ${path} ${tenantId} --yes`)
  usher.clock.now = Date.now()
  await receives(receiver, 8)
  await delivered(usher, database)
  const eventsOf = (userId?: string) =>
    receiver.requests
      .map(({ event: { type, data } }) => ({ type, data }))
      .filter(({ data }) => data.userId === userId)
  const ofTenant = { databaseId: database.id, tenantId }
  // Only the events of a user have an order.
  const ofNobody = eventsOf(undefined)
  expect(ofNobody).toHaveLength(3)
  expect(ofNobody).toEqual(
    expect.arrayContaining([
      { type: 'tenant.created', data: ofTenant },
      { type: 'tenant.updated', data: ofTenant },
      { type: 'tenant.deleted', data: ofTenant },
    ]),
  )
  for (const userId of users) {
    expect(eventsOf(userId)).toEqual([
      { type: 'user.created', data: { databaseId: database.id, userId } },
      { type: 'tenant.user_added', data: { ...ofTenant, userId } },
      { type: 'tenant.user_removed', data: { ...ofTenant, userId } },
    ])
  }
})

it('each change by an account operation sends its event once', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const { id: userId, token, refreshToken } = await database.opened()
  const as = (method: 'PATCH' | 'POST' | 'PUT', path: string, body: object, jwt = token.jwt) =>
    database.as(jwt, method, path, body)
  await as('PATCH', 'me', { preferredName: 'Ada' })
  await as('PATCH', 'me', {})
  await database.refreshTwice(refreshToken.value)
  const statuses = [await database.refresh(refreshToken.value), await database.refresh(refreshToken.value)]
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([401, 401])
  const other = await database.login({
    email: (await usher.rows(`user list ${database.path}`))[0].email,
    password,
  })
  const newPassword = 'another battery staple'
  const change = { password, newPassword }
  const changed = await as('PUT', 'me/password', change, other.json().token.jwt)
  expect(changed.statusCode).toBe(200)
  expect((await as('PUT', 'me/password', change, changed.json().token.jwt)).statusCode).toBe(400)
  const leave = await as('POST', 'me/deletion', { password: newPassword }, changed.json().token.jwt)
  expect(leave.statusCode).toBe(204)
  await receives(receiver, 5)
  await delivered(usher, database)
  expect(typesOf(receiver)).toEqual([
    'user.created',
    'user.updated',
    'session.reuse_detected',
    'user.password_changed',
    'user.deleted',
  ])
  expect(new Set(receiver.requests.map(({ event }) => event.data.userId))).toEqual(new Set([userId]))
})

it.for([
  [
    'answers 500',
    'status 500',
    (receiver: Receiver) => {
      receiver.answer = (response) => response.writeHead(500).end('secret of the receiver')
    },
  ],
  [
    'redirects',
    'status 307',
    (receiver: Receiver) => {
      receiver.answer = (response) => response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end()
    },
  ],
  [
    'closes the connection',
    'ECONNRESET',
    (receiver: Receiver) => {
      receiver.answer = (response) => response.destroy()
    },
  ],
  [
    'does not answer',
    'no response within 0.05 s',
    (receiver: Receiver, { intervals }: Operator) => {
      intervals.webhook = 50
      receiver.answer = () => undefined
    },
  ],
] as const)(
  'a message is delivered again if the receiver %s',
  async ([, reason, fail], { usher, database, receiver, secret }) => {
    const answer = receiver.answer
    fail(receiver, usher)
    await database.signedUp()
    const { id, dueAt } = await failed(usher, database, 1)
    expect(await usher.rows(`outbox list ${database.path}`)).toEqual([
      expect.objectContaining({ id, lastError: reason, attempts: 1, kind: 'webhook' }),
    ])
    expect(dueAt).toEqual(new Date(usher.clock.now + 1_000))
    receiver.answer = answer
    usher.intervals.webhook = usualIntervals.webhook
    usher.context.deliver([{ databaseId: database.id }])
    deliverAt(usher, database, usher.clock.now + 1_000)
    await delivered(usher, database)
    const [first, second] = receiver.requests
    expect(receiver.requests.length).toBe(2)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    expect(() => new Webhook(secret).verify(second?.body ?? '', second?.headers ?? {})).not.toThrow()
  },
)

it('a response without end counts by its status, and its body is not read', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  let closed = false
  receiver.answer = (response) => {
    response.once('close', () => {
      closed = true
    })
    response.writeHead(200).write('x'.repeat(1_000_000))
  }
  await database.signedUp()
  await delivered(usher, database)
  await vi.waitFor(() => expect(closed).toBe(true), 10_000)
})

it('the events of a user wait for one that fails, and those of other users do not', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const ada = validUser({ email: 'ada@example.com' })
  receiver.answer = (response) => response.writeHead(503).end()
  const { id } = await database.signedUp(ada)
  await failed(usher, database, 1)
  await usher.json(`user disable ${database.path} ${id}`)
  await usher.json(`user enable ${database.path} ${id}`)
  receiver.answer = (response, { event }) => response.writeHead(event.data.userId === id ? 503 : 204).end()
  const other = await database.signedUp()
  await vi.waitFor(
    async () => expect((await messagesOf(usher, database)).map(({ userId }) => userId)).toEqual([id, id, id]),
    10_000,
  )
  receiver.requests.splice(0)
  receiver.answer = (response) => response.writeHead(204).end()
  deliverAt(usher, database, Date.now() + 3_600_000)
  await delivered(usher, database)
  expect(typesOf(receiver)).toEqual(['user.created', 'user.disabled', 'user.enabled'])
  expect(receiver.requests.some(({ event }) => event.data.userId === other.id)).toBe(false)
})

it('a message is tried for two and a half days, then waits for the operator, and is delivered after outbox retry', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  receiver.answer = (response) => response.writeHead(410).end()
  await database.signedUp()
  const begin = usher.clock.now
  const waits: number[] = []
  for (let attempts = 1; ; attempts++) {
    const { dueAt } = await failed(usher, database, attempts)
    if (!dueAt) break
    waits.push((dueAt.getTime() - usher.clock.now) / 1000)
    deliverAt(usher, database, dueAt.getTime())
  }
  expect(waits).toEqual([...Array.from({ length: 17 }, (_, index) => 2 ** index), 86_400])
  expect((usher.clock.now - begin) / 86_400_000).toBeCloseTo(2.5, 1)
  const [{ id }] = await usher.rows(`outbox list ${database.path} --not-retried`)
  expect(usher.logged()).toContain(`"message":"${id}","reason":"status 410"`)

  receiver.answer = (response) => response.writeHead(204).end()
  expect(await usher.outcome(`outbox retry ${database.path} --not-retried`)).toMatch(
    /^0 Messages to deliver again: 1\.\n.*"audit":"outbox.retried"/,
  )
  deliverAt(usher, database, usher.clock.now)
  await delivered(usher, database)
})

it('outbox drop deletes a message without delivering it', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  receiver.answer = (response) => response.writeHead(500).end()
  await database.signedUp()
  const { id } = await failed(usher, database, 1)
  const { stdout } = await usher.operator(`outbox list ${database.path}`)
  expect(stdout).toMatch(
    new RegExp(`^ID .*LAST ERROR\n${id}  webhook  user.created  1 {9}20.*Z  status 500\n$`),
  )
  expect((await usher.operator(`outbox drop ${database.path} ${id}`)).audited).toMatchObject([
    { audit: 'outbox.dropped', databaseId: database.id, message: id, messages: 1 },
  ])
  expect(await messagesOf(usher, database)).toEqual([])
  for (const verb of ['drop', 'retry']) {
    expect(await usher.outcome(`outbox ${verb} ${database.path} ${id}`)).toBe(
      `3 usher: message ${id} does not wait for delivery in this database\n`,
    )
    expect(await usher.outcome(`outbox ${verb} ${database.path}`)).toBe(
      '2 usher: either a message or --not-retried is required\n',
    )
  }
})

it('several servers deliver each message once if the receiver accepts it', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const others = await Promise.all([usher.otherServer(), usher.otherServer()])
  receiver.answer = (response) => response.writeHead(500).end()
  for (let count = 0; count < 40; count++) await database.signedUp()
  await vi.waitFor(async () => {
    const messages = await messagesOf(usher, database)
    expect(messages.every(({ lastError }) => lastError)).toBe(true)
  }, 15_000)
  receiver.answer = (response) => response.writeHead(204).end()
  receiver.requests.splice(0)
  const later = usher.clock.now + 3_600_000
  for (const server of [usher, ...others]) {
    server.clock.now = later
    server.context.deliver([{ databaseId: database.id }])
  }
  await delivered(usher, database)
  expect(receiver.requests.length).toBe(40)
  for (const server of others) await server.close()
})

it('a new secret signs all later events, and a removed webhook gets no waiting event', async ({
  usher,
  database,
  receiver,
  secret,
}) => {
  receiver.answer = (response) => response.writeHead(500).end()
  await database.signedUp()
  await failed(usher, database, 1)
  const set = `database set ${database.path}`
  const again = await usher.json(`${set} --webhook-url ${receiver.url}?again`)
  expect(again.webhookSecret).toBeNull()
  const { stdout } = await usher.operator(`${set} --new-webhook-secret`)
  const [, renewed = ''] =
    stdout.match(/\nSecret of the webhook. It is not shown again: (whsec_.{44})\n$/) ?? []
  expect(renewed).not.toBe(secret)
  deliverAt(usher, database, usher.clock.now + 1_000)
  await failed(usher, database, 2)
  const { body, headers } = receiver.requests.at(-1) ?? { body: '', headers: {} }
  expect(() => new Webhook(renewed).verify(body, headers)).not.toThrow()
  expect(() => new Webhook(secret).verify(body, headers)).toThrow()

  const count = receiver.requests.length
  expect((await usher.json(`${set} --webhook-url none`)).values.webhookUrl).toBeNull()
  deliverAt(usher, database, usher.clock.now + 10_000)
  await delivered(usher, database)
  expect(receiver.requests.length).toBe(count)
})

it('removing a webhook deletes the waiting events, so that a later webhook does not get them', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  receiver.answer = (response) => response.writeHead(500).end()
  await database.signedUp()
  const { id } = await failed(usher, database, 1)
  await usher.store.prisma.message.updateMany({ where: { id }, data: { dueAt: null } })
  await usher.json(`database set ${database.path} --webhook-url none`)
  await usher.json(`database set ${database.path} --webhook-url ${receiver.url}`)
  expect(await usher.rows(`outbox list ${database.path}`)).toEqual([])
})

it('the secret of a webhook is shown once, encrypted in the store and still readable after keys rewrap', async ({
  usher,
  database,
  receiver,
  secret,
}) => {
  const { audited } = await usher.operator(
    `database set ${database.path} --webhook-url ${receiver.url}?key=1`,
  )
  expect(audited).toMatchObject([{ settings: { webhookUrl: new URL(receiver.url).origin } }])
  const shown = [
    await usher.outcome(`database show ${database.path} --json`),
    await usher.outcome('database list --json'),
    await usher.outcome(`user export ${database.path}`),
  ].join()
  expect(shown).toContain(receiver.url)
  expect(shown).not.toContain(secret.slice(6))
  const masterKey = Buffer.alloc(32, 9)
  await usher.json(`database set ${database.path} --webhook-url ${receiver.url}`)
  const { code } = await usher.operator('keys rewrap', '', {
    USHER_NEW_MASTER_KEY: masterKey.toString('base64'),
  })
  expect(code).toBe(0)
  const server = await usher.otherServer(masterKey)
  await server.client(database.workspaceSlug, database.databaseName).signedUp()
  await receives(receiver, 1)
  const [{ body, headers } = { body: '', headers: {} }] = receiver.requests
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
  await server.close()
  const back = {
    USHER_MASTER_KEY: masterKey.toString('base64'),
    USHER_NEW_MASTER_KEY: usher.store.masterKey.toString('base64'),
  }
  expect((await usher.operator('keys rewrap', '', back)).code).toBe(0)
})

it.for([
  ['of another scheme', 'ftp://example.com/', 'be an http or https URL, or "none"'],
  ['that is empty', '', 'be an http or https URL, or "none"'],
  ['without a scheme', 'example.com', 'be an http or https URL, or "none"'],
  ['with a user name', 'https://ada@example.com/', 'have no user name, no password and no fragment'],
  ['with a password', 'https://:pass@example.com/', 'have no user name, no password and no fragment'],
  ['with a fragment', 'https://example.com/#code', 'have no user name, no password and no fragment'],
  ['that is too long', `https://example.com/${'a'.repeat(2_000)}`, 'have at most 2000 characters'],
] as const)('database set refuses a webhook URL %s', async ([, url, rule], { usher, database }) => {
  expect(await usher.outcome(`database set ${database.path} --webhook-url ${url}`)).toBe(
    `2 usher: --webhook-url must ${rule}\n`,
  )
})

it('database set refuses a new secret for a database without webhook', async ({ usher, database }) => {
  expect(await usher.outcome(`database set ${database.path} --new-webhook-secret`)).toBe(
    '1 usher: the database has no webhook. Also set --webhook-url\n',
  )
})

it('a database without webhook writes no message', async ({ usher, database }) => {
  const { id } = await database.signedUp({ newTenant: 'Engines' })
  await usher.json(`user set-password ${database.path} ${id}`, password)
  expect(await messagesOf(usher, database)).toEqual([])
})

it('deleting a database deletes its messages', async ({ usher, database, receiver, secret: _ }) => {
  receiver.answer = (response) => response.writeHead(500).end()
  await database.signedUp()
  await failed(usher, database, 1)
  await usher.json(`database delete ${database.path} --yes`)
  expect(await messagesOf(usher, database)).toEqual([])
})

it('a change of a name while a delivery to the same user fails is stored, as is the failure', async ({
  usher,
  database,
  receiver,
  secret: _,
}) => {
  const { store } = usher
  const { opened, open } = newGate()
  receiver.answer = async (response) => {
    await opened
    response.writeHead(500).end()
  }
  const { token } = await database.signedUp()
  await receives(receiver, 1)
  const waits = (count: number) => expect.poll(() => lockWaits(store), { timeout: 4_000 }).toBe(count)

  const [renaming] = await store.prisma.$transaction(
    async (holding) => {
      // Both transactions need the event and its stream. Each begins to wait with what it locks first.
      await holding.$queryRaw`SELECT FROM usher.outbox WHERE database_id = ${database.id}::uuid FOR UPDATE`
      open()
      await waits(1)
      const change = database.as(token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
      await waits(2)
      return [change]
    },
    { timeout: 20_000 },
  )
  expect((await renaming)?.statusCode).toBe(200)
  await vi.waitFor(
    async () => expect((await messagesOf(usher, database))[0]).toMatchObject({ lastError: 'status 500' }),
    10_000,
  )
})
