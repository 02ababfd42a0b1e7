import { expect } from 'vitest'
import { changeUser } from '../../../server/domain/email-change/change-user.js'
import { password } from '../../support/app.js'
import { outcome } from '../../support/codes.js'
import { runAsOperator } from '../../support/operator-changes.js'
import { it, opened } from '../../support/sso-login.js'

// The table of docs/guides/single-sign-on.md, row by row: whom a login at the provider of a tenant opens.

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)
const refused = (code: string, status = 403) => [status, code]

it('creates an account that opens only the tenant when no account has the address', async ({
  sso,
  app,
  clock,
}) => {
  const acme = await sso.tenant()
  const first = (await acme.logIn()).json()
  expect(first).toMatchObject({ isNewUser: true, tenants: [acme.id] })
  expect(opened(first.token.jwt)).toEqual({
    ...{ sub: first.id, account: false, tenants: [acme.id], sso: { [acme.id]: seconds(clock.now) } },
    ...{ acr: 'aal1', roles: {} },
  })
  expect(await acme.members()).toMatchObject([{ userId: first.id, role: 'member', ssoOnly: true }])
  expect((await app.me(first.token.jwt)).json()).toMatchObject({
    ...{ id: first.id, email: 'ada@acme.example', emailVerified: true, metadata: null },
    tenants: [acme.id],
  })
})

it('logs a known person in, whatever the address is', async ({ sso }) => {
  const acme = await sso.tenant()
  const { id } = (await acme.logIn()).json()
  for (const email of ['new@acme.example', 'ada@elsewhere.example', null])
    expect((await acme.logIn({ email })).json()).toMatchObject({ id, isNewUser: false, tenants: [acme.id] })
})

it('refuses a disabled account, known or not', async ({ sso, usher, app }) => {
  const acme = await sso.tenant()
  const { id } = (await acme.logIn()).json()
  const other = await sso.verified('grace@acme.example')
  for (const userId of [id, other.id])
    await runAsOperator(usher, app, (change) => changeUser(change, { userId, changes: { isDisabled: true } }))
  expect(outcome(await acme.logIn())).toEqual(refused('login_refused'))
  const grace = { subject: 'grace', email: 'grace@acme.example' }
  expect(outcome(await acme.logIn(grace))).toEqual(refused('login_refused'))
})

it('brings nobody back whom an owner has removed, also after the provider got another issuer', async ({
  sso,
  usher,
}) => {
  const acme = await sso.tenant()
  const { id } = (await acme.logIn()).json()
  await acme.remove(id)
  expect(outcome(await acme.logIn())).toEqual(refused('membership_ended'))
  const issuer = 'https://other.acme.example'
  await usher.store.prisma.tenantConnection.updateMany({ where: { id: acme.connectionId }, data: { issuer } })
  usher.clock.cacheAhead += 6_000
  const moved = { connection: acme.connectionId, issuer, subject: 'new', email: 'ada@acme.example' }
  expect(outcome(await acme.logIn(moved))).toEqual(refused('membership_ended'))
})

it('lets a guest in only as an invitee, or as a member with a login of the account', async ({ sso, app }) => {
  const acme = await sso.tenant()
  const guest = { subject: 'guest', email: 'guest@elsewhere.example' }
  expect(outcome(await acme.logIn(guest))).toEqual(refused('not_member'))
  const member = await sso.verified(guest.email)
  await acme.add(member.id)
  expect(outcome(await acme.logIn(guest))).toEqual(refused('not_member'))
  const proven = (await acme.prove(member.token.jwt, guest)).json()
  expect(opened(proven.token.jwt)).toMatchObject({ account: undefined, tenants: [acme.id] })
  expect((await acme.logIn(guest)).json()).toMatchObject({ id: member.id })
  expect((await app.me(member.token.jwt)).json()).toMatchObject({ id: member.id })
})

it('creates nobody without just-in-time provisioning, nor beyond the seats', async ({ sso }) => {
  const acme = await sso.tenant('acme.example', { ssoJit: false })
  expect(outcome(await acme.logIn())).toEqual(refused('not_member'))
  await acme.set({ ssoJit: true, seats: 1, ssoRole: 'admin' })
  const { id } = (await acme.logIn()).json()
  expect(await acme.members()).toMatchObject([{ userId: id, role: 'admin' }])
  const grace = { subject: 'grace', email: 'grace@acme.example' }
  expect(outcome(await acme.logIn(grace))).toEqual(refused('seats_full', 409))
})

it('refuses a second person of the provider with the address of an account', async ({ sso }) => {
  const acme = await sso.tenant()
  await acme.logIn()
  expect(outcome(await acme.logIn({ subject: 'successor' }))).toEqual(refused('account_exists', 409))
})

it('joins an account with the verified address, which its own logins do not open', async ({ sso, app }) => {
  const acme = await sso.tenant()
  const email = 'ada@acme.example'
  const { id } = await sso.verified(email)
  expect((await acme.logIn()).json()).toMatchObject({ id, isNewUser: false })
  const own = (await app.login({ email, password })).json()
  expect(own.tenants).toEqual([])
  expect(opened(own.token.jwt)).toMatchObject({ account: undefined, tenants: [] })
  const both = (await acme.prove(own.token.jwt)).json()
  expect(both.tenants).toEqual([acme.id])
})

it('gives an account whose address was never verified to the person, and its password opens nothing', async ({
  sso,
  app,
}) => {
  const acme = await sso.tenant()
  const email = 'ada@acme.example'
  const squatter = await app.signedUp({ email })
  expect((await acme.logIn()).json()).toMatchObject({ id: squatter.id })
  expect(outcome(await app.login({ email, password }))).toEqual([401, 'invalid_credentials'])
  expect((await app.me(squatter.token.jwt)).statusCode).toBe(401)
})

it('gives no account to the person that other tenants have and nobody has verified', async ({ sso, app }) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const squatter = await app.signedUp({ email: 'ada@acme.example' })
  await other.add(squatter.id)
  expect(outcome(await acme.logIn())).toEqual(refused('email_not_verified', 409))
})

it('opens of a user of two tenants the one whose provider has named the user', async ({ sso, app }) => {
  const [acme, other] = [await sso.tenant(), await sso.tenant('other.example')]
  const { id } = await sso.verified('ada@acme.example')
  await other.add(id, 'owner')
  const there = { subject: 'there', email: 'ada@acme.example' }
  const { token } = await app.login({ email: there.email, password }).then((response) => response.json())
  expect((await other.prove(token.jwt, there)).statusCode).toBe(200)
  const atAcme = (await acme.logIn()).json()
  expect(atAcme.tenants).toEqual([acme.id])
  const tenants = (await app.me(atAcme.token.jwt)).json().tenants
  expect(tenants).toEqual([acme.id])
  const both = (await other.prove(atAcme.token.jwt, there)).json()
  expect(opened(both.token.jwt)).toMatchObject({
    account: false,
    tenants: expect.arrayContaining([acme.id, other.id]),
  })
})

it('matches people again when the connection has another issuer', async ({ sso, usher }) => {
  const acme = await sso.tenant()
  const { id } = (await acme.logIn()).json()
  const issuer = 'https://other.acme.example'
  await usher.store.prisma.tenantConnection.updateMany({ where: { id: acme.connectionId }, data: { issuer } })
  usher.clock.cacheAhead += 6_000
  expect((await acme.logIn({ subject: 'new', ...{ issuer } })).json()).toMatchObject({ id, isNewUser: false })
  expect(await acme.entries()).toMatchObject([{ userId: id, issuer, subject: 'new' }])
})

it('repeats a success for a moment, with a token of the same id, and not for another verifier', async ({
  sso,
  provider,
  clock,
}) => {
  const acme = await sso.tenant()
  const returned = await acme.returned()
  const first = (await provider.finish(returned)).json()
  clock.now += 10_000
  const again = (await provider.finish(returned)).json()
  expect(opened(again.token.jwt)).toEqual(opened(first.token.jwt))
  const other = { ...returned, verifier: 'x'.repeat(43) }
  expect(outcome(await provider.finish(other))).toEqual(refused('code_invalid', 400))
})
