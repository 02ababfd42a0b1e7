import type { AppRoute } from '@ts-rest/core'
import { contract, type RouteMetadata, takesTenantToken, userTokenOf } from '@usher/contract'
import { expect } from 'vitest'
import { password, validUser } from '../../support/app.js'
import { createAuthenticator } from '../../support/authenticator.js'
import { outcome } from '../../support/codes.js'
import { setDatabase } from '../../support/operator-changes.js'
import { totpAt } from '../../support/second-factor.js'
import { codeIn } from '../../support/smtp.js'
import { it, opened } from '../../support/sso-login.js'

const ownLogin = [403, 'own_login_required']
const hours = (count: number) => count * 3_600_000

it('documents own_login_required for each operation that takes no token of a tenant', () => {
  for (const routes of Object.values<Record<string, AppRoute>>(contract as never))
    for (const [name, { metadata, responses }] of Object.entries(routes)) {
      const { who } = metadata as RouteMetadata
      if (userTokenOf({ who }) && !takesTenantToken({ who }))
        expect([name, JSON.stringify(responses[403])]).toEqual([
          name,
          expect.stringContaining('own_login_required'),
        ])
    }
})

it('opens nothing of the account with a token of a tenant', async ({ sso, app }) => {
  const acme = await sso.tenant()
  const { token } = (await acme.logIn()).json()
  const { jwt } = token
  const requests = [
    ['PATCH', 'me', { preferredName: 'Eve' }],
    ['POST', 'me/deletion', { password }],
    ['PUT', 'me/password', { newPassword: 'another battery staple' }],
    ['POST', 'me/email', { email: 'eve@example.com' }],
    ['POST', 'me/email-verification', undefined],
    ['GET', 'me/sessions', undefined],
    ['DELETE', 'me/sessions', undefined],
    ['GET', 'me/identities', undefined],
    ['GET', 'me/factors', undefined],
    ['POST', 'me/factors/totp', {}],
    ['POST', 'me/step-up', { password }],
  ] as const
  for (const [method, path, payload] of requests)
    expect([path, ...outcome(await app.as(jwt, method, path, payload))]).toEqual([path, ...ownLogin])
  expect(outcome(await sso.as(jwt, 'POST', 'tenants', { name: 'Mine' }))).toEqual(ownLogin)
})

it('keeps a session of a tenant by refreshing it, until the proof ends', async ({ sso, app, clock }) => {
  const acme = await sso.tenant('acme.example', { ssoMaxAge: 7_200 })
  const first = (await acme.logIn()).json()
  const session = (await app.openSession(first.token.jwt)).json()
  const proven = Math.floor(clock.now / 1000)
  expect(opened(session.token.jwt)).toMatchObject({
    account: false,
    tenants: [acme.id],
    sso: { [acme.id]: proven },
  })
  clock.now += hours(1.5)
  const refreshed = (await app.refresh(session.refreshToken.value)).json()
  // The token ends with the proof.
  expect(refreshed.token.maxAge).toBe(1_800)
  expect((await app.me(refreshed.token.jwt)).json()).toMatchObject({ tenants: [acme.id] })
  clock.now += hours(0.5)
  expect((await app.me(refreshed.token.jwt)).statusCode).toBe(401)
  expect(outcome(await app.refresh(refreshed.refreshToken.value))).toEqual([401, 'session_ended'])
})

it('ends the proofs of a person whom an owner unlinks, also in backends', async ({ sso, app, usher }) => {
  const acme = await sso.tenant('acme.example', { ssoRequiredAt: new Date(0) })
  const { id, token } = await sso.verified('owner@acme.example')
  await acme.add(id, 'owner')
  const ada = await sso.verified('ada@acme.example')
  await acme.add(ada.id)
  const proven = (await acme.prove(ada.token.jwt)).json()
  expect((await app.me(proven.token.jwt)).json().tenants).toEqual([acme.id])
  const owner = (await acme.prove(token.jwt, { subject: 'owner', email: 'owner@acme.example' })).json()
  const [entry] = (await acme.entries()).filter(({ userId }) => userId === ada.id)
  const { confirmation } = (await app.as(owner.token.jwt, 'POST', 'me/step-up', { password })).json()
  const removed = await usher.send({
    method: 'DELETE',
    url: app.users.replace(/users$/, `tenants/${acme.id}/sso/entries/${entry?.id}`),
    headers: { authorization: `Bearer ${owner.token.jwt}`, 'usher-confirmation': confirmation.value },
  })
  expect(removed.statusCode).toBe(204)
  expect((await app.me(proven.token.jwt)).json().tenants).toEqual([])
  const revocations = await usher.store.prisma.revocation.findMany({ where: { databaseId: app.id } })
  expect(revocations.map(({ payload }) => payload)).toContainEqual(
    expect.objectContaining({ type: 'token-claims-change', userId: ada.id, tenantId: acme.id }),
  )
})

it('requires single sign-on by an owner whose own session has passed it', async ({
  sso,
  app,
  usher,
  clock,
}) => {
  const acme = await sso.tenant()
  const { id, token } = await sso.verified('owner@acme.example')
  await acme.add(id, 'owner')
  await setDatabase(usher.store, app, { secondFactor: 'optional' })
  clock.cacheAhead += 6_000
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const totp = totpAt(secret, clock.now)
  const added = (await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', { challenge, totp })).json()
  const requireIt = async (jwt: string) =>
    outcome(
      await usher.send({
        method: 'PATCH',
        url: app.users.replace(/users$/, `tenants/${acme.id}/sso`),
        headers: { authorization: `Bearer ${jwt}`, 'usher-confirmation': added.confirmation.value },
        payload: { required: true, exempt: [id] },
      }),
    )
  // Somebody else has tested it.
  await acme.logIn()
  expect(await requireIt(added.token.jwt)).toEqual([409, 'sso_untested'])
  const person = { subject: 'owner', email: 'owner@acme.example' }
  const proven = (await acme.prove(added.token.jwt, person)).json()
  expect((await requireIt(proven.token.jwt))[0]).toBe(200)
})

it('ends the session of a person whose entry is removed', async ({ sso, app, usher, clock }) => {
  const acme = await sso.tenant()
  const { token } = (await acme.logIn()).json()
  const session = (await app.openSession(token.jwt)).json()
  await usher.store.prisma.tenantEntry.deleteMany({ where: { tenantId: acme.id } })
  clock.now += 60_000
  // A new login does not bring the former sessions back.
  for (const _ of ['unlinked', 'linked again']) {
    for (const { jwt } of [token, session.token]) expect((await app.me(jwt)).statusCode).toBe(401)
    expect((await acme.logIn()).statusCode).toBe(200)
  }
  expect(outcome(await app.refresh(session.refreshToken.value))).toEqual([401, 'session_ended'])
})

it('opens a tenant that requires single sign-on only with a proof, by every door', async ({
  sso,
  app,
  clock,
}) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const email = 'ada@acme.example'
  const { id, token } = await sso.verified(email)
  await acme.add(id, 'owner')
  await other.add(id)
  const before = (await app.openSession(token.jwt)).json()
  await acme.set({ ssoRequiredAt: new Date(clock.now) })
  const own = (await app.login({ email, password })).json()
  const refreshed = (await app.refresh(before.refreshToken.value)).json()
  for (const { tenants, token } of [own, refreshed]) {
    expect([tenants, opened(token.jwt).tenants]).toEqual([[other.id], [other.id]])
    expect((await app.me(token.jwt)).json().tenants).toEqual([other.id])
    for (const [method, path, payload] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['GET', '/members', undefined],
      ['DELETE', '', undefined],
    ] as const)
      expect(outcome(await sso.as(token.jwt, method, `tenants/${acme.id}${path}`, payload))).toEqual([
        404,
        'tenant_not_found',
      ])
  }
  // The token from before.
  expect((await app.me(before.token.jwt)).json().tenants).toEqual([other.id])
  const proven = (await acme.prove(refreshed.token.jwt)).json()
  expect(proven.tenants).toHaveLength(2)
  expect((await sso.as(proven.token.jwt, 'PATCH', `tenants/${acme.id}`, { name: 'Ours' })).statusCode).toBe(
    200,
  )
  const next = (await app.refresh(refreshed.refreshToken.value)).json()
  expect(next.tenants).toHaveLength(2)
})

it('opens it to an exempt owner with a second factor', async ({ sso, app, clock }) => {
  const acme = await sso.tenant()
  const email = 'ada@acme.example'
  const { id, token } = await sso.verified(email)
  await acme.add(id, 'owner', { ssoExempt: true })
  await acme.set({ ssoRequiredAt: new Date(clock.now) })
  expect((await app.login({ email, password })).json().tenants).toEqual([])
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const totp = totpAt(secret, clock.now)
  const added = (await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', { challenge, totp })).json()
  expect(opened(added.token.jwt)).toMatchObject({ acr: 'aal2', tenants: [acme.id] })
})

it('lets an invitee join a tenant that requires single sign-on, and opens it after that', async ({
  sso,
  app,
  clock,
}) => {
  const acme = await sso.tenant()
  const owner = await sso.verified('owner@acme.example')
  await acme.add(owner.id, 'owner')
  const email = 'ada@acme.example'
  const path = `tenants/${acme.id}/invitations`
  expect((await sso.as(owner.token.jwt, 'POST', path, { email, role: 'member' })).statusCode).toBe(201)
  const mail = (await app.delivered()).find(({ recipients }) => recipients.includes(email))
  const invitationCode = codeIn(mail ?? expect.fail())
  await acme.set({ ssoRequiredAt: new Date(clock.now) })
  const invited = (await app.createUser(validUser({ email, invitationCode }))).json()
  expect([invited.tenants, opened(invited.token.jwt).tenants]).toEqual([[], []])
  expect((await acme.logIn()).json()).toMatchObject({ id: invited.id, tenants: [acme.id] })
})

it('needs a second factor if the tenant does, of the provider only if it is trusted', async ({ sso }) => {
  const acme = await sso.tenant('acme.example', { ssoAcr: 'aal2' })
  expect(outcome(await acme.logIn({ amr: ['pwd', 'mfa'] }))).toEqual([403, 'second_factor_missing'])
  await acme.set({ ssoTrustAmr: true })
  const trusted = (await acme.logIn({ amr: ['pwd', 'mfa'] })).json()
  expect(opened(trusted.token.jwt)).toMatchObject({ acr: 'aal2', tenants: [acme.id] })
  expect(outcome(await acme.logIn({ amr: ['pwd'] }))).toEqual([403, 'second_factor_missing'])
})

it('lets a session of a tenant add only tenants that know the user', async ({ sso }) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const { id, token } = (await acme.logIn()).json()
  await other.add(id)
  expect(outcome(await other.prove(token.jwt))).toEqual(ownLogin)
  expect(outcome(await acme.prove(token.jwt, { subject: 'nobody' }))).toEqual(ownLogin)
})

it('adds no passkey with a token of a tenant, so that none logs in later', async ({
  sso,
  app,
  usher,
  clock,
}) => {
  const acme = await sso.tenant()
  await setDatabase(usher.store, app, { appUrl: 'https://app.example.com' })
  clock.cacheAhead += 6_000
  const ada = await sso.verified('ada@acme.example')
  await acme.add(ada.id)
  const { id, token } = (await acme.logIn()).json()
  expect(id).toBe(ada.id)
  const begin = (jwt: string) => app.as(jwt, 'POST', 'me/factors/passkey', { password })
  expect(outcome(await begin(token.jwt))).toEqual(ownLogin)
  // Nor what the account itself has begun to add.
  const authenticator = createAuthenticator()
  const passkey = authenticator.create((await begin(ada.token.jwt)).json().options)
  const confirm = { passkey, name: 'Phone' }
  expect(outcome(await app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', confirm))).toEqual(ownLogin)
  expect(await usher.store.prisma.factor.count({ where: { databaseId: app.id } })).toBe(0)
  const post = (path: string, payload?: object) =>
    usher.send({ method: 'POST', url: `${app.users}/login/${path}`, ...(payload && { payload }) })
  const { options } = (await post('passkey')).json()
  expect(outcome(await post('passkey/confirm', { passkey: authenticator.get(options) }))).toEqual([
    401,
    'passkey_unknown',
  ])
})

it('keeps the sessions of two tabs apart, also when both log in and refresh at the same time', async ({
  sso,
  app,
  clock,
}) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const email = 'ada@acme.example'
  const { id } = await sso.verified(email)
  for (const { add } of [acme, other]) await add(id)
  await acme.set({ ssoRequiredAt: new Date(clock.now) })
  const logins = await Promise.all([app.login({ email, password }), acme.logIn()])
  let tabs = await Promise.all(logins.map((login) => app.openSession(login.json().token.jwt)))
  const openedIn = () => tabs.map((tab) => opened(tab.json().token.jwt))
  const refresh = async () => {
    tabs = await Promise.all(tabs.map((tab) => app.refresh(tab.json().refreshToken.value)))
  }
  const apart = [
    { sub: id, account: undefined, tenants: [other.id] },
    { sub: id, account: false, tenants: [acme.id] },
  ]
  expect(openedIn()).toMatchObject(apart)
  await refresh()
  expect(openedIn()).toMatchObject(apart)
  // A proof of one tab is none of the other.
  const [own] = tabs
  expect((await acme.prove(own?.json().token.jwt)).json().tenants).toHaveLength(2)
  await refresh()
  expect(openedIn().map(({ tenants }) => tenants)).toEqual([expect.any(Array), [acme.id]])
  expect(openedIn()[0]?.tenants).toHaveLength(2)
})

it('links a person to one user only', async ({ sso }) => {
  const acme = await sso.tenant()
  await acme.logIn()
  const grace = await sso.verified('grace@acme.example')
  await acme.add(grace.id)
  expect(outcome(await acme.prove(grace.token.jwt))).toEqual([409, 'identity_taken'])
  const eve = await sso.verified('eve@elsewhere.example')
  expect(outcome(await acme.prove(eve.token.jwt, { subject: 'eve' }))).toEqual([403, 'not_member'])
})

it('accepts nothing of a tenant after the operator has turned single sign-on off', async ({
  sso,
  app,
  usher,
}) => {
  const acme = await sso.tenant()
  const { token } = (await acme.logIn()).json()
  const session = (await app.openSession(token.jwt)).json()
  const returned = await acme.returned()
  await setDatabase(usher.store, app, { singleSignOn: false })
  usher.clock.cacheAhead += 6_000
  for (const { jwt } of [token, session.token]) expect((await app.me(jwt)).statusCode).toBe(401)
  expect(outcome(await app.refresh(session.refreshToken.value))).toEqual([401, 'session_ended'])
  const finish = { method: 'POST', url: `${app.users}/login/finish`, payload: returned } as const
  expect(outcome(await usher.send(finish))).toEqual([400, 'code_invalid'])
})
