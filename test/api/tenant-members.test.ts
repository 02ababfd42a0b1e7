import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { disableUser, setDatabase } from '../support/operator-changes.js'
import { it, refusal } from '../support/tenants.js'

const insufficient = [403, 'role_insufficient']
const lastOwner = [409, 'last_owner']

describe('the members of a tenant', () => {
  it('are listed in pages with their roles', async ({ tenants }) => {
    const { owner, id } = await tenants.founder()
    const admin = await tenants.joined(id, 'admin')
    const member = await tenants.joined(id)
    const [status, { members, next }] = await member.as('GET', `${id}/members`)
    expect([status, next]).toEqual([200, null])
    const roles = new Map([
      [owner.id, 'owner'],
      [admin.id, 'admin'],
      [member.id, 'member'],
    ])
    const ids = [...roles.keys()].sort()
    expect(members.map((each: { id: string; role: string }) => [each.id, each.role])).toEqual(
      ids.map((each) => [each, roles.get(each)]),
    )
    expect(Object.keys(members[0])).toEqual(['id', 'email', 'preferredName', 'role', 'joinedAt'])
    const [, first] = await member.as('GET', `${id}/members?limit=2`)
    expect([first.members.length, first.next]).toEqual([2, ids[1]])
    const [, second] = await member.as('GET', `${id}/members?limit=2&after=${first.next}`)
    expect([second.members, second.next]).toEqual([[members[2]], null])
    for (const query of ['limit=0', 'limit=1001', 'after=x'])
      expect(refusal(await member.as('GET', `${id}/members?${query}`))).toEqual([400, 'validation_failed'])
  })

  it('are found by a part of their address or name, in pages', async ({ usher, tenants }) => {
    const { owner, id } = await tenants.founder()
    const others = [await tenants.joined(id), await tenants.joined(id), await tenants.joined(id)]
    const databaseId = tenants.database.id
    const ids = [owner.id, ...others.map((each) => each.id)].sort()
    for (const [index, userId] of ids.entries())
      await usher.store.prisma.user.updateMany({
        where: { databaseId, id: userId },
        data: { email: `ada-${index}_%@example.com`, preferredName: index === 1 ? 'Ärzte ÄRZTE' : null },
      })
    const find = async (search: string, more = '') => {
      const [status, { members, next }] = await owner.as(
        'GET',
        `${id}/members?search=${encodeURIComponent(search)}${more}`,
      )
      expect(status).toBe(200)
      return [members.map((each: { id: string }) => ids.indexOf(each.id)), next]
    }
    expect(await find('ADA-2')).toEqual([[2], null])
    expect(await find('Ärzte')).toEqual([[1], null])
    expect(await find('A\u0308rzte')).toEqual([[1], null])
    expect(await find('_%@')).toEqual([[0, 1, 2, 3], null])
    expect(await find('__')).toEqual([[], null])
    expect(await find('ada-', '&limit=3')).toEqual([[0, 1, 2], ids[2]])
    expect(await find('ada-', `&limit=3&after=${ids[2]}`)).toEqual([[3], null])
    for (const wrong of ['', 'x'.repeat(255), '\0'])
      expect(refusal(await owner.as('GET', `${id}/members?search=${encodeURIComponent(wrong)}`))).toEqual([
        ...[400, 'validation_failed'],
      ])
    // Of another tenant.
    const stranger = await tenants.founder()
    expect((await stranger.owner.as('GET', `${stranger.id}/members?search=ada-`))[1].members).toEqual([])
  })

  it('of a large tenant are searched in parts, whose last one has no next', async ({ usher, tenants }) => {
    const { owner, id: tenantId } = await tenants.founder()
    const databaseId = tenants.database.id
    const rows = Array.from({ length: 2_000 }, (_, index) => ({
      ...{ databaseId, id: randomUUID(), createdAt: new Date() },
      ...{ email: `member-${index}@example.com`, canonicalEmail: `member-${index}@example.com` },
    }))
    await usher.store.prisma.user.createMany({ data: rows })
    await usher.store.prisma.membership.createMany({
      data: rows.map(({ id }) => ({ databaseId, tenantId, userId: id, joinedAt: new Date() })),
    })
    const ids = [owner.id, ...rows.map(({ id }) => id)].sort()
    const find = async (search: string, after = '') =>
      (await owner.as('GET', `${tenantId}/members?search=${search}${after && `&after=${after}`}`))[1]
    expect(await find('nobody')).toEqual({ members: [], next: ids[1999] })
    expect(await find('nobody', ids[1999])).toEqual({ members: [], next: null })
    const last = rows.find(({ id }) => id === ids[2000])
    if (last) expect((await find(last.email, ids[1999])).members).toMatchObject([{ id: last.id }])
    expect((await find('member-')).members).toHaveLength(50)
  })

  it('get roles that the database has', async ({ usher, tenants }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const member = await tenants.joined(id)
    const change = (role: unknown) => owner.as('PATCH', `${id}/members/${member.id}`, { role })
    expect(await change('billing')).toMatchObject([
      400,
      { errors: [{ path: 'role', code: 'invalid_type', detail: 'must be owner, admin, member' }] },
    ])
    expect(await change(undefined)).toMatchObject([400, { errors: [{ path: 'role', code: 'required' }] }])
    expect(await change('r'.repeat(33))).toMatchObject([
      400,
      { errors: [{ path: 'role', code: 'too_long' }] },
    ])
    await setDatabase(usher.store, database, { roles: ['billing'] })
    expect(await change('billing')).toMatchObject([200, { id: member.id, role: 'billing' }])
    expect(await change('owner')).toMatchObject([200, { role: 'owner' }])
    expect(await change('owner')).toMatchObject([200, { role: 'owner' }])
    expect((await member.as('GET', id))[1].role).toBe('owner')
    expect(refusal(await owner.as('PATCH', `${id}/members/${randomUUID()}`, { role: 'admin' }))).toEqual([
      ...[404, 'member_not_found'],
    ])
    const changed = `"audit":"tenant.role_changed","databaseId":"${database.id}","tenantId":"${id}"`
    await expect.poll(usher.logged).toContain(`${changed},"userId":"${member.id}","actorId":"${owner.id}"`)
  })

  it('keep a role that they are given again, without a revocation, an event or an audit record', async ({
    usher,
    tenants,
  }) => {
    const { database } = tenants
    await setDatabase(usher.store, database, { eventsKept: 1 })
    const { owner, id } = await tenants.founder()
    const member = await tenants.joined(id)
    const where = { databaseId: database.id }
    const { keptEvent, revocation } = usher.store.prisma
    const stored = async () => [await keptEvent.count({ where }), await revocation.count({ where })]
    const before = await stored()
    usher.forgetLog()
    expect(await owner.as('PATCH', `${id}/members/${member.id}`, { role: 'member' })).toMatchObject([
      200,
      { role: 'member' },
    ])
    // The only owner does not give up the role.
    expect((await owner.as('PATCH', `${id}/members/${owner.id}`, { role: 'owner' }))[0]).toBe(200)
    expect((await owner.as('DELETE', `${id}/members/${randomUUID()}`))[0]).toBe(204)
    expect((await owner.as('PATCH', id, { name: 'Engines' }))[0]).toBe(200)
    expect(await stored()).toEqual(before)
    expect(usher.logged()).not.toContain('"audit"')
  })

  it('get no role that was removed from the database', async ({ usher, tenants }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const member = await tenants.joined(id)
    await setDatabase(usher.store, database, { roles: ['billing'] })
    // The server keeps the database with the role in its cache.
    usher.clock.cacheAhead += 6_000
    await owner.as('GET', id)
    await setDatabase(usher.store, database, { roles: [] })
    const body = { email: 'grace@example.com', role: 'billing' }
    for (const response of [
      await owner.as('PATCH', `${id}/members/${member.id}`, body),
      await owner.as('POST', `${id}/invitations`, body),
    ])
      expect(response).toMatchObject([400, { errors: [{ path: 'role', code: 'invalid_type' }] }])
  })

  it('below admin are changed and removed by admins, and all others by owners', async ({ tenants }) => {
    const { owner, id } = await tenants.founder()
    const admin = await tenants.joined(id, 'admin')
    const second = await tenants.joined(id, 'admin')
    const member = await tenants.joined(id)
    const refused = [
      await admin.as('PATCH', `${id}/members/${member.id}`, { role: 'admin' }),
      await admin.as('PATCH', `${id}/members/${member.id}`, { role: 'owner' }),
      await admin.as('PATCH', `${id}/members/${second.id}`, { role: 'member' }),
      await admin.as('PATCH', `${id}/members/${admin.id}`, { role: 'owner' }),
      await admin.as('PATCH', `${id}/members/${owner.id}`, { role: 'member' }),
      await admin.as('DELETE', `${id}/members/${second.id}`),
      await admin.as('DELETE', `${id}/members/${owner.id}`),
      await member.as('DELETE', `${id}/members/${admin.id}`),
      await member.as('DELETE', `${id}/members/${randomUUID()}`),
      await member.as('PATCH', `${id}/members/${member.id}`, { role: 'admin' }),
      await member.as('PATCH', `${id}/members/${randomUUID()}`, { role: 'admin' }),
    ]
    expect(refused.map(refusal)).toEqual(refused.map(() => insufficient))
    expect((await tenants.roles(id)).size).toBe(4)
    expect(await admin.as('DELETE', `${id}/members/${member.id}`)).toEqual([204, undefined])
    expect(await admin.as('DELETE', `${id}/members/${member.id}`)).toEqual([204, undefined])
    expect(refusal(await member.as('GET', id))).toEqual([404, 'tenant_not_found'])
    expect(await owner.as('DELETE', `${id}/members/${second.id}`)).toEqual([204, undefined])
    expect((await owner.as('PATCH', `${id}/members/${admin.id}`, { role: 'owner' }))[0]).toBe(200)
    expect((await admin.as('DELETE', `${id}/members/${owner.id}`))[0]).toBe(204)
    expect([...(await tenants.roles(id))]).toEqual([[admin.id, 'owner']])
  })

  it('lose rights immediately, although their tokens stay', async ({ usher, tenants }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const admin = await tenants.joined(id, 'admin')
    const again = await database.login({ email: admin.email, password })
    expect(again.statusCode).toBe(200)
    await owner.as('PATCH', `${id}/members/${admin.id}`, { role: 'member' })
    expect(refusal(await admin.as('PATCH', id, { name: 'Ours' }))).toEqual(insufficient)
    const now = new Date(usher.clock.now)
    await disableUser({ store: usher.store, now }, database, owner.id)
    expect(refusal(await owner.as('PATCH', id, { name: 'Ours' }))).toEqual([401, 'token_invalid'])
  })

  it('leave, and the last one deletes the tenant', async ({ usher, tenants }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const member = await tenants.joined(id)
    expect(await member.as('DELETE', `${id}/members/${member.id.toUpperCase()}`)).toEqual([204, undefined])
    expect(await owner.as('DELETE', `${id}/members/${owner.id}`)).toEqual([204, undefined])
    expect(await usher.store.prisma.tenant.count({ where: { databaseId: database.id } })).toBe(0)
    const ids = `"databaseId":"${database.id}","tenantId":"${id}"`
    await expect.poll(usher.logged).toContain(`"audit":"tenant.deleted",${ids}`)
  })
})

describe('the last owner of a tenant', () => {
  it('cannot leave, give up the role or delete the account while there are members', async ({
    usher,
    tenants,
  }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const leave = () => owner.as('DELETE', `${id}/members/${owner.id}`)
    const demote = () => owner.as('PATCH', `${id}/members/${owner.id}`, { role: 'admin' })
    const remove = async () => {
      const { statusCode, body } = await database.as(owner.token.jwt, 'POST', 'me/deletion', { password })
      return [statusCode, body ? JSON.parse(body) : undefined] as const
    }
    const alone = await demote()
    expect(refusal(alone)).toEqual(lastOwner)
    expect(alone[1].detail).toBe(
      `The only member must be owner. Invite another owner first, or delete the tenant: ${id}.`,
    )
    await tenants.joined(id, 'admin')
    const disabled = await tenants.joined(id, 'owner')
    const now = new Date(usher.clock.now)
    await disableUser({ store: usher.store, now }, database, disabled.id)
    for (const attempt of [leave, demote, remove]) {
      const response = await attempt()
      expect(refusal(response)).toEqual(lastOwner)
      expect(response[1]).toMatchObject({
        detail: `Other members would have no owner. Make one of them owner first, or delete the tenant: ${id}.`,
        tenants: [id],
      })
    }
    expect(await usher.store.prisma.user.count({ where: { databaseId: database.id } })).toBe(3)
    await tenants.joined(id, 'owner')
    expect((await demote())[0]).toBe(200)
    expect((await remove())[0]).toBe(204)
    expect((await tenants.roles(id)).size).toBe(3)
  })

  it('stays when both owners demote, leave or delete themselves at the same time', async ({ tenants }) => {
    const { database } = tenants
    const { owner, id } = await tenants.founder()
    const other = await tenants.joined(id, 'owner')
    await tenants.joined(id)
    const demoted = await Promise.all([
      owner.as('PATCH', `${id}/members/${other.id}`, { role: 'member' }),
      other.as('PATCH', `${id}/members/${owner.id}`, { role: 'member' }),
    ])
    expect(demoted.map(([status]) => status).sort()).toEqual([200, 403])
    const left = [...(await tenants.roles(id))].filter(([, role]) => role === 'owner')
    expect(left).toHaveLength(1)
    const [first, second] = left[0]?.[0] === owner.id ? [owner, other] : [other, owner]
    await first.as('PATCH', `${id}/members/${second.id}`, { role: 'owner' })
    const [leaving, deletion] = await Promise.all([
      first.as('DELETE', `${id}/members/${first.id}`),
      database.as(second.token.jwt, 'POST', 'me/deletion', { password }),
    ])
    expect([leaving[0], deletion.statusCode].sort()).toEqual([204, 409])
  })
})
