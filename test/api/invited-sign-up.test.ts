import { decodeJwt } from 'jose'
import { expect, vi } from 'vitest'
import { auditRecords } from '../support/audit.js'
import { outcome } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { it } from './invitations.js'

const grace = 'grace@example.com'
const invalid = [400, 'code_invalid']

it('a sign-up with a code creates a verified user who is a member', async ({ app, tenant, usher }) => {
  await setDatabase(usher.store, app, { requireVerifiedEmail: true })
  usher.clock.cacheAhead += 5_000
  const code = await tenant.invited(grace, 'admin')
  usher.forgetLog()
  const response = await tenant.signUp('Grace@example.com', code)
  expect(response.statusCode).toBe(201)
  const { id: userId, token, tenants } = response.json()
  expect(tenants).toEqual([tenant.id])
  expect(auditRecords(usher)).toMatchObject([
    { audit: 'user.created', userId },
    { audit: 'user.email_verified', userId },
    { audit: 'invitation.accepted', userId, tenantId: tenant.id },
    { audit: 'tenant.user_added', userId, tenantId: tenant.id },
  ])
  expect(decodeJwt(token.jwt)).toMatchObject({ tenants: [tenant.id], email_verified: true })
  expect((await app.me(token.jwt)).json()).toMatchObject({
    email: 'Grace@example.com',
    emailVerified: true,
    memberships: [{ id: tenant.id, role: 'admin' }],
  })
  expect(await tenant.pending()).toEqual([])
  expect(outcome(await tenant.signUp('other@example.com', code))).toEqual(invalid)
})

it('a sign-up with a code can create a tenant too', async ({ app, tenant }) => {
  const response = await tenant.signUp(grace, await tenant.invited(grace), { newTenant: 'Compilers' })
  const { token, tenants } = response.json()
  expect(tenants).toEqual([tenant.id, expect.any(String)])
  const me = (await app.me(token.jwt)).json()
  expect(me.tenants).toEqual(tenants)
  expect(me.memberships).toMatchObject([
    { name: 'Engines', role: 'member' },
    { name: 'Compilers', role: 'owner' },
  ])
})

it('a code is only for the invited address: nothing is created and nothing used up', async ({
  app,
  tenant,
  usher,
}) => {
  const code = await tenant.invited(grace)
  const otherAddress = [409, 'invitation_for_other_address']
  expect(outcome(await tenant.signUp('eve@example.com', code))).toEqual(otherAddress)
  const where = { databaseId: app.id, canonicalEmail: 'eve@example.com' }
  expect(await usher.store.prisma.user.count({ where })).toBe(0)
  expect(outcome(await tenant.signUp(grace, code))).toEqual([201, undefined])
})

it('a sign-up with a code is refused without a seat and with an address that is taken, and can be repeated', async ({
  tenant,
}) => {
  const code = await tenant.invited(grace)
  await tenant.setSeats(1)
  expect(outcome(await tenant.signUp(grace, code))).toEqual([409, 'seats_full'])
  await tenant.setSeats(2)
  const account = await tenant.verified(grace)
  expect(outcome(await tenant.signUp(grace, code))).toEqual([409, 'email_taken'])
  expect(outcome(await tenant.accept(code, account))).toEqual([200, undefined])
})

it('a sign-up with a code succeeds while sign-up is closed, and only with one that can be used', async ({
  app,
  tenant,
  usher,
}) => {
  const code = await tenant.invited(grace)
  await setDatabase(usher.store, app, { signUp: false })
  usher.clock.cacheAhead += 5_000
  const closed = await app.createUser({ email: grace, password: 'correct horse battery' })
  expect(outcome(closed)).toEqual([403, 'sign_up_closed'])
  const without = await tenant.signUp(grace, code, { invitationCode: null })
  expect(outcome(without)).toEqual([403, 'sign_up_closed'])
  expect(outcome(await tenant.signUp(grace, `${code}A`))).toEqual(invalid)
  expect(outcome(await tenant.signUp(grace, code))).toEqual([201, undefined])
})

it('a sign-up with a code and an Idempotency-Key can be repeated, but not with another code', async ({
  tenant,
}) => {
  const code = await tenant.invited(grace)
  const once = { 'idempotency-key': 'once' }
  const signUp = (more: object = {}) => tenant.signUp(grace, code, more, once)
  const [first, again] = [await signUp(), await signUp()]
  expect([first.statusCode, again.statusCode]).toEqual([201, 201])
  expect([again.json().id, again.json().tenants]).toEqual([first.json().id, [tenant.id]])
  const reused = [422, 'idempotency_key_reused']
  const other = await tenant.invited('joan@example.com')
  expect(outcome(await signUp({ invitationCode: other }))).toEqual(reused)
  expect(outcome(await signUp({ invitationCode: null }))).toEqual(reused)
  expect(outcome(await signUp({ newTenant: 'Compilers' }))).toEqual(reused)
})

it('a sign-up that was repeated with a tenant returns the same tenants', async ({ tenant }) => {
  const code = await tenant.invited(grace)
  const signUp = () =>
    tenant.signUp(grace, code, { newTenant: 'Compilers' }, { 'idempotency-key': 'with-tenant' })
  const [first, again] = [await signUp(), await signUp()]
  expect(again.json()).toMatchObject({ id: first.json().id, tenants: first.json().tenants })
})

it('concurrent sign-ups with one code and one Idempotency-Key return the same user', async ({ tenant }) => {
  const code = await tenant.invited(grace)
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => tenant.signUp(grace, code, {}, { 'idempotency-key': 'at-once' })),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(4).fill(201))
  expect(new Set(responses.map((response) => response.json().id)).size).toBe(1)
})

it('a sign-up without a code runs the same statements as before', async ({ app, usher }) => {
  await app.signedUp()
  const { store } = usher.context
  const { query } = store
  const texts: string[] = []
  const watched = vi.spyOn(store, 'query').mockImplementation((text, ...rest) => {
    texts.push(text)
    return query(text, ...rest)
  })
  const transactions = vi.spyOn(store, 'transaction')
  await app.signedUp({ newTenant: 'Looms' })
  const own = texts.filter((text) =>
    /usher\.("user"|tenant|membership|invitation|idempotency_key)/.test(text),
  )
  expect(own).toEqual([expect.stringContaining('INSERT INTO usher.tenant')])
  expect(transactions).not.toHaveBeenCalled()
  watched.mockRestore()
  expect(texts.join()).not.toMatch(/invitation|email_verified_at/)
})
