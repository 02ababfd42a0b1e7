import { randomUUID } from 'node:crypto'
import { describe, expect, vi } from 'vitest'
import { revokeUserTokens } from '../../server/store/queries/revocations.js'
import { password } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { setDatabase } from '../support/operator-changes.js'
import { addMembers, it, keptEvents, refusal } from '../support/tenants.js'

const notFound = [404, 'tenant_not_found']

describe('a tenant', () => {
  it('is created with its creator as owner, and is read, renamed and deleted', async ({ usher, tenants }) => {
    const { database } = tenants
    const user = await tenants.joined()
    const [status, tenant] = await user.as('POST', '', { name: ' Looms ' })
    const { id } = tenant
    const expected = { id, name: 'Looms', role: 'owner', seats: null, metadata: null }
    expect([status, tenant]).toEqual([201, { ...expected, createdAt: '2026-03-01T12:00:00.000Z' }])
    const { memberships } = (await database.me(user.token.jwt)).json()
    expect(memberships).toMatchObject([{ id, name: 'Looms', role: 'owner' }])
    expect(await user.as('GET', id)).toEqual([200, tenant])
    expect(await user.as('GET', id.toUpperCase())).toEqual([200, tenant])
    expect(await user.as('PATCH', id, {})).toEqual([200, tenant])
    expect(await user.as('PATCH', id, { name: 'Engines' })).toEqual([200, { ...tenant, name: 'Engines' }])
    expect(await user.as('GET', id)).toEqual([200, { ...tenant, name: 'Engines' }])
    expect(await user.as('DELETE', id)).toEqual([204, undefined])
    expect(refusal(await user.as('GET', id))).toEqual(notFound)
    const ids = `"databaseId":"${database.id}","tenantId":"${id}"`
    for (const event of ['tenant.created', 'tenant.updated', 'tenant.deleted'])
      await expect.poll(usher.logged).toContain(`"audit":"${event}",${ids}`)
  })

  it('gets only a name from its members, not the fields of backends', async ({ usher, tenants }) => {
    const user = await tenants.joined()
    const more = {
      seats: 1,
      externalId: 'customer',
      metadata: { plan: 'free' },
      privateMetadata: { debt: 1 },
    }
    const [, { id }] = await user.as('POST', '', { name: 'Looms', ...more })
    await user.as('PATCH', id, { name: 'Engines', ...more })
    const fields = { seats: null, externalId: null, metadata: null, privateMetadata: null }
    expect(await usher.store.prisma.tenant.findFirst({ where: { id } })).toMatchObject({
      name: 'Engines',
      ...fields,
    })
  })

  it('is not created if the tokens of its creator are revoked meanwhile', async ({ usher, tenants }) => {
    const { id: databaseId } = tenants.database
    const user = await tenants.joined()
    const count = () => usher.store.prisma.tenant.count({ where: { databaseId } })
    const before = await count()
    const { findUser } = usher.context
    vi.spyOn(usher.context, 'findUser').mockImplementationOnce(async (key) => {
      const found = await findUser(key)
      await revokeUserTokens(usher.store, { databaseId, id: user.id }, { now: new Date(usher.clock.now) })
      return found
    })
    expect(refusal(await user.as('POST', '', { name: 'Looms' }))).toEqual([401, 'token_invalid'])
    expect(await count()).toBe(before)
  })

  it('causes an event for each change of itself and of its members', async ({ usher, tenants }) => {
    const { database } = tenants
    await setDatabase(usher.store, database, { eventsKept: 1 })
    const user = await tenants.joined()
    const other = await tenants.joined()
    const where = { databaseId: database.id }
    /** Returns the stored events by type, and deletes them. */
    const events = async () => {
      const kept = await keptEvents(usher, database.id)
      await usher.store.prisma.keptEvent.deleteMany({ where })
      return kept
    }
    const of = (type: string, userId?: string) => ({ type, tenantId: id, ...(userId && { userId }) })
    await events()
    const [, { id }] = await user.as('POST', '', { name: 'Looms' })
    const created = [of('tenant.created', user.id), of('tenant.user_added', user.id)]
    expect(await events()).toMatchObject(created)
    await user.as('PATCH', id, { name: 'Engines' })
    expect(await events()).toMatchObject([of('tenant.updated')])
    const joinedAt = new Date(usher.clock.now)
    const row = { ...where, userId: other.id, tenantId: id, role: 'member', joinedAt }
    await usher.store.prisma.membership.create({ data: row })
    usher.forgetLog()
    await user.as('PATCH', `${id}/members/${other.id}`, { role: 'admin' })
    expect(await events()).toMatchObject([of('tenant.role_changed', other.id)])
    await user.as('DELETE', `${id}/members/${other.id}`)
    expect(await events()).toMatchObject([of('tenant.user_removed', other.id)])
    await user.as('DELETE', `${id}/members/${user.id}`)
    expect(await events()).toMatchObject([of('tenant.deleted'), of('tenant.user_removed', user.id)])
    const audited = auditRecords(usher).map(({ audit, role, userId, actorId }) => [
      audit,
      role,
      userId,
      actorId,
    ])
    expect(audited).toEqual([
      ['tenant.role_changed', 'admin', other.id, user.id],
      ['tenant.user_removed', undefined, other.id, user.id],
      ['tenant.user_removed', undefined, user.id, undefined],
      ['tenant.deleted', undefined, undefined, user.id],
    ])
    for (const each of auditRecords(usher)) expect(each).toMatchObject({ ...where, tenantId: id })
  })

  it('has a name', async ({ tenants }) => {
    const { owner, id } = await tenants.founder()
    const invalid = { name: ' ' }
    expect(refusal(await owner.as('POST', '', {}))).toEqual([400, 'validation_failed'])
    for (const request of [owner.as('POST', '', invalid), owner.as('PATCH', id, invalid)])
      expect(await request).toMatchObject([400, { errors: [{ path: 'name', code: 'blank' }] }])
    expect(await owner.as('GET', 'no-uuid')).toMatchObject([400, { errors: [{ path: 'tenantId' }] }])
  })

  it('cannot be created by a user who has created 100 others that exist', async ({ usher, tenants }) => {
    const { id: databaseId } = tenants.database
    const user = await tenants.joined()
    const createdAt = new Date(usher.clock.now)
    const data = Array.from({ length: 98 }, () => ({
      ...{ databaseId, id: randomUUID(), name: 'Engines', creatorId: user.id, createdAt },
    }))
    await usher.store.prisma.tenant.createMany({ data })
    const responses = await Promise.all(['A', 'B', 'C', 'D'].map((name) => user.as('POST', '', { name })))
    expect(responses.map(([status]) => status).sort()).toEqual([201, 201, 409, 409])
    expect(refusal(await user.as('POST', '', { name: 'E' }))).toEqual([409, 'tenants_full'])
    await usher.store.prisma.tenant.deleteMany({ where: { databaseId, id: data[0]?.id ?? '' } })
    expect((await user.as('POST', '', { name: 'E' }))[0]).toBe(201)
  })

  it('gives a user the rights of the role in this tenant only', async ({ usher, tenants }) => {
    const { owner: founder, id: own } = await tenants.founder()
    const { id } = await tenants.founder()
    const row = {
      databaseId: tenants.database.id,
      userId: founder.id,
      joinedAt: new Date(usher.clock.now + 1),
    }
    await usher.store.prisma.membership.create({ data: { ...row, tenantId: id, role: 'member' } })
    const roleIn = async (tenantId: string) => (await founder.as('GET', tenantId))[1].role
    expect([await roleIn(own), await roleIn(id)]).toEqual(['owner', 'member'])
    const refused = { code: 'role_insufficient', detail: 'Needs the role admin or owner.' }
    expect(await founder.as('PATCH', id, { name: 'Ours' })).toMatchObject([403, refused])
    const detail = 'Needs the role owner.'
    expect(await founder.as('DELETE', id)).toMatchObject([403, { ...refused, detail }])
    expect((await founder.as('PATCH', own, { name: 'Ours' }))[0]).toBe(200)
  })

  it('needs a token of an unchanged user', async ({ tenants }) => {
    const { owner, id } = await tenants.founder()
    await tenants.database.as(owner.token.jwt, 'DELETE', 'me/sessions')
    for (const request of [owner.as('POST', '', { name: 'A' }), owner.as('DELETE', id)])
      expect(refusal(await request)).toEqual([401, 'token_invalid'])
  })

  it('is deleted with all members, in several transactions', async ({ usher, tenants }) => {
    const { database } = tenants
    const { owner, id: tenantId } = await tenants.founder()
    const { id: databaseId } = database
    const { prisma } = usher.store
    await addMembers(usher, { databaseId, tenantId }, 251)
    await setDatabase(usher.store, database, { eventsKept: 1 })
    usher.clock.cacheAhead += 6_000
    expect(await owner.as('DELETE', tenantId)).toEqual([204, undefined])
    expect(await prisma.tenant.count({ where: { databaseId, id: tenantId } })).toBe(0)
    const types = (await keptEvents(usher, databaseId)).map(({ type }) => type)
    expect(types).toEqual(['tenant.deleted', ...Array(252).fill('tenant.user_removed')])
  })
})

it('an owner deletes the account in a database without operations on tenants', async ({ usher, tenants }) => {
  const { database } = tenants
  const { owner, id } = await tenants.founder()
  await tenants.joined(id)
  await setDatabase(usher.store, database, { tenantOperations: false })
  usher.clock.cacheAhead += 6_000
  const deletion = await database.as(owner.token.jwt, 'POST', 'me/deletion', { password })
  expect(deletion.statusCode).toBe(204)
})
