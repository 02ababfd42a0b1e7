import { decodeJwt } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, vi } from 'vitest'
import { deleteDatabase } from '../../server/domain/management/delete-database.js'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { appUrl, elsewhere, it, newPassword, outcome, undeletedMessage } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

const invalid = [400, 'code_invalid']
const minute = 60_000
const hour = 60 * minute

/** Returns a code with one changed character in its HMAC. */
const altered = (code: string) => code.slice(0, -2) + (code.at(-2) === 'A' ? 'B' : 'A') + code.at(-1)

it('tokens say whether the address is verified if the database requires it', async ({ usher, app }) => {
  await setDatabase(usher.store, app, { requireVerifiedEmail: true })
  const email = 'ada@example.com'
  const verified = ({ token }: { token: { jwt: string } }) => decodeJwt(token.jwt).email_verified
  const session = await app.opened({ email })
  const login = await app.login({ email, password })
  expect([verified(session), verified(login.json())]).toEqual([false, false])
  await app.verify(await app.verificationCode(session.token.jwt))
  const refreshed = await app.refresh(session.refreshToken.value)
  const laterLogin = await app.login({ email, password })
  expect([verified(refreshed.json()), verified(laterLogin.json())]).toEqual([true, true])
})

describe('password reset', () => {
  it('a reset sets the password, ends all sessions and tokens, and verifies the address', async ({
    app,
    usher,
  }) => {
    const email = 'Ada@example.com'
    // The clock of the app must agree with the clock of the store, which also decides which tokens are rejected.
    app.clock.now = Date.now()
    const session = await app.opened({ email, newTenant: 'Engines' })
    usher.forgetLog()
    const response = await app.requestReset('ada@EXAMPLE.com')
    expect([response.statusCode, response.json()]).toEqual([202, {}])
    const [mail] = await app.delivered()
    expect(mail?.recipients).toEqual([email])
    expect(mail?.parsed).toMatchObject({
      subject: 'Choose a new password',
      from: { name: 'Acme', address: 'accounts@acme.example' },
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@acme\.example>$/),
    })
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    const code = codeIn(mail as ReceivedMail)
    const link = `${appUrl}/reset-password#code=${code}`
    expect(mail?.parsed.text).toContain(`\n${link}\n`)
    expect(mail?.parsed.html).toContain(`<a href="${link}" `)

    app.clock.now += 2_000
    const reset = await app.reset(code)
    expect(reset.statusCode).toBe(200)
    expect(reset.json()).toEqual({
      id: session.id,
      tenants: session.tenants,
      token: { jwt: expect.any(String), maxAge: 3600, type: 'ACCESS_TOKEN' },
    })
    const ofUser = { databaseId: app.id, userId: session.id }
    expect(auditRecords(usher)).toMatchObject([
      { audit: 'password_reset.requested', ...ofUser },
      { audit: 'user.password_reset', ...ofUser },
      { audit: 'user.reclaimed', ...ofUser },
      { audit: 'user.email_verified', ...ofUser },
    ])
    const me = await app.me(reset.json().token.jwt)
    expect(me.json()).toMatchObject({ email, emailVerified: true })
    expect(outcome(await app.me(session.token.jwt))).toEqual([401, 'token_invalid'])
    expect(outcome(await app.refresh(session.refreshToken.value))).toEqual([401, 'session_ended'])
    expect(outcome(await app.login({ email, password }))).toEqual([401, 'invalid_credentials'])
    expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
    expect(outcome(await app.reset(code))).toEqual(invalid)
  })

  it('a reset of a verified address is no verification', async ({ app, usher }) => {
    const email = 'ada@example.com'
    const { id } = await app.signedUp({ email })
    await usher.store.prisma.user.updateMany({ where: { id }, data: { emailVerifiedAt: new Date(0) } })
    const code = await app.resetCode(email)
    usher.forgetLog()
    expect((await app.reset(code)).statusCode).toBe(200)
    expect(auditRecords(usher)).toMatchObject([{ audit: 'user.password_reset', userId: id }])
  })

  it('a reset clears the failed logins of the account', async ({ app }) => {
    const email = 'ada@example.com'
    await app.signedUp({ email })
    const fail = () => app.login({ email, password: 'wrong password' })
    for (let count = 0; count < 6; count++) await fail()
    expect(outcome(await app.login({ email, password }))).toEqual([429, 'too_many_attempts'])
    await app.reset(await app.resetCode(email))
    expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
  })

  it('a reset succeeds if the failed logins cannot be cleared after it', async ({ app, usher }) => {
    const email = 'ada@example.com'
    await app.signedUp({ email })
    const code = await app.resetCode(email)
    vi.spyOn(usher.context.throttle, 'unlock').mockRejectedValue(
      new Error('Connection terminated unexpectedly'),
    )
    usher.forgetLog()
    expect((await app.reset(code)).statusCode).toBe(200)
    expect(usher.logged()).toContain('failed logins were not cleared')
    expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
  })

  it('a request for an unknown address or a disabled user has the same response and sends nothing', async ({
    app,
    usher,
    smtp,
  }) => {
    const { id } = await app.signedUp({ email: 'ada@example.com' })
    const known = await app.requestReset('ada@example.com')
    await app.delivered()
    smtp.mails.splice(0)
    await usher.store.prisma.user.updateMany({
      where: { databaseId: app.id, id },
      data: { disabledAt: new Date() },
    })
    app.clock.now += 2 * minute
    for (const email of ['nobody@example.com', 'ada@example.com']) {
      const response = await app.requestReset(email)
      expect([response.statusCode, response.body]).toEqual([known.statusCode, known.body])
      expect(Object.keys(response.headers)).toEqual(Object.keys(known.headers))
    }
    expect(await app.delivered()).toEqual([])
  })

  it('a request for an unknown address runs the same statements', async ({ app, usher }) => {
    await app.signedUp({ email: 'ada@example.com' })
    await app.requestReset('first@example.com')
    await app.delivered()
    const { store } = usher.context
    const { transaction } = store
    const deliver = vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
    const statementsOf = async (email: string) => {
      const texts: string[] = []
      const watched = vi.spyOn(store, 'transaction').mockImplementationOnce((databaseId, work) =>
        transaction(databaseId, (query) =>
          work((text, values) => {
            texts.push(text)
            return query(text, values)
          }),
        ),
      )
      await app.requestReset(email)
      watched.mockRestore()
      // The server also searches for due messages. This one is not due yet.
      app.clock.now -= hour
      return texts
    }
    const known = await statementsOf('ada@example.com')
    expect(known).toHaveLength(3)
    expect(await statementsOf('nobody@example.com')).toEqual(known)
    deliver.mockRestore()
    app.clock.now += 2 * hour
    usher.context.deliver([{ databaseId: app.id }])
    expect(await app.delivered()).toHaveLength(1)
  })

  it('a request that could not be stored can be repeated immediately', async ({ app, usher }) => {
    const email = 'ada@example.com'
    await app.signedUp({ email })
    const from = elsewhere()
    const { transaction } = usher.context.store
    vi.spyOn(usher.context.store, 'transaction').mockImplementationOnce((databaseId, work) =>
      transaction(databaseId, (query) =>
        work((text, values) =>
          text.includes('INTO usher.outbox')
            ? Promise.reject(new Error('Connection terminated unexpectedly'))
            : query(text, values),
        ),
      ),
    )
    expect(outcome(await app.requestReset(email, from))).toEqual([503, 'unavailable'])
    expect((await app.requestReset(email, from)).statusCode).toBe(202)
    expect(await app.delivered()).toHaveLength(1)
  })

  it('a request returns 404 after its database was deleted', async ({ app, usher }) => {
    await app.login({ email: 'ada@example.com', password })
    await deleteDatabase(usher.store, app)
    expect(outcome(await app.requestReset('ada@example.com'))).toEqual([404, 'database_not_found'])
  })

  it('a request is accepted after the clock was set back', async ({ app, clock }) => {
    const email = 'ada@example.com'
    await app.signedUp({ email })
    const from = elsewhere()
    clock.now += 24 * hour
    await app.requestReset(email, from)
    expect(await app.delivered()).toHaveLength(1)
    clock.now -= 24 * hour
    await app.requestReset(email, from)
    await app.requestReset(email, from)
    expect(await app.delivered()).toHaveLength(2)
  })

  it('of 30 concurrent resets with one code one succeeds', async ({ app }) => {
    await app.signedUp({ email: 'ada@example.com' })
    const code = await app.resetCode('ada@example.com')
    const responses = await Promise.all(Array.from({ length: 30 }, () => app.reset(code)))
    const outcomes = responses.map(outcome)
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([status]) => status !== 200)).toEqual(Array(29).fill(invalid))
  })

  it('a code is rejected if it is altered, older than an hour, replaced or from another database', async ({
    app,
    usher,
  }) => {
    const email = 'ada@example.com'
    const { id } = await app.signedUp({ email })
    const first = await app.resetCode(email)
    expect(outcome(await app.reset(altered(first)))).toEqual(invalid)
    expect(outcome(await app.reset('code'))).toEqual(invalid)
    expect(outcome(await app.reset(`${id}.${first.slice(37)}`))).toEqual(invalid)
    const other = await usher.newDatabase()
    const elsewhere = await usher.send({
      method: 'POST',
      url: `${other.users}/password-reset/confirm`,
      payload: { code: first, newPassword },
    })
    expect(outcome(elsewhere)).toEqual(invalid)
    app.clock.now += hour - 1
    const second = await app.resetCode(email)
    expect(outcome(await app.reset(first))).toEqual(invalid)
    app.clock.now += hour
    expect(outcome(await app.reset(second))).toEqual(invalid)
    app.clock.now -= 1
    expect((await app.reset(second)).statusCode).toBe(200)
  })

  it('a rejected password returns its field errors and does not use up the code', async ({ app }) => {
    const email = 'ada.lovelace@example.com'
    await app.signedUp({ email })
    const code = await app.resetCode(email)
    const refused = await app.reset(code, 'ada.lovelace')
    expect(refused.json()).toMatchObject({ code: 'validation_failed', errors: [{ path: 'newPassword' }] })
    const wrong = await app.reset('', 'short')
    expect(wrong.json().errors).toMatchObject([
      { path: 'code', code: 'blank' },
      { path: 'newPassword', code: 'too_short' },
    ])
    expect((await app.reset(code)).statusCode).toBe(200)
  })

  it('a code is rejected with the HMAC of another code, and while the user has another address', async ({
    app,
    usher,
  }) => {
    const [email, other] = ['ada@example.com', 'grace@example.com']
    const { id } = await app.signedUp({ email })
    await app.signedUp({ email: other })
    const [code, codeOfOther] = [await app.resetCode(email), await app.resetCode(other)]
    const [[codeId], [, mac]] = [code.split('.'), codeOfOther.split('.')]
    expect(outcome(await app.reset(`${codeId}.${mac}`))).toEqual(invalid)
    const move = (address: string) =>
      usher.store.prisma.user.updateMany({
        where: { databaseId: app.id, id },
        data: { email: address, canonicalEmail: address },
      })
    await move('countess@example.com')
    expect(outcome(await app.reset(code))).toEqual(invalid)
    await move(email)
    expect((await app.reset(code)).statusCode).toBe(200)
  })

  it('the code of a disabled user is rejected', async ({ app, usher }) => {
    const { id } = await app.signedUp({ email: 'ada@example.com' })
    const code = await app.resetCode('ada@example.com')
    const where = { databaseId: app.id, id }
    await usher.store.prisma.user.updateMany({ where, data: { disabledAt: new Date() } })
    expect(outcome(await app.reset(code))).toEqual(invalid)
  })
})

describe('email verification', () => {
  it('a code verifies the address once, without a token', async ({ app, smtp, usher }) => {
    const { id, token } = await app.signedUp({ email: 'ada@example.com' })
    usher.forgetLog()
    expect((await app.me(token.jwt)).json().emailVerified).toBe(false)
    const code = await app.verificationCode(token.jwt)
    expect(smtp.mails[0]?.parsed.text).toContain(`${appUrl}/verify-email#code=${code}`)
    const response = await app.verify(code)
    expect([response.statusCode, response.json()]).toEqual([200, { email: 'ada@example.com' }])
    expect((await app.me(token.jwt)).json().emailVerified).toBe(true)
    expect(outcome(await app.verify(code))).toEqual(invalid)
    app.clock.now += 2 * minute
    const again = await app.requestVerification(
      (await app.login({ email: 'ada@example.com', password })).json().token.jwt,
    )
    expect(again.statusCode).toBe(202)
    expect(await app.delivered()).toHaveLength(1)
    const ofUser = { databaseId: app.id, userId: id }
    expect(auditRecords(usher)).toMatchObject([
      { audit: 'email_verification.requested', ...ofUser },
      { audit: 'user.email_verified', ...ofUser },
      { audit: 'login.succeeded', ...ofUser },
    ])
  })

  it('a code for an address that was verified meanwhile is no verification', async ({ app, usher }) => {
    await setDatabase(usher.store, app, { eventsKept: 1 })
    const { id, token } = await app.signedUp({ email: 'ada@example.com' })
    const code = await app.verificationCode(token.jwt)
    await usher.store.prisma.user.updateMany({ where: { id }, data: { emailVerifiedAt: new Date(0) } })
    usher.forgetLog()
    expect((await app.verify(code)).json()).toEqual({ email: 'ada@example.com' })
    expect(auditRecords(usher)).toEqual([])
    const events = await usher.store.prisma.keptEvent.findMany({ where: { databaseId: app.id } })
    expect(events.map(({ payload }) => payload)).toEqual([{ type: 'user.created', userId: id }])
  })

  it('of 30 concurrent verifications with one code one succeeds', async ({ app }) => {
    const { token } = await app.signedUp({ email: 'ada@example.com' })
    const code = await app.verificationCode(token.jwt)
    const responses = await Promise.all(Array.from({ length: 30 }, () => app.verify(code)))
    const outcomes = responses.map(outcome)
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([status]) => status !== 200)).toEqual(Array(29).fill(invalid))
  })

  it('a code is rejected for another purpose, and after 24 hours', async ({ app, smtp }) => {
    const email = 'ada@example.com'
    const { token } = await app.signedUp({ email })
    const verification = await app.verificationCode(token.jwt)
    const reset = await app.resetCode(email)
    expect(smtp.mails).toHaveLength(2)
    expect(outcome(await app.reset(verification))).toEqual(invalid)
    expect(outcome(await app.verify(reset))).toEqual(invalid)
    app.clock.now += 24 * hour
    expect(outcome(await app.verify(verification))).toEqual(invalid)
    app.clock.now -= 1
    expect((await app.verify(verification)).statusCode).toBe(200)
  })

  it('a request without a valid token is rejected', async ({ app }) => {
    expect(outcome(await app.requestVerification('no.token.this'))).toEqual([401, 'token_invalid'])
  })
})

describe('delivery', () => {
  it('a rejected mail is sent again with the same code, and its error contains no address', async ({
    app,
    smtp,
  }) => {
    const email = 'ada@example.com'
    await app.signedUp({ email })
    smtp.refusal = Object.assign(new Error(`${email} is over quota`), { responseCode: 452 })
    await app.requestReset(email)
    const [failed] = await vi.waitFor(async () => {
      const messages = await app.messages()
      expect(messages).toMatchObject([{ kind: 'mail', lastError: 'SMTP EENVELOPE 452' }])
      return messages
    }, 10_000)
    expect(failed?.payload).toEqual({ type: 'password_reset' })
    smtp.refusal = undefined
    app.clock.now += 2_000
    const [mail] = await app.delivered()
    expect(codeIn(mail as ReceivedMail)).toContain(failed?.id)
    expect((await app.reset(codeIn(mail as ReceivedMail))).statusCode).toBe(200)
  })

  it('a mail whose code was used or has expired is not sent again', async ({ app, smtp, usher }) => {
    const email = 'ada@example.com'
    const { id } = await app.signedUp({ email })
    const code = await app.resetCode(email)
    await app.delivered()
    await usher.store.prisma.message.create({ data: undeletedMessage(app.id, id, code, app.clock.now) })
    expect((await app.reset(code)).statusCode).toBe(200)
    expect(await app.messages()).toEqual([])

    smtp.refusal = new Error('not now')
    app.clock.now += 2 * minute
    await app.requestReset(email)
    await vi.waitFor(async () => expect((await app.messages())[0]?.lastError).toBeTruthy(), 10_000)
    smtp.refusal = undefined
    smtp.mails.splice(0)
    app.clock.now += hour
    usher.context.deliver([{ databaseId: app.id }])
    expect(await app.delivered()).toEqual([])
  })

  it('a mail that a newer one has replaced is not sent again after the newer code was used', async ({
    app,
    usher,
  }) => {
    const email = 'ada@example.com'
    const { id } = await app.signedUp({ email })
    const replaced = await app.resetCode(email)
    await app.delivered()
    const message = undeletedMessage(app.id, id, replaced, app.clock.now)
    const others = [
      { ...message, id: uuidv7(), payload: { type: 'email_verification' } },
      { ...message, id: uuidv7(), kind: 'webhook', payload: { type: 'user.updated' } },
    ]
    await usher.store.prisma.message.createMany({ data: [message, ...others] })
    app.clock.now += minute
    expect((await app.reset(await app.resetCode(email))).statusCode).toBe(200)
    expect((await app.messages()).map((left) => left.id).sort()).toEqual(others.map((other) => other.id))
  })

  it('a mail to an address that was stored as entered goes to its form in Unicode NFC', async ({
    app,
    usher,
  }) => {
    const { id } = await app.signedUp({ email: 'kim@example.com' })
    const where = { databaseId_id: { databaseId: app.id, id } }
    await usher.store.prisma.user.update({ where, data: { email: '\u212aim@example.com' } })
    await app.requestReset('\u212aim@example.com')
    expect((await app.delivered()).map(({ recipients }) => recipients)).toEqual([['Kim@example.com']])
  })

  it('a database without app URL keeps its mails until they expire, and stores the reason', async ({
    app,
    usher,
  }) => {
    const email = 'ada@example.com'
    await setDatabase(usher.store, app, { appUrl: null })
    await app.signedUp({ email })
    await app.requestReset(email)
    await vi.waitFor(
      async () => expect(await app.messages()).toMatchObject([{ lastError: 'the database has no app URL' }]),
      10_000,
    )
    app.clock.now += hour
    usher.context.deliver([{ databaseId: app.id }])
    expect(await app.delivered()).toEqual([])
  })
})
