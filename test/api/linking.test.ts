import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { changeUser } from '../../server/domain/email-change/change-user.js'
import { password, validUser } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { newPassword, outcome } from '../support/codes.js'
import { runAsOperator, setDatabase } from '../support/operator-changes.js'
import { it } from '../support/returned-login.js'
import { totpAt } from '../support/second-factor.js'

const email = 'ada@example.com'
const refused = (code: string, status = 409) => [status, code]

// The table of docs/api.md, row by row.

it('logs the user of a known identity in, whatever its address is, which never changes', async ({
  provider,
  app,
}) => {
  const first = (await provider.logIn()).json()
  expect(first).toMatchObject({ isNewUser: true })
  for (const person of [{ email: 'new@example.com' }, { email: null }, { emailProof: null }] as const) {
    const again = (await provider.logIn(person)).json()
    expect(again).toMatchObject({ id: first.id, isNewUser: false })
    expect((await app.me(again.token.jwt)).json()).toMatchObject({ email, emailVerified: true })
  }
})

it('refuses the user of a known identity who is disabled', async ({ provider, app, usher }) => {
  const { id } = (await provider.logIn()).json()
  await runAsOperator(usher, app, (change) =>
    changeUser(change, { userId: id, changes: { isDisabled: true } }),
  )
  expect(outcome(await provider.logIn())).toEqual(refused('login_refused', 403))
})

it.for(['disabled', 'removed'])(
  'finishes no login at a connection that was %s since it has returned',
  async (state, { provider, app, usher, clock }) => {
    // The settings have the time of the command.
    clock.now = Math.max(clock.now, Date.now()) + 60_000
    const { id } = (await provider.logIn()).json()
    const { token } = await app.signedUp()
    const used = await provider.returned()
    expect((await provider.finish(used)).json()).toMatchObject({ id })
    const [known, linked] = [await provider.returned(), await provider.returned({ subject: 'linked' })]
    const unknown = await provider.returned({ subject: 'new', email: 'new@example.com' })
    // The login of a user who must add a second factor first.
    await setDatabase(usher.store, app, { secondFactor: 'required', secondFactorGrace: 0 })
    usher.clock.cacheAhead += 6_000
    const begun = (await provider.logIn()).json().secondFactor
    const post = (path: string, payload: object) =>
      usher.send({ method: 'POST', url: `${app.users}/me/factors/totp${path}`, payload })
    const { challenge, secret } = (await post('', { challenge: begun.challenge })).json()
    await setDatabase(usher.store, app, { secondFactor: 'optional' })
    usher.clock.cacheAhead += 6_000
    // Servers know the connection until they read it again.
    await usher.context.findConnections(app.id)
    const where = { databaseId: app.id, name: 'acme' }
    if (state === 'removed') await usher.store.prisma.connection.deleteMany({ where })
    else await usher.store.prisma.connection.updateMany({ where, data: { isEnabled: false } })
    for (const login of [known, unknown, used])
      expect(outcome(await provider.finish(login))).toEqual(refused('code_invalid', 400))
    const body = { ...linked, password }
    expect(outcome(await app.as(token.jwt, 'POST', 'me/identities', body))).toEqual(
      refused('code_invalid', 400),
    )
    const totp = totpAt(secret, clock.now)
    expect(outcome(await post('/confirm', { challenge, totp }))).toEqual(refused('challenge_invalid', 400))
    expect(await provider.identities(id)).toHaveLength(1)
  },
)

it.for(['authoritative', 'verified'] as const)(
  'signs up a person without an account whose address is %s, without a password',
  async (emailProof, { provider, app }) => {
    const { id, token } = (await provider.logIn({ emailProof })).json()
    expect((await app.me(token.jwt)).json()).toMatchObject({
      email,
      emailVerified: true,
      preferredName: 'Ada',
    })
    expect(await provider.identities(id)).toMatchObject([
      { connection: 'acme', subject: 'ada', isProven: true },
    ])
  },
)

it.for([{ emailProof: null }, { email: null, emailProof: null }] as const)(
  'asks for a mailed code if %o, and then signs up',
  async (person, { provider, mail }) => {
    const mailed = await mail.start(email)
    const { code, verifier } = await provider.returned(person)
    const response = await provider.finish({ code, verifier })
    expect(outcome(response)).toEqual(refused('email_not_proven'))
    expect(response.json().profile).toEqual({
      email: person.email === null ? null : email,
      preferredName: 'Ada',
    })
    const stranger = { login: mailed.login, digits: mailed.digits }
    expect(outcome(await provider.finish({ code, verifier, mail: stranger }))).toEqual(
      refused('code_invalid', 400),
    )
  },
)

it('links an account whose address a mailed code of the same client proves', async ({
  provider,
  mail,
  app,
}) => {
  const { id } = await app.signedUp({ email })
  await app.markVerified(email)
  const client = await mail.start(email)
  const challenge = createHash('sha256').update(client.verifier).digest('base64url')
  const returned = await provider.returned(
    { emailProof: 'verified' },
    { verifier: client.verifier, challenge },
  )
  expect(outcome(await provider.finish(returned))).toEqual(refused('email_not_proven'))
  const proof = { login: client.login, digits: client.digits }
  const linked = await provider.finish({ ...returned, mail: proof })
  expect(linked.json()).toMatchObject({ id, isNewUser: false })
  // The digits are used up.
  expect((await provider.finish({ ...proof, verifier: client.verifier })).statusCode).toBe(200)
  const other = await provider.returned(
    { subject: 'b', email: 'b@example.com', emailProof: null },
    { verifier: client.verifier, challenge },
  )
  expect(outcome(await provider.finish({ ...other, mail: proof }))).toEqual(refused('code_invalid', 400))
})

it('links nothing by a mail that was requested before the tokens of the user were revoked', async ({
  provider,
  mail,
  app,
}) => {
  const { id, token } = await app.signedUp({ email })
  await app.markVerified(email)
  const { verifier, login, digits } = await mail.start(email)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const returned = await provider.returned({ emailProof: 'verified' }, { verifier, challenge })
  expect((await app.as(token.jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
  const finished = await provider.finish({ ...returned, mail: { login, digits } })
  expect(outcome(finished)).toEqual(refused('code_invalid', 400))
  expect(await provider.identities(id)).toEqual([])
})

it('does not link an existing account by an address that the provider has only verified', async ({
  provider,
  app,
  usher,
}) => {
  await app.signedUp({ email })
  await app.markVerified(email)
  expect(outcome(await provider.logIn({ emailProof: 'verified' }))).toEqual(refused('email_not_proven'))
  await setDatabase(usher.store, app, { loginMail: 'off' })
  usher.clock.cacheAhead += 6_000
  expect(outcome(await provider.logIn({ emailProof: 'verified' }))).toEqual(refused('account_exists'))
})

it('links a verified account by an authoritative address, and notifies the user', async ({
  provider,
  app,
  usher,
}) => {
  await setDatabase(usher.store, app, { noticeIdentity: true })
  usher.clock.cacheAhead += 6_000
  const { id } = await app.signedUp({ email })
  await app.markVerified(email)
  const { token } = (await provider.logIn()).json()
  expect((await app.me(token.jwt)).json().id).toBe(id)
  const [sent] = await app.delivered()
  expect(sent?.parsed.subject).toBe('A way to log in was added')
  expect(sent?.parsed.text).toContain('OpenID')
  // The password still works, because its owner has linked the identity.
  expect((await app.login({ email, password })).statusCode).toBe(200)
})

it('does not link by address where the operator has turned that off', async ({ provider, app }) => {
  await provider.connect('acme', { linkByEmail: false })
  await app.signedUp({ email })
  await app.markVerified(email)
  expect(outcome(await provider.logIn())).toEqual(refused('account_exists'))
})

it('gives a never verified account to the owner of the address, and leaves nothing to the stranger', async ({
  provider,
  app,
}) => {
  // A stranger has signed up with the address, has linked an identity and waits in a session.
  const stranger = await app.opened({ email })
  expect(
    (
      await provider.link(
        stranger.token.jwt,
        { connection: 'other', subject: 'mallory', email: 'm@example.com' },
        { password },
      )
    ).statusCode,
  ).toBe(201)
  const { id, token } = (await provider.logIn()).json()
  expect(id).toBe(stranger.id)
  expect((await provider.identities(id)).map(({ connection }) => connection)).toEqual(['acme'])
  expect(outcome(await app.login({ email, password }))).toEqual([401, 'invalid_credentials'])
  expect(outcome(await app.refresh(stranger.refreshToken.value))).toEqual([401, 'session_ended'])
  expect(outcome(await app.me(stranger.token.jwt))).toEqual([401, 'token_invalid'])
  expect((await app.me(token.jwt)).json().emailVerified).toBe(true)
  const mallory = await provider.logIn({ connection: 'other', subject: 'mallory', email: 'm@example.com' })
  expect(mallory.json()).toMatchObject({ isNewUser: true })
})

it('does not give an account to another subject of its connection, such as the buyer of a domain', async ({
  provider,
}) => {
  await provider.logIn()
  expect(outcome(await provider.logIn({ subject: 'buyer' }))).toEqual(refused('account_exists'))
})

it('links another address to the user of a token, after the password', async ({ provider, app }) => {
  const { id, token } = await app.signedUp({ email })
  const person = { email: 'work@example.org', emailProof: null }
  const without = await provider.link(token.jwt, person)
  expect(without.json().errors).toMatchObject([{ path: 'password', code: 'required' }])
  const linked = await provider.link(token.jwt, person, { password })
  expect(linked.json()).toMatchObject({ connection: 'acme', email: 'work@example.org' })
  expect((await provider.logIn(person)).json().id).toBe(id)
  expect(outcome(await provider.link(token.jwt, { subject: 'second' }, { password }))).toEqual(
    refused('already_linked'),
  )
})

it('does not link an identity of another user', async ({ provider, app }) => {
  await provider.logIn()
  const { token } = await app.signedUp(validUser())
  expect(outcome(await provider.link(token.jwt, {}, { password }))).toEqual(refused('identity_taken'))
})

it('needs the verifier of the client that has started the login', async ({ provider }) => {
  const { code } = await provider.returned()
  const forged = await provider.finish({ code, verifier: 'a'.repeat(43) })
  expect(outcome(forged)).toEqual(refused('code_invalid', 400))
})

it('repeats a success for 30 seconds with the same token id, and opens one session', async ({
  provider,
  app,
}) => {
  const returned = await provider.returned()
  const [first, second] = [await provider.finish(returned), await provider.finish(returned)]
  expect(second.json()).toMatchObject({ id: first.json().id, isNewUser: true })
  expect((await app.openSession(first.json().token.jwt)).statusCode).toBe(201)
  expect(outcome(await app.openSession(second.json().token.jwt))).toEqual([409, 'session_not_opened'])
  const known = await provider.returned()
  const [one, other] = [await provider.finish(known), await provider.finish(known)]
  expect(one.json().id).toBe(other.json().id)
  expect((await app.openSession(one.json().token.jwt)).statusCode).toBe(201)
  expect(outcome(await app.openSession(other.json().token.jwt))).toEqual([409, 'session_not_opened'])
})

it('signs one person up once if two logins return together', async ({ provider, usher, app }) => {
  const logins = await Promise.all(Array.from({ length: 4 }, () => provider.logIn()))
  const ids = new Set(logins.map((login) => login.json().id))
  expect([...logins.map(({ statusCode }) => statusCode), ids.size]).toEqual([200, 200, 200, 200, 1])
  expect(await usher.store.prisma.user.count({ where: { databaseId: app.id } })).toBe(1)
})

it('returns account_missing with the profile, for an app that first asks for the name of a team', async ({
  provider,
}) => {
  const returned = await provider.returned()
  const missing = await provider.finish({ ...returned, mayCreate: false })
  expect([outcome(missing), missing.json().profile]).toEqual([
    refused('account_missing'),
    { email, preferredName: 'Ada' },
  ])
  const created = await provider.finish({ ...returned, newTenant: 'Engines', preferredName: null })
  expect(created.json().tenants).toHaveLength(1)
})

it('lists and removes identities, but not the last way to log in', async ({ provider, app, usher }) => {
  const { id, token } = (await provider.logIn()).json()
  await setDatabase(usher.store, app, { loginMail: 'off', accountOperations: true, appUrl: null })
  usher.clock.cacheAhead += 6_000
  const [identity] = (await app.as(token.jwt, 'GET', 'me/identities')).json().identities
  const removal = `me/identities/${identity.id}/removal`
  expect(outcome(await app.as(token.jwt, 'POST', removal, {}))).toEqual(refused('last_login_method'))
  const set = (await app.as(token.jwt, 'PUT', 'me/password', { newPassword })).json()
  const removed = await app.as(set.token.jwt, 'POST', removal, { password: newPassword })
  expect(removed.json()).toMatchObject({ id })
  expect(outcome(await app.me(set.token.jwt))).toEqual([401, 'token_invalid'])
  expect(outcome(await app.as(removed.json().token.jwt, 'POST', removal, { password: newPassword }))).toEqual(
    [404, 'identity_not_found'],
  )
  // Its owner can log in with it again, because the provider is authoritative for the address.
  expect((await provider.logIn()).json()).toMatchObject({ id, isNewUser: false })
})

it('removes an identity that was linked before the address was verified when the password is reset', async ({
  provider,
  app,
}) => {
  const { id, token } = await app.signedUp({ email })
  await provider.link(token.jwt, { connection: 'other', subject: 'x', email: 'x@example.com' }, { password })
  await app.markVerified(email)
  await provider.link(token.jwt, {}, { password })
  const code = await app.resetCode(email)
  expect((await app.reset(code)).statusCode).toBe(200)
  expect((await provider.identities(id)).map(({ connection }) => connection)).toEqual(['acme'])
})

it('audits the connection of a login, and of what it links', async ({ provider, usher }) => {
  usher.forgetLog()
  const { id } = (await provider.logIn()).json()
  await provider.logIn()
  const records = auditRecords(usher).filter(({ connection }) => connection === 'acme')
  expect(records.map(({ audit, userId }) => [audit, userId])).toEqual([
    ['user.identity_linked', id],
    ['login.succeeded', id],
  ])
})
