import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { password, validUser } from '../../support/app.js'
import { outcome } from '../../support/codes.js'
import { newVerifier } from '../../support/login-mail.js'
import { codeIn } from '../../support/smtp.js'
import { it, opened } from '../../support/sso-login.js'

// The provider of a tenant may say anything about anyone.

it('opens nothing outside the tenant, whatever the provider says about whom', async ({ sso, app, usher }) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const owner = await sso.verified('owner@other.example')
  await other.add(owner.id, 'owner')
  // The owner of another tenant has an address in the domain of this one.
  const shared = await sso.verified('shared@acme.example')
  await other.add(shared.id, 'owner')
  const imported = await sso.verified('imported@acme.example')
  const hash = { passwordHash: null, externalId: 'imported' }
  await usher.store.prisma.user.updateMany({ where: { id: imported.id }, data: hash })
  const outside = { subject: 'owner', email: 'owner@other.example' }
  expect(outcome(await acme.logIn(outside))).toEqual([403, 'not_member'])
  for (const [subject, { id }] of Object.entries({ shared, imported })) {
    const { token, tenants } = (await acme.logIn({ subject, email: `${subject}@acme.example` })).json()
    expect([tenants, opened(token.jwt)]).toMatchObject([
      [acme.id],
      { sub: id, account: false, tenants: [acme.id] },
    ])
    for (const path of ['', '/members', '/invitations'])
      expect(outcome(await sso.as(token.jwt, 'GET', `tenants/${other.id}${path}`))).toEqual([
        404,
        'tenant_not_found',
      ])
    const invitation = { email: 'eve@acme.example', role: 'owner' }
    expect(outcome(await sso.as(token.jwt, 'POST', `tenants/${other.id}/invitations`, invitation))).toEqual([
      404,
      'tenant_not_found',
    ])
    expect(outcome(await sso.as(token.jwt, 'DELETE', `tenants/${other.id}`))).toEqual([
      404,
      'tenant_not_found',
    ])
    expect(outcome(await app.as(token.jwt, 'GET', 'me/factors'))).toEqual([403, 'own_login_required'])
  }
  expect(await other.members()).toHaveLength(2)
})

it.for([
  ['pending', false],
  ['proven', true],
  ['missing', true],
  ['lost', false],
] as const)('matches an address in a domain that is %s: %s', async ([state, matches], { sso, usher }) => {
  const acme = await sso.tenant()
  await usher.store.prisma.tenantDomain.updateMany({ where: { tenantId: acme.id }, data: { state } })
  const response = await acme.logIn()
  if (matches) expect(response.json()).toMatchObject({ tenants: [acme.id] })
  else expect(outcome(response)).toEqual([403, 'not_member'])
})

it('does not match an address in a domain below that of the tenant, nor one with another ending', async ({
  sso,
}) => {
  const acme = await sso.tenant()
  for (const email of [
    'ada@sub.acme.example',
    'ada@acme.example.org',
    'ada@notacme.example',
    '"@acme.example"@x.org',
  ])
    expect((await acme.logIn({ email })).statusCode).toBeGreaterThanOrEqual(400)
  // Case and width are those of a canonical address.
  expect((await acme.logIn({ email: 'ADA@ACME.EXAMPLE' })).statusCode).toBe(200)
})

it('knows a person whose account has got another address, and not the next holder of the former one', async ({
  sso,
  usher,
}) => {
  const acme = await sso.tenant()
  const { id } = (await acme.logIn()).json()
  const data = { email: 'new@home.example', canonicalEmail: 'new@home.example' }
  await usher.store.prisma.user.updateMany({ where: { id }, data })
  expect((await acme.logIn()).json()).toMatchObject({ id })
  const successor = (await acme.logIn({ subject: 'successor' })).json()
  expect(successor).toMatchObject({ isNewUser: true })
  expect(successor.id).not.toBe(id)
})

it('gives a reserved address to nobody', async ({ sso, usher, app }) => {
  const acme = await sso.tenant()
  const { id } = await sso.verified('grace@home.example')
  const reserved = { id: randomUUID(), email: 'ada@acme.example', canonicalEmail: 'ada@acme.example' }
  const createdAt = new Date(usher.clock.now)
  await usher.store.prisma.user.createMany({
    data: {
      ...reserved,
      databaseId: app.id,
      createdAt,
      disabledAt: createdAt,
      reservedFor: id,
      reservedUntil: new Date(usher.clock.now + 86_400_000),
    },
  })
  expect(outcome(await acme.logIn())).toEqual([409, 'account_exists'])
})

it('returns no tenant that needs a proof for a repeated sign-up, nor for a login by mail', async ({
  sso,
  app,
  usher,
  mail,
  clock,
}) => {
  const acme = await sso.tenant()
  const owner = await sso.verified('owner@acme.example')
  await acme.add(owner.id, 'owner')
  const email = 'ada@acme.example'
  const invitation = { email, role: 'member' }
  await sso.as(owner.token.jwt, 'POST', `tenants/${acme.id}/invitations`, invitation)
  const sent = (await app.delivered()).find(({ recipients }) => recipients.includes(email))
  const payload = validUser({ email, invitationCode: codeIn(sent ?? expect.fail()) })
  const signUp = () =>
    usher.send({ method: 'POST', url: app.users, payload, headers: { 'idempotency-key': `"${email}"` } })
  expect((await signUp()).json().tenants).toEqual([acme.id])
  await acme.set({ ssoRequiredAt: new Date(clock.now) })
  const again = await signUp()
  const { code, verifier } = await mail.start(email)
  const mailed = await mail.finish({ code, verifier })
  for (const response of [again, mailed]) {
    expect([response.statusCode < 300, response.json().tenants]).toEqual([true, []])
    expect(opened(response.json().token.jwt).tenants).toEqual([])
  }
})

it('refuses the connection of a tenant of another database, and one that is disabled meanwhile', async ({
  sso,
  usher,
  provider,
}) => {
  const acme = await sso.tenant()
  const elsewhere = await usher.newDatabase()
  const body = { connection: acme.connectionId, challenge: newVerifier().challenge }
  const started = { method: 'POST', url: `${elsewhere.users}/login/start`, payload: body } as const
  expect(outcome(await usher.send(started))).toEqual([404, 'connection_not_found'])
  const [known, used] = [await acme.returned(), await acme.returned()]
  expect((await provider.finish(used)).statusCode).toBe(200)
  const where = { id: acme.connectionId }
  await usher.store.prisma.tenantConnection.updateMany({ where, data: { isEnabled: false } })
  for (const login of [known, used])
    expect(outcome(await provider.finish(login))).toEqual([400, 'code_invalid'])
})

it('refuses what the former provider has said when the connection points elsewhere meanwhile', async ({
  sso,
  usher,
  provider,
}) => {
  const acme = await sso.tenant()
  const ada = await sso.verified('ada@acme.example')
  await acme.add(ada.id)
  await acme.logIn()
  const [login, proof] = [await acme.returned(), await acme.returned()]
  await usher.store.prisma.tenantConnection.updateMany({
    where: { id: acme.connectionId },
    data: { issuer: 'https://idp.elsewhere.example' },
  })
  expect(outcome(await provider.finish(login))).toEqual([400, 'code_invalid'])
  expect(outcome(await sso.as(ada.token.jwt, 'POST', 'users/me/tenant-proofs', proof))).toEqual([
    400,
    'code_invalid',
  ])
  // Nor is a newcomer linked.
  expect(outcome(await acme.logIn({ subject: 'eve', email: 'eve@acme.example' }))).toEqual([
    400,
    'code_invalid',
  ])
})

it('joins and links once when two logins of one new person finish at the same time', async ({
  sso,
  provider,
}) => {
  const acme = await sso.tenant()
  const logins = await Promise.all(Array.from({ length: 4 }, () => acme.returned()))
  const responses = await Promise.all(logins.map((login) => provider.finish(login)))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(logins.map(() => 200))
  expect(new Set(responses.map((response) => response.json().id)).size).toBe(1)
  expect([await acme.entries(), await acme.members()].map(({ length }) => length)).toEqual([1, 1])
})

it('needs the password of nobody for a session of a tenant, and gives none', async ({ sso, app }) => {
  const acme = await sso.tenant()
  const email = 'ada@acme.example'
  await sso.verified(email)
  const { token } = (await acme.logIn()).json()
  expect(outcome(await app.as(token.jwt, 'POST', 'me/step-up', { password }))).toEqual([
    403,
    'own_login_required',
  ])
  expect((await app.login({ email, password })).statusCode).toBe(200)
})
