import { expect } from 'vitest'
import { start as startOfTests } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { outcome } from '../support/codes.js'
import { it, newVerifier } from '../support/login-mail.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn } from '../support/smtp.js'

const email = 'ada@example.com'

it('logs a user in by the link and by the digits of the mail', async ({ app, mail, smtp }) => {
  const { id } = await app.signedUp({ email })
  await app.markVerified(email)
  const { verifier, challenge } = newVerifier()
  const requested = await mail.request('Ada@example.com', challenge)
  const { login, expiresAt } = requested.json()
  expect([requested.statusCode, Date.parse(expiresAt) - app.clock.now]).toEqual([202, 600_000])
  const [sent] = await app.delivered()
  expect(sent?.recipients).toEqual([email])
  expect(sent?.parsed.text).toContain('https://app.example.com/start/login#code=')
  const byLink = await mail.finish({ code: codeIn(sent as NonNullable<typeof sent>), verifier })
  expect([byLink.statusCode, byLink.json()]).toMatchObject([200, { id, isNewUser: false }])
  app.clock.now += 61_000
  smtp.mails.splice(0)
  const again = newVerifier()
  const second = (await mail.request(email, again.challenge)).json()
  const digits = (await app.delivered())[0]?.parsed.text?.match(/^(\d{6})$/m)?.[1]
  const byDigits = await mail.finish({ login: second.login, digits, verifier: again.verifier })
  expect([byDigits.statusCode, byDigits.json().id]).toEqual([200, id])
  expect((await app.me(byDigits.json().token.jwt)).json()).toMatchObject({ email, emailVerified: true })
  expect(second.login).not.toBe(login)
})

it('accepts the digits and the code of a mail as people paste them', async ({ app, mail }) => {
  await app.signedUp({ email })
  const { login, digits, verifier } = await mail.start(email)
  const pasted = `\u202a${String(digits).replace(/\d/g, (each) => String.fromCharCode(0x660 + Number(each)))}\u202c\n`
  expect((await mail.finish({ login, digits: pasted, verifier })).statusCode).toBe(200)
  app.clock.now += 61_000
  const { code, verifier: other } = await mail.start(email)
  const wrapped = `${String(code).slice(0, 60)}\r\n ${String(code).slice(60)}\u200b`
  expect((await mail.finish({ code: wrapped, verifier: other })).statusCode).toBe(200)
})

it('signs up an unknown address, verified and without a password, with a tenant', async ({
  app,
  mail,
  usher,
}) => {
  const { code, verifier } = await mail.start(email)
  const chosen = { preferredName: 'Ada', locale: 'de-AT' }
  const signedUp = await mail.finish({ code, verifier, ...chosen, newTenant: 'Engines' })
  const { id, tenants, token, isNewUser } = signedUp.json()
  expect([signedUp.statusCode, isNewUser, tenants.length]).toEqual([200, true, 1])
  expect((await app.me(token.jwt)).json()).toMatchObject({
    email,
    ...chosen,
    emailVerified: true,
    memberships: [{ name: 'Engines', role: 'owner' }],
  })
  expect((await mail.user(id)).passwordHash).toBeNull()
  const types = auditRecords(usher).flatMap(({ audit, databaseId }) => (databaseId === app.id ? audit : []))
  expect(types).toEqual(expect.arrayContaining(['login_code.requested', 'user.created', 'tenant.created']))
})

it('asks before it signs up if mayCreate is false, which uses nothing up', async ({ mail }) => {
  const { login, digits, verifier } = await mail.start(email)
  const refused = await mail.finish({ login, digits, verifier, mayCreate: false })
  expect(outcome(refused)).toEqual([409, 'account_missing'])
  for (let time = 0; time < 3; time++) await mail.finish({ login, digits, verifier, mayCreate: false })
  const created = await mail.finish({ login, digits, verifier, newTenant: 'Engines' })
  expect([created.statusCode, created.json().isNewUser]).toEqual([200, true])
})

it('repeats a success for 30 seconds, whatever the clock of the server, and opens one session', async ({
  app,
  mail,
}) => {
  const { code, verifier, login, digits } = await mail.start(email)
  const first = (await mail.finish({ code, verifier })).json()
  app.clock.now += 31_000
  const second = (await mail.finish({ login, digits, verifier })).json()
  expect([second.id, second.isNewUser]).toEqual([first.id, true])
  const opened = await app.openSession(first.token.jwt)
  const twice = await app.openSession(second.token.jwt)
  expect([opened.statusCode, outcome(twice)]).toEqual([201, [409, 'session_not_opened']])
  expect(outcome(await mail.finish({ code, verifier: newVerifier().verifier }))).toEqual([
    400,
    'code_invalid',
  ])
  await mail.passTimeSinceFinish(login, 31_000)
  expect(outcome(await mail.finish({ code, verifier }))).toEqual([400, 'code_invalid'])
})

it('does not repeat a success whose tokens were revoked', async ({ app, mail }) => {
  const { code, verifier } = await mail.start(email)
  const { token } = (await mail.finish({ code, verifier })).json()
  expect((await app.as(token.jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
  expect(outcome(await mail.finish({ code, verifier }))).toEqual([400, 'code_invalid'])
})

it('opens nothing for scanners, forwarded links and other browsers', async ({ mail }) => {
  const { code, login, digits, verifier } = await mail.start(email)
  const other = newVerifier().verifier
  for (const body of [{ code }, { code, verifier: 'x' }, { login, digits }])
    expect(outcome(await mail.finish(body))).toEqual([400, 'validation_failed'])
  const answers = []
  for (const body of [
    { code, verifier: other },
    { code: `${code.slice(0, -1)}_`, verifier: other },
    { login, digits, verifier: other },
    { login, digits: '000000', verifier: other },
    { login: crypto.randomUUID(), digits, verifier },
  ]) {
    const { instance, requestId, ...problem } = (await mail.finish(body)).json()
    answers.push(problem)
  }
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(await mail.attempts()).toMatchObject([{ tries: 0, usedAt: null }])
  expect((await mail.finish({ code, verifier })).statusCode).toBe(200)
})

it('refuses an expired mail, an altered one, and one of another database', async ({ app, mail, usher }) => {
  const { code, login, digits, verifier } = await mail.start(email)
  const other = await usher.newDatabase()
  await setDatabase(usher.store, other, { appUrl: 'https://app.example.com', loginMail: 'both' })
  usher.clock.cacheAhead += 6_000
  const elsewhere = await usher.send({
    method: 'POST',
    url: `${other.users}/login/finish`,
    payload: { code, verifier },
  })
  expect(outcome(elsewhere)).toEqual([400, 'code_invalid'])
  expect(outcome(await mail.finish({ code: `${code.slice(0, -4)}aaaa`, verifier }))).toEqual([
    400,
    'code_invalid',
  ])
  app.clock.now += 600_000
  for (const body of [{ code }, { login, digits }])
    expect(outcome(await mail.finish({ ...body, verifier }))).toEqual([400, 'code_invalid'])
})

it('sends and accepts what the setting says', async ({ app, mail, smtp, usher }) => {
  const texts: Record<string, [boolean, boolean, number]> = {}
  for (const loginMail of ['code', 'link'] as const) {
    await setDatabase(usher.store, app, { loginMail })
    usher.clock.cacheAhead += 6_000
    const { login, digits, verifier } = await mail.start(`${loginMail}@example.com`)
    const [sent] = await app.delivered()
    const text = sent?.parsed.text ?? ''
    const { statusCode } = await mail.finish({ login, digits, verifier })
    texts[loginMail] = [text.includes('#code='), text.includes(digits), statusCode]
    smtp.mails.splice(0)
  }
  expect(texts).toEqual({ code: [false, true, 200], link: [true, false, 400] })
})

it('does not exist unless it is on and mails can be sent', async ({ app, mail, usher }) => {
  const features = async () => {
    usher.clock.cacheAhead += 6_000
    const url = app.users.replace(/users$/, 'features')
    return (await usher.send({ method: 'GET', url })).json().loginMail
  }
  expect(await features()).toBe('both')
  const { login, verifier, code, digits } = await mail.start(email)
  for (const setting of [{ loginMail: 'off' }, { loginMail: 'both', appUrl: null }] as const) {
    await setDatabase(usher.store, app, setting)
    expect(await features()).toBe('off')
    expect(outcome(await mail.request(email))).toEqual([404, 'route_not_found'])
    // A login at a provider could be finished.
    expect(outcome(await mail.finish({ code, verifier }))).toEqual([400, 'code_invalid'])
    expect(outcome(await mail.finish({ login, digits, verifier }))).toEqual([400, 'code_invalid'])
  }
})

it('sends no mail to unknown addresses while sign-up is closed, to disabled users and to reserved addresses', async ({
  app,
  mail,
  smtp,
  usher,
}) => {
  const disabled = await app.signedUp({ email: 'disabled@example.com' })
  const where = { databaseId_id: { databaseId: app.id, id: disabled.id } }
  await usher.store.prisma.user.update({ where, data: { disabledAt: new Date(startOfTests) } })
  await app.signedUp({ email })
  await setDatabase(usher.store, app, { signUp: false })
  usher.clock.cacheAhead += 6_000
  const logins = []
  for (const address of ['stranger@example.com', 'disabled@example.com', email])
    logins.push(await mail.start(address))
  expect((await app.delivered()).flatMap(({ recipients }) => recipients)).toEqual([email])
  smtp.mails.splice(0)
  const outcomes = []
  for (const { code, verifier } of logins)
    outcomes.push(outcome(await mail.finish({ code, verifier })).slice(0, 2))
  expect(outcomes).toEqual([
    [403, 'sign_up_closed'],
    [403, 'login_refused'],
    [200, undefined],
  ])
})

it('lets an invited address sign up and join, also if sign-up is closed', async ({ app, mail, usher }) => {
  const owner = await app.signedUp({ newTenant: 'Engines' })
  const [tenantId] = owner.tenants
  await setDatabase(usher.store, app, { signUp: false, requireVerifiedInviter: false })
  usher.clock.cacheAhead += 6_000
  const invited = await usher.send({
    method: 'POST',
    url: `${app.users.replace(/users$/, 'tenants')}/${tenantId}/invitations`,
    headers: { authorization: `Bearer ${owner.token.jwt}` },
    payload: { email, role: 'member' },
  })
  expect(invited.statusCode).toBe(201)
  const invitationCode = codeIn((await app.delivered())[0] as never)
  const { code, verifier } = await mail.start(email)
  expect(outcome(await mail.finish({ code, verifier }))).toEqual([403, 'sign_up_closed'])
  const other = await mail.start('other@example.com')
  expect(outcome(await mail.finish({ code: other.code, verifier: other.verifier, invitationCode }))).toEqual([
    409,
    'invitation_for_other_address',
  ])
  const joined = await mail.finish({ code, verifier, invitationCode })
  expect([joined.statusCode, joined.json()]).toMatchObject([200, { isNewUser: true, tenants: [tenantId] }])
  expect((await mail.finish({ code, verifier, invitationCode })).json().id).toBe(joined.json().id)
})

it('counts sign-ups by mail as others, and lets users of the same network log in', async ({
  app,
  mail,
  usher,
}) => {
  await app.signedUp({ email })
  await setDatabase(usher.store, app, { signUpsPerHour: 1 })
  usher.clock.cacheAhead += 6_000
  const from = '198.18.0.1'
  const outcomes = []
  for (const address of ['one@example.com', 'two@example.com', email]) {
    const { code, verifier } = await mail.start(address)
    outcomes.push(outcome(await mail.finish({ code, verifier }, from)))
  }
  expect(outcomes).toEqual([
    [200, undefined],
    [429, 'too_many_sign_ups'],
    [200, undefined],
  ])
})

it('sends the same code again after a kill, and it works once', async ({ app, mail, smtp, usher }) => {
  const { login, verifier } = await mail.start(email)
  const [first] = await app.delivered()
  // As if the server had been killed after the mail was accepted.
  await usher.store.prisma.message.create({
    data: {
      databaseId: app.id,
      id: login,
      kind: 'mail',
      payload: { type: 'login_code' },
      createdAt: new Date(app.clock.now),
      dueAt: new Date(app.clock.now),
    },
  })
  smtp.mails.splice(0)
  usher.context.deliver([{ databaseId: app.id }])
  const [again] = await app.delivered()
  const code = codeIn(again as never)
  expect(code).toBe(codeIn(first as never))
  expect((await mail.finish({ code, verifier })).statusCode).toBe(200)
  await mail.passTimeSinceFinish(login, 31_000)
  expect(outcome(await mail.finish({ code, verifier }))).toEqual([400, 'code_invalid'])
})
