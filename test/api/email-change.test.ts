import { describe, expect, vi } from 'vitest'
import { shownTime } from '../../server/domain/mail/languages.js'
import { findDatabase } from '../../server/domain/management/databases.js'
import { createImport } from '../../server/domain/management/users/import-lines.js'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { addUser } from '../../server/domain/users/add-user.js'
import { deleteAllRows } from '../../server/store/queries/delete-database.js'
import { listUsersByPrefix } from '../../server/store/queries/managed-user.js'
import { listUsersToExport } from '../../server/store/queries/management/export-users.js'
import { listAccountRows } from '../../server/store/queries/management/users.js'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { newPassword, outcome } from '../support/codes.js'
import {
  changeFields,
  deleteUser,
  disableUser,
  enableUser,
  runAsOperator,
  setDatabase,
} from '../support/operator-changes.js'
import { ada, it, next, subjects } from './email-change.js'

const invalid = [400, 'code_invalid']
const taken = [409, 'email_taken']
const wrong = [401, 'invalid_credentials']
const hour = 3_600_000
const day = 24 * hour

describe('a change of the address', () => {
  it('changes it with the code in the mail to the new one, and ends sessions and codes', async ({
    app,
    address,
  }) => {
    const session = await app.opened({ email: ada })
    const resetCode = await address.resetCode(ada)
    const requested = await address.request(session.token.jwt, 'Ada@Engines.example')
    expect([requested.statusCode, requested.json()]).toEqual([202, {}])
    const code = await address.codeTo('Ada@Engines.example', 'change-email')
    const notice = await address.mailTo(ada, 2)
    expect(notice.parsed).toMatchObject({ subject: 'A new email address was requested' })
    const time = shownTime(new Date(app.clock.now), 'en')
    expect(notice.parsed.text).toContain(`On ${time}, someone who knows your password requested`)
    expect(notice.source).not.toMatch(/#code=|engines/i)

    const changed = await address.confirm(code)
    app.clock.now += 2_000
    expect([changed.statusCode, changed.json()]).toEqual([200, { email: 'Ada@Engines.example' }])
    expect(outcome(await app.me(session.token.jwt))).toEqual([401, 'token_invalid'])
    expect(outcome(await app.refresh(session.refreshToken.value))).toEqual([401, 'session_ended'])
    expect(outcome(await app.reset(resetCode))).toEqual(invalid)
    expect(outcome(await address.confirm(code))).toEqual(invalid)
    expect(outcome(await app.login({ email: ada, password }))).toEqual(wrong)
    const me = await app.me(await address.loggedIn(next))
    expect(me.json()).toMatchObject({ id: session.id, email: 'Ada@Engines.example', emailVerified: true })
    await app.delivered()
    expect(subjects(address.mailsTo(ada))).toEqual([
      'Choose a new password',
      'A new email address was requested',
      'Your email address was changed',
    ])
    expect(subjects(address.mailsTo('Ada@Engines.example'))).toEqual([
      'Confirm your new email address',
      'Your email address was changed',
    ])
  })

  it('needs the password and an address', async ({ app, address }) => {
    const { token } = await app.signedUp({ email: ada })
    const wrong = await address.request(token.jwt, next, 'wrong password')
    expect(wrong.json().errors).toMatchObject([{ path: 'password', code: 'password_wrong' }])
    expect(outcome(await address.request(token.jwt, 'no address'))).toEqual([400, 'validation_failed'])
    expect(await app.messages()).toEqual([])
  })

  it('has a code that is valid for one hour, and that a newer request replaces', async ({ app, address }) => {
    const { token } = await app.signedUp({ email: ada })
    const first = await address.requested(token.jwt, next)
    const second = await address.requested(token.jwt, 'lovelace@example.com')
    expect(outcome(await address.confirm(first))).toEqual(invalid)
    app.clock.now += hour
    expect(outcome(await address.confirm(second))).toEqual(invalid)
  })

  it.for([
    ['a reset of the password', 'reset'],
    ['a change of the password', 'password'],
    ['a log-out everywhere', 'sessions'],
    ['a deletion', 'deletion'],
    ['disabling', 'disable'],
  ] as const)('is cancelled by %s', async ([, by], { app, address, usher }) => {
    const { token, id } = await app.signedUp({ email: ada })
    const code = await address.requested(token.jwt, next)
    const as = (method: 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
      app.as(token.jwt, method, path, body)
    const cancel = {
      reset: async () => app.reset(await address.resetCode(ada)),
      password: () => as('PUT', 'me/password', { password, newPassword }),
      sessions: () => as('DELETE', 'me/sessions'),
      deletion: () => as('POST', 'me/deletion', { password }),
      disable: async () => {
        await disableUser({ store: usher.store, now: new Date(app.clock.now) }, app, id)
        return { statusCode: 200 }
      },
    }
    expect((await cancel[by]()).statusCode).toBeLessThan(300)
    expect(outcome(await address.confirm(code))).toEqual(invalid)
  })

  it('sends a mail without a code to an address that is taken', async ({ app, address }) => {
    await app.signedUp({ email: next })
    const { token } = await app.signedUp({ email: ada })
    const free = await address.request(token.jwt, 'free@example.com')
    const response = await address.request(token.jwt, next)
    expect([response.statusCode, response.body]).toEqual([free.statusCode, free.body])
    const mail = await address.mailTo(next)
    expect(mail.parsed.subject).toBe('Your email address is already in use')
    expect(mail.source).not.toMatch(/code=|ada@example/)
  })

  it('runs the same statements for a free, a taken and the own address', async ({ app, address, usher }) => {
    await app.signedUp({ email: next })
    const { token } = await app.signedUp({ email: ada })
    const { store } = usher.context
    const { query, transaction } = store
    const statementsOf = async (email: string) => {
      const texts: string[] = []
      const record = (text: string) => {
        // Without the statements of the delivery, which runs at the same time.
        if (/outbox \(|code_request|INSERT INTO usher.code|email_key = \$2|FOR SHARE/.test(text))
          texts.push(text)
      }
      const deliver = vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
      const spies = [
        deliver,
        vi.spyOn(store, 'query').mockImplementation((text, ...more) => {
          record(text)
          return query(text, ...more)
        }),
        vi.spyOn(store, 'transaction').mockImplementation((databaseId, work) =>
          transaction(databaseId, (inner) =>
            work((text, values) => {
              record(text)
              return inner(text, values)
            }),
          ),
        ),
      ]
      const { statusCode, body } = await address.request(token.jwt, email)
      for (const spy of spies) spy.mockRestore()
      return { statusCode, body, texts }
    }
    const free = await statementsOf('free@example.com')
    expect(free.texts).not.toEqual([])
    expect(await statementsOf(next)).toEqual(free)
    expect(await statementsOf(ada)).toEqual(free)
  })

  it('returns email_taken if another user has taken the address since, and keeps the code', async ({
    app,
    address,
    usher,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    const code = await address.requested(token.jwt, next)
    const { id } = await app.signedUp({ email: next })
    expect(outcome(await address.confirm(code))).toEqual(taken)
    expect((await app.me(token.jwt)).json().email).toBe(ada)
    await usher.store.prisma.user.deleteMany({ where: { databaseId: app.id, id } })
    expect((await address.confirm(code)).statusCode).toBe(200)
  })

  it('to the own address in another spelling verifies it only once, and reserves nothing', async ({
    app,
    address,
    usher,
  }) => {
    await app.signedUp({ email: ada })
    const audited = async (email: string) => {
      const code = await address.requested(await address.loggedIn(ada), email)
      usher.forgetLog()
      expect((await address.confirm(code)).json()).toEqual({ email })
      app.clock.now += 120_000
      return auditRecords(usher).map(({ audit }) => audit)
    }
    expect(await audited('Ada@Example.com')).toEqual(['user.email_changed', 'user.email_verified'])
    const me = await app.me(await address.loggedIn(ada))
    expect(me.json()).toMatchObject({ email: 'Ada@Example.com', emailVerified: true })
    expect(await audited('ADA@Example.com')).toEqual(['user.email_changed'])
    expect(await address.rows()).toHaveLength(1)
    expect(await audited(next)).toEqual(['user.email_changed', 'user.email_verified'])
  })

  it('allows five requests an hour per user, and returns 429 for others', async ({ app, address, usher }) => {
    const { token } = await app.signedUp({ email: ada })
    const responses: Awaited<ReturnType<typeof address.request>>[] = []
    for (let n = 0; n < 7; n++) responses.push(await address.request(token.jwt, `ada-${n}@example.com`))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([...Array(5).fill(202), 429, 429])
    expect(responses[5]?.json().code).toBe('too_many_mails')
    expect(responses[5]?.headers['retry-after']).toBe('720')
    await app.delivered()
    expect(subjects(address.mailsTo(ada))).toHaveLength(5)
    expect(address.mailsTo('ada-5@example.com')).toEqual([])
    const throttled = usher.logged().match(/"audit":"mail.throttled".*"limit":"user"/g)
    expect(throttled).toHaveLength(2)
  })

  it('causes events and audit lines', async ({ app, address, usher }) => {
    await setDatabase(usher.store, app, { eventsKept: 7 })
    const { token, id } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    await address.undo(undoCode)
    const kept = await usher.store.prisma.keptEvent.findMany({
      where: { databaseId: app.id },
      orderBy: { storedAt: 'asc' },
    })
    const types = kept.map(({ payload }) => (payload as { type: string; userId: string }).type)
    expect(types.slice(1).sort()).toEqual([
      'user.email_change_undone',
      'user.email_changed',
      'user.email_verified',
      'user.email_verified',
    ])
    expect(JSON.stringify(kept)).not.toContain('@')
    const audited = auditRecords(usher).filter(({ userId }) => userId === id)
    expect(audited.map(({ audit }) => audit)).toEqual([
      'user.created',
      'email_change.requested',
      'user.email_changed',
      'user.email_verified',
      'user.email_change_undone',
      'user.email_verified',
    ])
  })
})

describe('a former address', () => {
  it('stays taken, and otherwise behaves like an address without account', async ({
    app,
    address,
    usher,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    await address.changed(token.jwt, ada, next)
    const [unknown, former] = [
      await app.login({ email: 'nobody@example.com', password }),
      await app.login({ email: ada, password }),
    ]
    expect(former.json()).toEqual({ ...unknown.json(), requestId: expect.any(String) })
    expect(outcome(await app.createUser({ email: ada, password }))).toEqual(taken)
    await app.delivered()
    const before = address.mailsTo(ada).length
    expect((await app.requestReset(ada)).statusCode).toBe(202)
    const other = await app.signedUp({ email: 'grace@example.com' })
    await address.request(other.token.jwt, ada)
    expect((await address.mailTo(ada, before + 1)).parsed.subject).toBe(
      'Your email address is already in use',
    )
    await app.delivered()
    expect(address.mailsTo(ada)).toHaveLength(before + 1)
    const failed = auditRecords(usher).filter(({ audit }) => audit === 'login.failed')
    expect(failed.at(-1)).toMatchObject({ account: expect.any(String) })
  })

  it('is in no list and no export, is not found by commands, and is not imported', async ({
    app,
    address,
    usher,
  }) => {
    const { token, id } = await app.signedUp({ email: ada })
    await address.changed(token.jwt, ada, next)
    const { store, context } = usher
    const emailsOf = (users: readonly { email: string }[]) => users.map(({ email }) => email)
    const page = { limit: 10 }
    const databaseId = app.id
    expect(emailsOf(await listAccountRows(store, { databaseId }, page))).toEqual([next])
    const disabled = await listAccountRows(store, { databaseId, isDisabled: true }, page)
    const found = await listUsersByPrefix(store, { databaseId, prefix: 'ada@' }, page)
    const exported = await listUsersToExport(store, { databaseId, withFactors: false }, page)
    expect([disabled, found, exported].map(emailsOf)).toEqual([[], [next], [next]])

    const reserved = (await address.rows()).find((row) => row.id !== id)
    const operation = { ...context, now: new Date(app.clock.now) }
    for (const userRef of [ada, reserved?.id ?? ''])
      await expect(enableUser(operation, app, userRef)).rejects.toMatchObject({ code: 'user_not_found' })
    const read = await context.findManagedUser(databaseId, { id: reserved?.id ?? '' })
    expect(read?.user).toBeUndefined()
    const created = runAsOperator(
      operation,
      app,
      await addUser(context, await findDatabase(store, app), { email: ada, externalId: 'ada' }),
    )
    await expect(created).rejects.toMatchObject({ code: 'email_taken' })
    const importLines = createImport(context, await context.findDatabase(app))
    const line = { number: 1, text: JSON.stringify({ email: ada }), bytes: 30 }
    expect(await (await importLines([line]))(store)).toMatchObject({
      lines: [{ status: 'rejected', userId: null, errors: [{ path: 'email' }] }],
    })
    expect(await deleteAllRows(store, databaseId)).toEqual({ users: 1, isComplete: true })
  })

  it('is not reported as signed up by a repeated sign-up with its Idempotency-Key', async ({
    app,
    address,
    usher,
  }) => {
    const payload = { email: ada, password }
    const signUp = (body: object = payload) =>
      usher.send({ method: 'POST', url: app.users, payload: body, headers: { 'idempotency-key': 'sign-up' } })
    const reused = [422, 'idempotency_key_reused']
    const { id, token } = (await signUp()).json()
    await address.confirm(await address.requested(token.jwt, 'Ada@Example.com'))
    expect((await signUp()).json()).toMatchObject({ id })

    const jwt = await address.loggedIn(ada)
    const undoCode = await address.changed(jwt, ada, next)
    expect(outcome(await signUp())).toEqual(reused)
    expect(outcome(await signUp({ ...payload, email: next }))).toEqual(reused)
    await address.undo(undoCode)
    expect(outcome(await signUp())).toEqual(reused)

    const operation = { store: usher.store, now: new Date(app.clock.now) }
    await changeFields(operation, app, id, { email: next, emailUndo: false })
    const other = await app.signedUp(payload)
    expect(other.id).not.toBe(id)
    expect(outcome(await signUp())).toEqual(reused)
  })

  it('is free after seven days, when the undo ends', async ({ app, address, usher }) => {
    const { token } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    const sweeping = {
      log: usher.app.log,
      stopped: new AbortController().signal,
      pause: async () => undefined,
    }
    app.clock.now += 7 * day - 60_000
    await sweepDatabase(usher.context, app.id, sweeping)
    expect(await address.rows()).toHaveLength(2)
    app.clock.now += day
    expect(outcome(await address.undo(undoCode))).toEqual(invalid)
    await sweepDatabase(usher.context, app.id, sweeping)
    expect(await address.rows()).toHaveLength(1)
    expect((await app.createUser({ email: ada, password })).statusCode).toBe(201)
  })

  it('is free when its user is deleted', async ({ app, address, usher }) => {
    const { token, id } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    await deleteUser({ ...usher.context, now: new Date(app.clock.now) }, app, id)
    expect(await address.rows()).toEqual([])
    expect(outcome(await address.undo(undoCode))).toEqual(invalid)
  })

  it('that was never verified is free at once, and gets a mail without a code', async ({ app, address }) => {
    const { token } = await app.signedUp({ email: ada })
    await address.confirm(await address.requested(token.jwt, next))
    const owner = await app.createUser({ email: ada, password })
    expect(owner.statusCode).toBe(201)
    await app.delivered()
    expect(subjects(address.mailsTo(ada))).toContain('Your email address was changed')
    for (const { source } of address.mailsTo(ada)) expect(source).not.toContain('code=')
  })

  it('that was never verified is free at once after a change by the operator', async ({ app, usher }) => {
    const { id } = await app.signedUp({ email: ada })
    const operation = { store: usher.store, now: new Date(app.clock.now) }
    await changeFields(operation, app, id, { email: next, emailUndo: true })
    expect((await app.createUser({ email: ada, password })).statusCode).toBe(201)
  })

  it('keeps the account from being deleted by its user until the undo ends', async ({ app, address }) => {
    const { token, id } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    const deletion = async (email: string) =>
      app.as(await address.loggedIn(email), 'POST', 'me/deletion', { password })
    const refused = await deletion(next)
    const end = new Date(app.clock.now - 2_000 + 7 * day).toISOString()
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'email_recently_changed',
      detail: expect.stringContaining(end),
    })
    // A reset at the new address does not end the undo.
    expect((await app.reset(await address.resetCode(next), password)).json().id).toBe(id)
    expect((await deletion(next)).statusCode).toBe(409)
    const before = address.mailsTo(ada).length
    expect((await address.undo(undoCode)).json()).toEqual({ email: ada })
    await app.reset(await address.codeTo(ada, 'reset-password', before), password)
    expect((await deletion(ada)).statusCode).toBe(204)
  })

  it('lets its user delete the account when the undo has ended', async ({ app, address }) => {
    const { token } = await app.signedUp({ email: ada })
    await address.changed(token.jwt, ada, next)
    app.clock.now += 7 * day
    const jwt = await address.loggedIn(next)
    expect((await app.as(jwt, 'POST', 'me/deletion', { password })).statusCode).toBe(204)
    expect(await address.rows()).toEqual([])
  })

  it('is named to the new one by the mail of a password reset, until the undo ends', async ({
    app,
    address,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    const end = shownTime(new Date(app.clock.now + 7 * day), 'en')
    const resetMail = async (email: string) => {
      await address.resetCode(email)
      return address.mailsTo(email).at(-1)?.parsed ?? expect.fail('no mail')
    }
    const before = await resetMail(ada)
    expect(`${before.text}${before.html}`).not.toContain('another address')
    await address.changed(token.jwt, ada, next)
    const mail = await resetMail(next)
    for (const text of [mail.text, mail.html?.replaceAll(/<.?bdi>/g, '')])
      expect(text).toContain(
        `The account had another address recently. Anyone who can read its mail can take the account back until ${end}.`,
      )
    app.clock.now += 7 * day
    const after = await resetMail(next)
    expect(`${after.text}${after.html}`).not.toContain('another address')
  })

  it('can be taken back by a change, which undoes the changes since and has no undo', async ({
    app,
    address,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    await address.changed(token.jwt, ada, next)
    const code = await address.requested(await address.loggedIn(next), ada)
    expect((await address.confirm(code)).json()).toEqual({ email: ada })
    expect(await address.rows()).toHaveLength(1)
    await app.delivered()
    const mail = address.mailsTo(next).at(-1)
    expect(mail?.parsed.subject).toBe('Your email address was changed')
    expect(mail?.source).not.toContain('code=')
  })
})

describe('an undo', () => {
  it('restores the address, removes the password, ends sessions and codes, and mails a reset', async ({
    app,
    address,
  }) => {
    const { token, id } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    const thief = (await app.login({ email: next, password })).json().token.jwt
    const resetCode = await address.resetCode(next)
    const pending = await address.requested(thief, 'third@example.com')
    const before = address.mailsTo(ada).length
    const undone = await address.undo(undoCode)
    expect([undone.statusCode, undone.json()]).toEqual([200, { email: ada }])
    expect(outcome(await app.me(thief))).toEqual([401, 'token_invalid'])
    expect(outcome(await app.reset(resetCode))).toEqual(invalid)
    expect(outcome(await address.confirm(pending))).toEqual(invalid)
    expect(outcome(await address.undo(undoCode))).toEqual(invalid)
    for (const email of [ada, next]) expect(outcome(await app.login({ email, password }))).toEqual(wrong)
    const reset = await app.reset(await address.codeTo(ada, 'reset-password', before))
    expect(reset.json().id).toBe(id)
    expect((await app.me(reset.json().token.jwt)).json()).toMatchObject({ email: ada, emailVerified: true })
    expect((await app.createUser({ email: next, password })).statusCode).toBe(201)
  })

  it('mails a reset that says why it is needed, and not that the password stays as it is', async ({
    app,
    address,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    const before = address.mailsTo(ada).length
    await address.undo(undoCode)
    await address.codeTo(ada, 'reset-password', before)
    const mail = address.mailsTo(ada).at(-1)
    expect(mail?.parsed.subject).toBe('Choose a new password')
    for (const text of [mail?.parsed.text, mail?.parsed.html?.replaceAll(/<.?bdi>/g, '')]) {
      expect(text).toContain(`Your Acme account has the address ${ada} again.`)
      expect(text).toContain('Your old password no longer works')
      expect(text).not.toMatch(/stays as it is|ignore this mail/)
    }
  })

  it('never enables a disabled user', async ({ app, address, usher }) => {
    const { token, id } = await app.signedUp({ email: ada })
    const undoCode = await address.changed(token.jwt, ada, next)
    await disableUser({ store: usher.store, now: new Date(app.clock.now) }, app, id)
    expect((await address.undo(undoCode)).json()).toEqual({ email: ada })
    await app.delivered()
    const [user] = await address.rows()
    expect(user).toMatchObject({ id, canonicalEmail: ada, disabledAt: expect.any(Date) })
    expect(subjects(address.mailsTo(ada))).not.toContain('Choose a new password')
  })

  it('is possible for a change back to an address that is no longer reserved, also before it is swept', async ({
    app,
    address,
  }) => {
    const { token } = await app.signedUp({ email: ada })
    await address.changed(token.jwt, ada, next)
    app.clock.now += 7 * 86_400_000
    const undoCode = await address.changed(await address.loggedIn(next), next, ada)
    expect((await address.undo(undoCode)).json()).toEqual({ email: next })
    expect(await address.rows()).toHaveLength(1)
  })

  it('of the earliest change wins over later ones', async ({ app, address }) => {
    const [b, c] = ['b@example.com', 'c@example.com']
    const { token } = await app.signedUp({ email: ada })
    const first = await address.changed(token.jwt, ada, b)
    const second = await address.changed(await address.loggedIn(b), b, c)
    expect(await address.rows()).toHaveLength(3)
    expect((await address.undo(second)).json()).toEqual({ email: b })
    expect((await address.undo(first)).json()).toEqual({ email: ada })
    expect(await address.rows()).toHaveLength(1)
  })

  it('of the earliest change ends the undo of later ones', async ({ app, address }) => {
    const [b, c] = ['b@example.com', 'c@example.com']
    const { token } = await app.signedUp({ email: ada })
    const first = await address.changed(token.jwt, ada, b)
    const second = await address.changed(await address.loggedIn(b), b, c)
    expect((await address.undo(first)).json()).toEqual({ email: ada })
    expect(outcome(await address.undo(second))).toEqual(invalid)
    expect(await address.rows()).toHaveLength(1)
  })

  it('is not possible with another code', async ({ app, address }) => {
    const { token } = await app.signedUp({ email: ada })
    await app.markVerified(ada)
    const change = await address.requested(token.jwt, next)
    expect(outcome(await address.undo(change))).toEqual(invalid)
    await address.confirm(change)
    const undoCode = await address.codeTo(ada, 'undo-email-change')
    const altered = undoCode.slice(0, -2) + (undoCode.at(-2) === 'A' ? 'B' : 'A') + undoCode.at(-1)
    expect(outcome(await address.undo(altered))).toEqual(invalid)
    expect(outcome(await address.confirm(undoCode))).toEqual(invalid)
    expect(outcome(await app.reset(undoCode))).toEqual(invalid)
    expect((await address.undo(undoCode)).statusCode).toBe(200)
  })
})
