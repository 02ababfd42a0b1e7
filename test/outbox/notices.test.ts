import { describe, expect, onTestFinished, vi } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { ada, it, next, subjects } from '../api/email-change.js'
import { password, startApp } from '../support/app.js'
import { elsewhere, newPassword, notices } from '../support/codes.js'
import {
  changeFields,
  changeMessages,
  deleteUser,
  removeFactors,
  setDatabase,
  setPassword,
} from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'
import { openTestStore } from '../support/store.js'

const day = 86_400_000

it('a changed password causes a notice without a code', async ({ app, address }) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await app.as(token.jwt, 'PUT', 'me/password', { password, newPassword })
  const mail = await address.mailTo(ada)
  expect(mail.parsed.subject).toBe('Your password was changed')
  const year = new Date(app.clock.now).getUTCFullYear()
  expect(mail.parsed.text).toMatch(`The password of your Acme account ${ada} was changed on `)
  expect(mail.parsed.text).toMatch(new RegExp(`, ${year} at \\d+:\\d\\d [AP]M UTC\\.`))
  expect(mail.parsed.text).toContain('Open Acme:\nhttps://app.example.com/start\n')
  expect(mail.source).not.toContain('code=')
})

it('a reset and a password by the operator cause a notice', async ({ app, address, usher }) => {
  const { id } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await app.reset(await address.resetCode(ada))
  await app.delivered()
  const operation = { ...usher.context, now: new Date(app.clock.now) }
  await setPassword(operation, app, { userRef: id, password: `another ${newPassword}` })
  usher.context.deliver([{ databaseId: app.id }])
  await address.mailTo(ada, 3)
  expect(subjects(address.mailsTo(ada))).toEqual([
    'Choose a new password',
    'Your password was changed',
    'Your password was changed',
  ])
})

it('factors that the operator removes cause one notice', async ({ app, address, usher }) => {
  const { token, id } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', {
    challenge,
    totp: totpAt(secret, app.clock.now),
  })
  await app.delivered()
  const operation = { ...usher.context, now: new Date(app.clock.now) }
  for (let times = 0; times < 2; times += 1) await removeFactors(operation, app, id)
  usher.context.deliver([{ databaseId: app.id }])
  await address.mailTo(ada, 2)
  await app.delivered()
  expect(subjects(address.mailsTo(ada))).toEqual(['A second factor was added', 'A second factor was removed'])
})

it('a deleted account causes a notice to its address, also by the operator', async ({
  app,
  address,
  usher,
}) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await app.as(token.jwt, 'POST', 'me/deletion', { password })
  expect((await address.mailTo(ada)).parsed.subject).toBe('Your account was deleted')
  const other = await app.signedUp({ email: next })
  await app.markVerified(next)
  const { context } = usher
  await deleteUser({ ...context, now: new Date(app.clock.now) }, app, other.id)
  context.deliver([{ databaseId: app.id }])
  expect((await address.mailTo(next)).parsed.subject).toBe('Your account was deleted')
})

it('a deletion by the operator also causes a notice to a former address that could undo the change', async ({
  app,
  address,
  usher,
}) => {
  const { token, id } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await address.changed(token.jwt, ada, next)
  await app.delivered()
  const { context } = usher
  await deleteUser({ ...context, now: new Date(app.clock.now) }, app, id)
  context.deliver([{ databaseId: app.id }])
  await app.delivered()
  for (const email of [ada, next])
    expect(
      subjects(address.mailsTo(email)).filter((each) => each === 'Your account was deleted'),
    ).toHaveLength(1)
})

it('a refresh token that is used after its successor causes a notice', async ({ app, address }) => {
  const { refreshToken } = await app.opened({ email: ada })
  await app.markVerified(ada)
  await app.refreshTwice(refreshToken.value)
  expect((await app.refresh(refreshToken.value)).statusCode).toBe(401)
  expect((await address.mailTo(ada)).parsed.subject).toBe('A session of your account has ended')
})

describe('a login from a new network', () => {
  const loginFrom = (remoteAddress: string) => (users: string, send: (request: object) => Promise<unknown>) =>
    send({ method: 'POST', url: `${users}/login`, payload: { email: ada, password }, remoteAddress })

  it('causes a notice if the setting is on, but not the first one after a sign-up', async ({
    app,
    address,
    usher,
  }) => {
    await setDatabase(usher.store, app, { noticeNewNetwork: true })
    await app.signedUp({ email: ada })
    await app.markVerified(ada)
    const send = (request: object) => usher.send(request as Parameters<typeof usher.send>[0])
    const [home, office] = [elsewhere(), '203.0.113.9']
    for (const network of [home, home, office, office]) await loginFrom(network)(app.users, send)
    expect((await address.mailTo(ada)).parsed.subject).toBe('Login from a new network')
    await app.delivered()
    expect(address.mailsTo(ada)).toHaveLength(1)
  })

  it('causes a notice for a user without known networks who signed up long ago', async ({
    app,
    address,
    usher,
  }) => {
    await setDatabase(usher.store, app, { noticeNewNetwork: true })
    await app.signedUp({ email: ada })
    await app.markVerified(ada)
    app.clock.now += 2 * day
    await app.login({ email: ada, password })
    expect((await address.mailTo(ada)).parsed.subject).toBe('Login from a new network')
  })

  it('causes none unless the setting is on', async ({ app, usher, smtp }) => {
    await app.signedUp({ email: ada })
    await app.markVerified(ada)
    app.clock.now += 2 * day
    const send = (request: object) => usher.send(request as Parameters<typeof usher.send>[0])
    for (const network of [elsewhere(), '203.0.113.10']) await loginFrom(network)(app.users, send)
    expect([await app.messages(), smtp.mails]).toEqual([[], []])
  })
})

it('an address that was never verified gets no notice, however often its account changes', async ({
  app,
  usher,
}) => {
  await setDatabase(usher.store, app, { noticeNewNetwork: true })
  // The store's clock decides which tokens a new password revokes.
  app.clock.now = Date.now()
  const deliver = vi.spyOn(usher.context, 'deliver')
  const operation = { ...usher.context, now: new Date(app.clock.now) }
  for (let account = 0; account < 2; account++) {
    let { token } = await app.signedUp({ email: ada })
    for (const [from, to] of [
      [password, newPassword],
      [newPassword, password],
    ]) {
      const changed = await app.as(token.jwt, 'PUT', 'me/password', { password: from, newPassword: to })
      token = changed.json().token
    }
    expect((await app.as(token.jwt, 'POST', 'me/deletion', { password })).statusCode).toBe(204)
  }
  const { id, refreshToken } = await app.opened({ email: ada })
  await app.refreshTwice(refreshToken.value)
  expect((await app.refresh(refreshToken.value)).statusCode).toBe(401)
  app.clock.now += 2 * day
  expect((await app.login({ email: ada, password })).statusCode).toBe(200)
  await setPassword(operation, app, { userRef: id, password: newPassword })
  await deleteUser(operation, app, id)
  expect(await app.messages()).toEqual([])
  expect(deliver.mock.calls.flat(2).filter(({ kind }) => kind === 'mail')).toEqual([])
  deliver.mockRestore()
})

it('no notice is sent if its setting is off', async ({ app, address, usher }) => {
  await setDatabase(usher.store, app, notices(false))
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await address.changed(token.jwt, ada, next)
  const jwt = await address.loggedIn(next)
  const changed = await app.as(jwt, 'PUT', 'me/password', { password, newPassword })
  await app.as(changed.json().token.jwt, 'POST', 'me/deletion', { password: newPassword })
  await app.delivered()
  expect(subjects(address.mailsTo(next))).toEqual(['Confirm your new email address'])
  expect(subjects(address.mailsTo(ada)).sort()).toEqual([
    'A new email address was requested',
    'Your email address was changed',
  ])
})

it('no notice is sent by a database without app URL', async ({ app, address, usher }) => {
  await setDatabase(usher.store, app, { appUrl: null })
  const { id } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  const operation = { ...usher.context, now: new Date(app.clock.now) }
  await setPassword(operation, app, { userRef: id, password: newPassword })
  await changeFields(operation, app, id, { email: next, emailUndo: true })
  expect(await address.rows()).toHaveLength(1)
  expect([await app.messages(), address.mailsTo(ada), address.mailsTo(next)]).toEqual([[], [], []])
})

it('a notice that cannot be sent waits for the operator, with its error', async ({
  app,
  address,
  usher,
  smtp,
}) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  smtp.refusal = new Error('mailbox unavailable')
  try {
    const changed = await app.as(token.jwt, 'PUT', 'me/password', { password, newPassword })
    expect(changed.statusCode).toBe(200)
    await vi.waitFor(async () => expect((await app.messages())[0]?.lastError).toMatch(/^SMTP /), 10_000)
    await usher.store.prisma.message.updateMany({
      where: { databaseId: app.id },
      data: { attempts: 18, dueAt: new Date(app.clock.now) },
    })
    usher.context.deliver([{ databaseId: app.id }])
    await vi.waitFor(async () => expect(await app.messages()).toMatchObject([{ dueAt: null }]), 10_000)
    expect(address.mailsTo(ada)).toEqual([])
    expect(usher.logged()).toMatch(/"reason":"SMTP [^"]*","msg":"a message is not retried"/)
  } finally {
    smtp.refusal = undefined
  }
})

it('metrics count a notice that waits for the operator, until it is retried', async ({ smtp }) => {
  // The metrics are those of the whole store.
  const store = await openTestStore('embedded')
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@acme.example', METRICS_PORT: '1' }
  const api = await startApp(store, settings, { intervals: { search: 20 } })
  smtp.refusal = new Error('mailbox unavailable')
  onTestFinished(async () => {
    smtp.refusal = undefined
    await api.close()
    await store.close()
  })
  const metric = async (name: string, labels: string) =>
    Number((await api.metrics?.getSingleMetricAsString(name))?.match(`{${labels}} (\\d+)`)?.[1])
  const notRetried = () => metric('usher_messages_not_retried', 'channel="mail"')
  await vi.waitFor(async () => expect(await notRetried()).toBe(0), 10_000)

  const database = await api.newDatabase()
  await setDatabase(store, database, { appUrl: 'https://app.example.com', ...notices(true) })
  const { token } = await database.signedUp({ email: ada })
  await database.markVerified(ada)
  await database.as(token.jwt, 'PUT', 'me/password', { password, newPassword })
  const failed = () => metric('usher_messages_total', 'channel="mail",result="failed"')
  await vi.waitFor(async () => expect(await failed()).toBeGreaterThan(0), 10_000)
  await store.prisma.message.updateMany({ data: { attempts: 18, dueAt: new Date(api.clock.now) } })
  await vi.waitFor(async () => expect(await notRetried()).toBe(1), 10_000)

  smtp.refusal = undefined
  const wanted = { type: 'outbox.retried', id: undefined } as const
  expect(await changeMessages({ store, now: new Date(api.clock.now) }, database, wanted)).toBe(1)
  await vi.waitFor(async () => expect(await notRetried()).toBe(0), 10_000)
  expect(await metric('usher_messages_total', 'channel="mail",result="delivered"')).toBe(1)
})

it('a notice that cannot be sent is deleted with its address after 30 days, and logged', async ({
  app,
  address,
  usher,
  smtp,
}) => {
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  smtp.refusal = new Error('mailbox unavailable')
  onTestFinished(() => {
    smtp.refusal = undefined
  })
  const deleted = await app.as(token.jwt, 'POST', 'me/deletion', { password })
  expect(deleted.statusCode).toBe(204)
  await vi.waitFor(async () => expect((await app.messages())[0]?.lastError).toMatch(/^SMTP /), 10_000)
  await usher.store.prisma.message.updateMany({ where: { databaseId: app.id }, data: { dueAt: null } })
  const log = usher.app.log
  const sweeping = { log, stopped: new AbortController().signal, pause: async () => undefined }
  const sweep = () => sweepDatabase(usher.context, app.id, sweeping)
  app.clock.now += 30 * day
  await sweep()
  expect(await app.messages()).toMatchObject([{ recipient: ada, payload: { type: 'account_deleted' } }])
  expect(usher.logged()).not.toContain('notices were deleted')
  app.clock.now += day
  await sweep()
  expect(await app.messages()).toEqual([])
  const [line = ''] = usher.logged().match(/.*notices were deleted.*/) ?? []
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    databaseId: app.id,
    notices: 1,
    msg: 'notices were deleted, because they could not be sent for 30 days',
  })
  expect(address.mailsTo(ada)).toEqual([])
})

describe('a change of the address by the operator', () => {
  it('sends the same mails and gives the same undo', async ({ app, address, usher }) => {
    const { id, token } = await app.signedUp({ email: ada })
    await app.markVerified(ada)
    await app.markVerified(ada)
    const operation = { store: usher.store, now: new Date(app.clock.now) }
    const events = await changeFields(operation, app, id, { email: next, emailUndo: true })
    expect(events).toEqual(['user.updated', 'user.email_changed'])
    expect((await app.me(token.jwt)).json()).toMatchObject({ email: next, emailVerified: false })
    usher.context.deliver([{ databaseId: app.id }])
    const undoCode = await address.codeTo(ada, 'undo-email-change')
    expect((await address.mailTo(next)).parsed.subject).toBe('Your email address was changed')
    expect((await address.undo(undoCode)).json()).toEqual({ email: ada })
  })

  it('without undo sends nothing to the former address, and ends the undo of earlier changes', async ({
    app,
    address,
    usher,
  }) => {
    const { token, id } = await app.signedUp({ email: ada })
    await app.markVerified(ada)
    const undoCode = await address.changed(token.jwt, ada, next)
    await app.delivered()
    const before = address.mailsTo(next).length
    const operation = { store: usher.store, now: new Date(app.clock.now) }
    const events = await changeFields(operation, app, id, { email: ada, emailUndo: false })
    expect(events).toEqual(['user.updated', 'user.email_changed', 'user.email_undo_ended'])
    usher.context.deliver([{ databaseId: app.id }])
    await app.delivered()
    expect(address.mailsTo(next)).toHaveLength(before)
    expect((await address.undo(undoCode)).statusCode).toBe(400)
    expect(await address.rows()).toHaveLength(1)
  })

  it('to an address that is reserved for another user is refused', async ({ app, address, usher }) => {
    const { token } = await app.signedUp({ email: ada })
    await app.markVerified(ada)
    await address.changed(token.jwt, ada, next)
    const other = await app.signedUp({ email: 'grace@example.com' })
    const operation = { store: usher.store, now: new Date(app.clock.now) }
    const work = changeFields(operation, app, other.id, { email: ada })
    await expect(work).rejects.toMatchObject({
      code: 'email_taken',
      message: expect.stringContaining(`${ada} is reserved in`),
    })
  })
})
