import { expect } from 'vitest'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { newPassword, outcome } from '../support/codes.js'
import { it } from '../support/login-mail.js'
import { changeFields, setDatabase } from '../support/operator-changes.js'
import { codeIn } from '../support/smtp.js'

const email = 'ada@example.com'

it('a login by mail of an account that was never verified leaves nothing to whoever signed up', async ({
  app,
  mail,
  usher,
}) => {
  const thief = await app.opened({ email })
  const spare = await app.login({ email, password })
  const stolen = await mail.changeCode(thief.token.jwt, 'thief@example.com')
  const { code, verifier } = await mail.start(email)
  const owner = (await mail.finish({ code, verifier })).json()
  expect([owner.id, owner.isNewUser]).toEqual([thief.id, false])
  expect((await app.me(owner.token.jwt)).json()).toMatchObject({ email, emailVerified: true })
  for (const { token } of [thief, spare.json()])
    expect(outcome(await app.me(token.jwt))).toEqual([401, 'token_invalid'])
  expect(outcome(await app.refresh(thief.refreshToken.value))).toEqual([401, 'session_ended'])
  expect(outcome(await app.login({ email, password }))).toEqual([401, 'invalid_credentials'])
  expect(outcome(await mail.confirmChange(stolen))).toEqual([400, 'code_invalid'])
  const where = { databaseId: app.id, userId: owner.id }
  expect(await usher.store.prisma.code.count({ where })).toBe(0)
  const known = await usher.store.prisma.knownNetwork.count({ where })
  expect(known).toBe(1)
  const audits = auditRecords(usher).filter(
    ({ audit, userId }) => userId === owner.id && audit !== 'login.failed',
  )
  expect(audits.slice(-3)).toMatchObject([
    { audit: 'login.succeeded', way: 'mail' },
    { audit: 'user.reclaimed' },
    { audit: 'user.email_verified' },
  ])
})

it('a login by mail of a verified account keeps password and sessions', async ({ app, mail }) => {
  const session = await app.opened({ email })
  await app.markVerified(email)
  const { code, verifier } = await mail.start(email)
  expect((await mail.finish({ code, verifier })).statusCode).toBe(200)
  expect((await app.me(session.token.jwt)).statusCode).toBe(200)
  expect((await app.login({ email, password })).statusCode).toBe(200)
})

it('a password reset of an account that was never verified does the same, and its user gets new tokens', async ({
  app,
  mail,
  usher,
}) => {
  const thief = await app.opened({ email })
  const stolen = await mail.changeCode(thief.token.jwt, 'thief@example.com')
  const reset = await app.reset(await app.resetCode(email))
  expect((await app.me(reset.json().token.jwt)).json()).toMatchObject({ id: thief.id, emailVerified: true })
  expect((await app.login({ email, password: newPassword })).statusCode).toBe(200)
  expect(outcome(await app.refresh(thief.refreshToken.value))).toEqual([401, 'session_ended'])
  expect(outcome(await mail.confirmChange(stolen))).toEqual([400, 'code_invalid'])
  expect(auditRecords(usher).map(({ audit }) => audit)).toContain('user.reclaimed')
})

it('the former address cannot take back an account that the owner of the new one has reclaimed', async ({
  app,
  mail,
  usher,
}) => {
  const thief = await app.signedUp({ email: 'thief@example.com' })
  await app.markVerified('thief@example.com')
  const operation = { store: usher.store, now: new Date(app.clock.now) }
  await changeFields(operation, app, thief.id, { email })
  const undo = codeIn(
    (await app.delivered()).find(({ parsed }) => parsed.text?.includes('/undo-email-change#')) as never,
  )
  const { code, verifier } = await mail.start(email)
  expect((await mail.finish({ code, verifier })).json().id).toBe(thief.id)
  const undone = await usher.send({
    method: 'POST',
    url: `${app.users}/email-change/undo`,
    payload: { code: undo },
  })
  expect(outcome(undone)).toEqual([400, 'code_invalid'])
  expect((await mail.user(thief.id)).email).toBe(email)
})

it('the code of an invitation gives an account that was never verified to its owner, with a new token', async ({
  app,
  mail: _,
  usher,
}) => {
  const ada = await app.signedUp({ newTenant: 'Engines' })
  const [tenantId] = ada.tenants
  await setDatabase(usher.store, app, { requireVerifiedInviter: false })
  usher.clock.cacheAhead += 6_000
  const send = (path: string, token: string, payload: object) =>
    usher.send({
      method: 'POST',
      url: app.users.replace(/users$/, path),
      headers: { authorization: `Bearer ${token}` },
      payload,
    })
  await send(`tenants/${tenantId}/invitations`, ada.token.jwt, { email, role: 'member' })
  const code = codeIn((await app.delivered())[0] as never)
  const thief = await app.opened({ email })
  const grace = await app.login({ email, password })
  await setDatabase(usher.store, app, { accountOperations: false, loginMail: 'off' })
  usher.clock.cacheAhead += 6_000
  const refused = await send('invitations/accept', grace.json().token.jwt, { code })
  expect(outcome(refused)).toEqual([409, 'email_not_verified'])
  await setDatabase(usher.store, app, { accountOperations: true })
  usher.clock.cacheAhead += 6_000
  const accepted = await send('invitations/accept', grace.json().token.jwt, { code })
  expect([accepted.statusCode, accepted.json()]).toMatchObject([200, { tenantId, role: 'member' }])
  const { token } = accepted.json()
  const me = (await app.me(token.jwt)).json()
  expect([me.id, me.emailVerified, me.tenants]).toEqual([thief.id, true, [tenantId]])
  expect((await app.openSession(token.jwt)).statusCode).toBe(201)
  expect(outcome(await app.refresh(thief.refreshToken.value))).toEqual([401, 'session_ended'])
  expect(outcome(await app.login({ email, password }))).toEqual([401, 'invalid_credentials'])
})
