import type { SignedInUser } from '@usher/contract'
import { decodeJwt } from 'jose'
import { describe, expect, vi } from 'vitest'
import type { TestApi, TestDatabase } from '../support/app.js'
import { appUrl, newPassword, outcome } from '../support/codes.js'
import { retireKey, rotateKeys, setDatabase, signingKeysOf } from '../support/operator-changes.js'
import { type InvitingTenant, it } from './invitations.js'

const grace = 'grace@example.com'
const invalid = [400, 'code_invalid']
const day = 86_400_000

/** The rows of a database. */
interface Stored {
  prisma: TestApi['store']['prisma']
  databaseId: string
}

describe('an invitation', () => {
  it('is sent by mail, listed without its code, and makes its address a member once', async ({
    app,
    tenant,
  }) => {
    const user = await tenant.verified(grace)
    const response = await tenant.invite('Grace@example.com', 'admin')
    expect(response.statusCode).toBe(201)
    const invitation = {
      id: expect.any(String),
      email: 'Grace@example.com',
      role: 'admin',
      inviterId: tenant.ada.id,
      createdAt: new Date(app.clock.now).toISOString(),
      expiresAt: new Date(app.clock.now + 7 * day).toISOString(),
    }
    expect(response.json()).toEqual(invitation)
    const listed = await tenant.send(tenant.ada.token.jwt, 'GET', `tenants/${tenant.id}/invitations`)
    expect(listed.json()).toEqual({ invitations: [response.json()] })
    const [mail] = await tenant.mailsTo('Grace@example.com')
    expect(mail?.parsed.subject).toBe('Invitation to Engines')
    expect(mail?.parsed.text).toContain('You are invited to join Engines by Ada on Acme.')
    expect(mail?.parsed.text).toMatch(/until March 8, 2026 at 12:00\sPM UTC\./)
    const [, code = ''] = mail?.parsed.text?.match(`\n${appUrl}/invitation#code=(\\S+)\n`) ?? []
    expect(mail?.parsed.html).toContain(`<a href="${appUrl}/invitation#code=${code}" `)

    const accepted = await tenant.accept(code, user)
    expect([accepted.statusCode, accepted.json()]).toEqual([
      200,
      { tenantId: tenant.id, role: 'admin', joinedAt: invitation.createdAt },
    ])
    const me = await app.me(user.token.jwt)
    expect(me.json().memberships).toMatchObject([{ id: tenant.id, name: 'Engines', role: 'admin' }])
    expect(outcome(await tenant.accept(code, user))).toEqual(invalid)
    expect(await tenant.pending()).toEqual([])
  })

  it('can be read by whoever has its code, without a token, whether or not an account has the address', async ({
    app,
    tenant,
  }) => {
    const code = await tenant.invited('Grace@example.com', 'admin')
    const response = await tenant.read(code)
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        tenantName: 'Engines',
        inviterName: 'Ada',
        role: 'admin',
        email: 'Grace@example.com',
        expiresAt: new Date(app.clock.now + 7 * day).toISOString(),
      },
    ])
    await tenant.verified(grace)
    expect((await tenant.read(code)).json()).toEqual(response.json())
    expect(await tenant.pending()).toHaveLength(1)
  })

  it('is not read by a wrong code, in another database, and once it has expired or was withdrawn, replaced or accepted', async ({
    app,
    tenant,
    usher,
  }) => {
    const refused = async (code: string, ...of: [database?: TestDatabase]) =>
      expect(outcome(await tenant.read(code, ...of))).toEqual(invalid)
    const code = await tenant.invited(grace)
    for (const wrong of [
      'code',
      code.slice(1),
      code.slice(0, -2) + (code.at(-2) === 'A' ? 'B' : 'A') + code.at(-1),
    ])
      await refused(wrong)
    await refused(code, await usher.newDatabase())
    const replaced = await tenant.invited(grace)
    await refused(code)
    await tenant.accept(replaced, await tenant.verified(grace))
    await refused(replaced)
    const withdrawn = await tenant.invited('joan@example.com')
    const [{ id } = { id: '' }] = await tenant.pending()
    await tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}/invitations/${id}`)
    await refused(withdrawn)
    const disabled = await tenant.invited('joan@example.com')
    await tenant.setRole(tenant.ada.id, 'member')
    await refused(disabled)
    await tenant.setRole(tenant.ada.id, 'owner')
    expect((await tenant.read(disabled)).statusCode).toBe(200)
    app.clock.now += 7 * day
    await refused(disabled)
    await setDatabase(usher.store, app, { tenantOperations: false })
    usher.clock.cacheAhead += 5_000
    expect(outcome(await tenant.read(disabled))).toEqual([404, 'route_not_found'])
  })

  it('of a changed, an unknown or a foreign code is not accepted', async ({ tenant, app, usher }) => {
    const user = await tenant.verified(grace)
    const code = await tenant.invited(grace)
    const altered = code.slice(0, -2) + (code.at(-2) === 'A' ? 'B' : 'A') + code.at(-1)
    const reset = await app.resetCode(grace)
    const other = await usher.newDatabase()
    const stranger = await other.signedUp({ email: grace })
    for (const wrong of [altered, code.slice(1), reset, `${code.slice(0, 36)}.`, 'code'])
      expect(outcome(await tenant.accept(wrong, user))).toEqual(invalid)
    const elsewhere = await tenant.send(
      ...([stranger.token.jwt, 'POST', 'invitations/accept', { code }, other] as const),
    )
    expect(outcome(elsewhere)).toEqual(invalid)
    expect(outcome(await app.reset(code, newPassword))).toEqual(invalid)
    expect((await tenant.accept(code, user)).statusCode).toBe(200)
  })

  it('is refused for another address and without a seat, in this order', async ({ app, tenant }) => {
    const code = await tenant.invited(grace)
    await tenant.setSeats(1)
    const other = await app.signedUp({ email: 'joan@example.com' })
    expect(outcome(await tenant.accept(code, other))).toEqual([409, 'invitation_for_other_address'])
    const user = await app.signedUp({ email: grace })
    expect(outcome(await tenant.accept(code, user))).toEqual([409, 'seats_full'])
    // It has removed nothing.
    expect((await app.me(user.token.jwt)).json().emailVerified).toBe(false)
    await tenant.setSeats(2)
    expect(outcome(await tenant.accept(code, user))).toEqual([200, undefined])
    expect(outcome(await tenant.accept(code, other))).toEqual(invalid)
  })

  it('expires, after the time that the database sets', async ({ app, tenant, usher }) => {
    const user = await tenant.verified(grace)
    const code = await tenant.invited(grace)
    app.clock.now += 7 * day
    const fresh = await app.login({ email: grace, password: 'correct horse battery' })
    expect(outcome(await tenant.accept(code, fresh.json()))).toEqual(invalid)
    const owner = await app.login({ email: 'ada@example.com', password: 'correct horse battery' })
    const { jwt } = owner.json().token
    const path = `tenants/${tenant.id}/invitations`
    expect((await tenant.send(jwt, 'GET', path)).json()).toEqual({ invitations: [] })
    await setDatabase(usher.store, app, { invitationLifetime: 3600 })
    usher.clock.cacheAhead += 5_000
    const again = await tenant.send(jwt, 'POST', path, { email: grace, role: 'member' })
    expect(again.json().expiresAt).toBe(new Date(app.clock.now + 3_600_000).toISOString())
    expect(user.id).toBe(fresh.json().id)
  })

  it('is replaced by another one to the same address, and the earlier code is not accepted', async ({
    app,
    tenant,
  }) => {
    const user = await tenant.verified(grace)
    const first = await tenant.invite(grace)
    const earlier = await tenant.invited('other@example.com')
    const [mail] = await tenant.mailsTo(grace)
    const later = await tenant.invite('GRACE@example.com', 'admin')
    expect(later.json()).toMatchObject({ id: first.json().id, email: 'GRACE@example.com', role: 'admin' })
    const [newer] = await tenant.mailsTo('GRACE@example.com')
    const codes = [mail, newer].map((each) => each?.parsed.text?.match(/#code=(\S+)/)?.[1] ?? '')
    expect(codes[0]).not.toBe(codes[1])
    expect(outcome(await tenant.accept(codes[0] ?? '', user))).toEqual(invalid)
    expect((await tenant.accept(codes[1] ?? '', user)).json().role).toBe('admin')
    expect(earlier).toBeTruthy()
    expect(app.id).toBeTruthy()
  })

  it('is revoked, also if it was already', async ({ tenant }) => {
    const user = await tenant.verified(grace)
    const { id } = (await tenant.invite(grace)).json()
    const [mail] = await tenant.mailsTo(grace)
    const code = mail?.parsed.text?.match(/#code=(\S+)/)?.[1] ?? ''
    const revoke = () => tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}/invitations/${id}`)
    expect([(await revoke()).statusCode, (await revoke()).statusCode]).toEqual([204, 204])
    expect(outcome(await tenant.accept(code, user))).toEqual(invalid)
  })

  it('is not sent if it was revoked before its mail was delivered', async ({ tenant, usher, smtp }) => {
    const deliver = vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
    const { id } = (await tenant.invite(grace)).json()
    await tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}/invitations/${id}`)
    deliver.mockRestore()
    await tenant.invite('joan@example.com')
    expect(await tenant.mailsTo('joan@example.com')).toHaveLength(1)
    expect(smtp.mails.map(({ recipients }) => recipients)).toEqual([['joan@example.com']])
  })
})

describe('a void invitation', () => {
  it.for<[string, (tenant: InvitingTenant, inviter: { id: string }, stored: Stored) => Promise<unknown>]>([
    ['the inviter has left', (tenant, { id }) => tenant.remove(id)],
    ['the inviter may not give the role any more', (tenant, { id }) => tenant.setRole(id, 'member')],
    [
      'the inviter is disabled',
      (_tenant, { id }, { prisma, databaseId }) =>
        prisma.user.updateMany({ where: { databaseId, id }, data: { disabledAt: new Date() } }),
    ],
    [
      'the account of the inviter was deleted',
      (_tenant, { id }, { prisma, databaseId }) => prisma.user.deleteMany({ where: { databaseId, id } }),
    ],
    [
      'the tenant was deleted',
      ({ id }, _inviter, { prisma, databaseId }) => prisma.tenant.deleteMany({ where: { databaseId, id } }),
    ],
  ])('is not accepted if %s', async ([, change], { app, tenant, usher }) => {
    const inviter = await tenant.joined('joan@example.com', 'admin')
    const user = await tenant.verified(grace)
    const code = await tenant.invited(grace, 'member', inviter)
    await change(tenant, inviter, { prisma: usher.store.prisma, databaseId: app.id })
    expect(outcome(await tenant.accept(code, user))).toEqual(invalid)
    expect(outcome(await tenant.signUp(grace, code))).toEqual(invalid)
  })

  it('of a role above that of the inviter, who was an owner, is not accepted', async ({ tenant }) => {
    const inviter = await tenant.joined('joan@example.com', 'owner')
    const user = await tenant.verified(grace)
    const code = await tenant.invited(grace, 'admin', inviter)
    await tenant.setRole(inviter.id, 'admin')
    expect(outcome(await tenant.accept(code, user))).toEqual(invalid)
  })

  it('of an address that has joined is not accepted', async ({ app, tenant, usher }) => {
    const user = await tenant.verified(grace)
    const code = await tenant.invited(grace)
    await usher.store.prisma.membership.create({
      data: {
        databaseId: app.id,
        tenantId: tenant.id,
        userId: user.id,
        joinedAt: new Date(),
        role: 'member',
      },
    })
    expect(outcome(await tenant.accept(code, user))).toEqual(invalid)
  })
})

describe('the right to invite', () => {
  it('is that of admins for roles below admin, and that of owners for all', async ({ tenant }) => {
    const admin = await tenant.joined('admin@example.com', 'admin')
    const member = await tenant.joined('member@example.com')
    const insufficient = [403, 'role_insufficient']
    for (const role of ['member', 'admin', 'owner']) {
      expect(outcome(await tenant.invite(grace, role, member))).toEqual(insufficient)
      expect(outcome(await tenant.invite(`${role}-of-ada@example.com`, role))).toEqual([201, undefined])
    }
    expect(outcome(await tenant.invite(grace, 'admin', admin))).toEqual(insufficient)
    expect((await tenant.invite(grace, 'admin', admin)).json().detail).toBe('Needs the role owner.')
    expect(outcome(await tenant.invite(grace, 'member', admin))).toEqual([201, undefined])
    const path = `tenants/${tenant.id}/invitations`
    const listed = await tenant.send(admin.token.jwt, 'GET', path)
    const ofRole = (role: string) =>
      listed.json().invitations.find((each: { role: string }) => each.role === role).id
    const revoke = (by: typeof admin, id: string) => tenant.send(by.token.jwt, 'DELETE', `${path}/${id}`)
    expect(outcome(await revoke(admin, ofRole('owner')))).toEqual(insufficient)
    expect((await revoke(admin, ofRole('member'))).statusCode).toBe(204)
    // Inviting again needs the right over the role of the pending one too.
    expect(outcome(await tenant.invite('owner-of-ada@example.com', 'member', admin))).toEqual(insufficient)
  })

  it('comes from the store, not from the token', async ({ tenant }) => {
    const admin = await tenant.joined('admin@example.com', 'admin')
    await tenant.setRole(admin.id, 'member')
    expect(outcome(await tenant.invite(grace, 'member', admin))).toEqual([403, 'role_insufficient'])
    await tenant.remove(admin.id)
    expect(outcome(await tenant.invite(grace, 'member', admin))).toEqual([404, 'tenant_not_found'])
  })

  it('ends while a request waits for the tenant', async ({ tenant, usher }) => {
    const admin = await tenant.joined('admin@example.com', 'admin')
    const { store } = usher.context
    const { transaction } = store
    vi.spyOn(store, 'transaction').mockImplementationOnce(async (...given) => {
      await tenant.setRole(admin.id, 'member')
      return transaction(...given)
    })
    expect(outcome(await tenant.invite(grace, 'member', admin))).toEqual([403, 'role_insufficient'])
    expect(await tenant.pending()).toEqual([])
  })

  it('is not for roles that the database does not have', async ({ app, tenant, usher }) => {
    const response = await tenant.invite(grace, 'billing')
    expect(response.json()).toMatchObject({ code: 'validation_failed', errors: [{ path: 'role' }] })
    await setDatabase(usher.store, app, { roles: ['billing'] })
    usher.clock.cacheAhead += 5_000
    expect(outcome(await tenant.invite(grace, 'billing'))).toEqual([201, undefined])
  })

  it('is not accepted by a sign-up without tenant operations', async ({ app, tenant, usher }) => {
    const code = await tenant.invited(grace)
    await setDatabase(usher.store, app, { tenantOperations: false })
    usher.clock.cacheAhead += 5_000
    expect(outcome(await tenant.signUp(grace, code))).toEqual(invalid)
  })
})

it('an invitation outlasts a rotation of the keys, whatever the sessions do', async ({
  app,
  tenant,
  usher,
}) => {
  await setDatabase(usher.store, app, { sessionMax: 3_600 })
  const { id } = await tenant.verified(grace)
  const code = await tenant.invited(grace)
  await rotateKeys({ store: usher.store, now: new Date(usher.clock.now) }, app, 0)
  usher.clock.now += 2 * day
  usher.clock.cacheAhead += 5_000
  const { token } = (await app.login({ email: grace, password: 'correct horse battery' })).json()
  expect(outcome(await tenant.accept(code, { id, token } as SignedInUser))).toEqual([200, undefined])
})

it('an invitation ends with the key of its time, and the address can be invited again', async ({
  app,
  tenant,
  usher,
}) => {
  const code = await tenant.invited(grace)
  const operation = { store: usher.store, now: new Date(usher.clock.now) }
  const [stolen] = await signingKeysOf(usher.store, app)
  await rotateKeys(operation, app, 0)
  await retireKey(operation, app, stolen?.kid ?? '')
  usher.clock.cacheAhead += 5_000
  expect(outcome(await tenant.signUp(grace, code))).toEqual(invalid)
  const ada = (await app.login({ email: 'ada@example.com', password: 'correct horse battery' })).json()
  expect(outcome(await tenant.signUp(grace, await tenant.invited(grace, 'member', ada)))).toEqual([
    201,
    undefined,
  ])
})

it('a member is not invited', async ({ tenant }) => {
  expect(outcome(await tenant.invite('ADA@example.com'))).toEqual([409, 'already_member'])
})

it('a role of a pending invitation cannot be removed from the database', async ({ app, tenant, usher }) => {
  await setDatabase(usher.store, app, { roles: ['billing'] })
  usher.clock.cacheAhead += 5_000
  await tenant.invited(grace, 'billing')
  await expect(setDatabase(usher.store, app, { roles: [] })).rejects.toMatchObject({ code: 'role_in_use' })
})

it('an acceptance puts the tenant into the next token', async ({ app, tenant }) => {
  await tenant.joined(grace)
  const { token } = (await app.login({ email: grace, password: 'correct horse battery' })).json()
  expect(decodeJwt(token.jwt).tenants).toEqual([tenant.id])
})
