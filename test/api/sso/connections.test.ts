import { describe, expect } from 'vitest'
import { auditRecords } from '../../support/audit.js'
import { createApiKey, setDatabase } from '../../support/operator-changes.js'
import { it } from '../../support/sso.js'

describe('connections of a tenant', () => {
  it('are added, shown without the secret, changed, checked and removed', async ({ sso, usher, app }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso`
    const added = await owner.as('POST', `${path}/connections`, sso.connection)
    expect(added).toMatchObject({
      status: 201,
      body: { preset: 'oidc', title: 'OpenID Connect', hasSecret: true, testedAt: null },
    })
    const { id, callbackUrl } = added.body
    expect(callbackUrl).toMatch(new RegExp(`/${app.databaseName}/connections/${id}/callback$`))
    expect(JSON.stringify(added.body)).not.toContain('client secret')
    expect((await owner.as('GET', path)).body.connections).toEqual([added.body])
    expect(await sso.byKey('GET', path)).toMatchObject({ status: 200, body: { connections: [added.body] } })
    const changed = await owner.as('PATCH', `${path}/connections/${id}`, { title: 'Acme', isEnabled: false })
    expect(changed.body).toEqual({ ...added.body, title: 'Acme', isEnabled: false })
    expect((await owner.as('POST', `${path}/connections/${id}/check`)).status).toBe(204)
    expect(
      (await usher.send({ method: 'GET', url: app.users.replace(/users$/, 'connections') })).json(),
    ).toEqual({ connections: [] })
    expect((await owner.as('DELETE', `${path}/connections/${id}`)).status).toBe(204)
    expect((await owner.as('DELETE', `${path}/connections/${id}`)).status).toBe(204)
    expect((await owner.as('GET', path)).body.connections).toEqual([])
    expect((await sso.events()).filter(({ type }) => type === 'sso.changed')).toHaveLength(3)
    const types = auditRecords(usher).map(({ audit }) => audit)
    expect(types).toEqual(
      expect.arrayContaining(['sso.connection_added', 'sso.connection_set', 'sso.connection_removed']),
    )
    const subjects = (await app.delivered()).map(({ parsed }) => parsed.subject)
    expect(subjects).toEqual(Array(3).fill('Single sign-on was changed'))
  })

  it('have an id that the client may choose, and so a callback URL that is known before', async ({
    sso,
    app,
    usher,
    clock,
  }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso`
    const { callbackUrl } = (await owner.as('GET', path)).body
    const add = (id: unknown, of = owner) =>
      of.as('POST', `${of.tenantId}/sso/connections`, { ...sso.connection, id })
    const id = crypto.randomUUID()
    const added = await add(id.toUpperCase())
    expect(added).toMatchObject({ status: 201, body: { id, callbackUrl: callbackUrl.replace('{id}', id) } })
    expect(callbackUrl).toContain(`/${app.databaseName}/connections/{id}/callback`)
    clock.now += 1_000
    const byKey = await sso.byKey('POST', `${path}/connections`, {
      ...sso.connection,
      id: crypto.randomUUID(),
    })
    expect(byKey.status).toBe(201)

    const other = await sso.founder()
    const taken = { path: 'id', code: 'invalid_type', detail: 'is already in use' }
    for (const of of [owner, other]) {
      const refused = await add(id, of)
      expect([refused.code, refused.body.errors]).toEqual(['validation_failed', [taken]])
    }
    expect((await add('acme')).body.errors).toEqual([{ ...taken, detail: 'must be a UUID' }])
    expect((await owner.as('GET', path)).body.connections).toEqual([added.body, byKey.body])
    expect((await other.as('GET', `${other.tenantId}/sso`)).body.connections).toEqual([])

    const elsewhere = await usher.newDatabase()
    await setDatabase(usher.store, elsewhere, { singleSignOn: true, appUrl: sso.appUrl })
    clock.cacheAhead += 6_000
    const { tenants } = await elsewhere.signedUp({ newTenant: 'Looms' })
    const grant = { name: 'other', scopes: ['sso:write' as const], expiresInSeconds: 3_600 }
    const at = { store: usher.store, now: new Date(clock.now) }
    const { key } = await createApiKey(at, elsewhere, grant)
    const same = await usher.send({
      method: 'POST',
      url: elsewhere.users.replace(/users$/, `management/tenants/${tenants[0]}/sso/connections`),
      headers: { authorization: `Bearer ${key}` },
      payload: { ...sso.connection, id },
    })
    expect([same.statusCode, same.json().id]).toEqual([201, id])

    // Its people stay the tenant's when it is removed.
    const { tenantEntry } = usher.store.prisma
    const person = { issuer: sso.connection.issuer, subject: 'ada', provesFrom: new Date(), userId: owner.id }
    const entry = { id: crypto.randomUUID(), connectionId: id, tenantId: owner.tenantId, ...person }
    await tenantEntry.create({ data: { databaseId: app.id, ...entry } })
    expect((await owner.as('DELETE', `${path}/connections/${id}`)).status).toBe(204)
    expect((await add(id, other)).body.errors).toEqual([taken])
    expect((await add(id)).status).toBe(201)
  })

  it('are found by id within 5 seconds, with what a login needs', async ({
    sso,
    usher,
    app,
    clock,
    provider,
  }) => {
    const { owner } = sso
    const { body } = await owner.as('POST', `${owner.tenantId}/sso/connections`, sso.connection)
    const find = () => usher.context.findTenantConnection(app.id, body.id)
    expect(await find()).toMatchObject({
      ofTenant: { tenantId: owner.tenantId },
      name: body.id,
      preset: 'oidc',
      issuer: provider.issuer,
    })
    await owner.as('PATCH', `${owner.tenantId}/sso/connections/${body.id}`, { isEnabled: false })
    clock.cacheAhead += 6_000
    expect(await find()).toBeUndefined()
    expect(await usher.context.findTenantConnection(app.id, 'none')).toBeUndefined()
  })

  it('are mailed to the owners with five changes an hour at most, and changed without a mail after that', async ({
    sso,
    usher,
    app,
    clock,
  }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso`
    const { body } = await owner.as('POST', `${path}/connections`, sso.connection)
    for (const title of ['One', 'Two', 'Three']) {
      const changed = await owner.as('PATCH', `${path}/connections/${body.id}`, { title })
      expect(changed.body.title).toBe(title)
    }
    for (const maxAge of [3_600, 7_200, 10_800])
      expect((await owner.as('PATCH', path, { maxAge })).body.maxAge).toBe(maxAge)
    expect(await app.delivered()).toHaveLength(5)
    const refusals = auditRecords(usher).filter(({ audit }) => audit === 'mail.throttled')
    expect(refusals).toMatchObject(Array(2).fill({ tenantId: owner.tenantId, limit: 'tenant' }))
    expect((await owner.as('DELETE', `${path}/connections/${body.id}`)).status).toBe(204)
    expect((await owner.as('GET', path)).body.connections).toEqual([])
    const other = await sso.founder()
    await other.as('PATCH', `${other.tenantId}/sso`, { maxAge: 3_600 })
    expect(await app.delivered()).toHaveLength(6)
    clock.now += 12 * 60_000
    expect((await sso.byKey('POST', `${path}/connections`, sso.connection)).status).toBe(201)
    expect((await sso.byKey('PATCH', path, { maxAge: 3_600 })).status).toBe(200)
    expect(await app.delivered()).toHaveLength(7)
  })

  it('are at most five', async ({ sso }) => {
    const { owner, connection } = sso
    for (let count = 0; count < 5; count++)
      expect((await owner.as('POST', `${owner.tenantId}/sso/connections`, connection)).status).toBe(201)
    expect((await owner.as('POST', `${owner.tenantId}/sso/connections`, connection)).code).toBe('sso_full')
  })

  it('need an issuer of one customer, and its fields', async ({ sso }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso/connections`
    for (const [given, code] of [
      [{ issuer: 'https://accounts.google.com' }, 'issuer_shared'],
      [{ issuer: 'https://ACCOUNTS.google.com./' }, 'issuer_shared'],
      [{ preset: 'google_workspace' }, 'issuer_shared'],
      [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer_shared'],
      [{ issuer: 'https://login.microsoftonline.com/organizations/v2.0' }, 'issuer_shared'],
      [{ issuer: 'https://login.microsoftonline.com/consumers/v2.0', preset: 'entra' }, 'issuer_shared'],
      [
        { issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' },
        'issuer_shared',
      ],
      [{ preset: 'entra' }, 'issuer_shared'],
      [{ issuer: 'https://gitlab.com' }, 'issuer_shared'],
      [{ issuer: 'https://accounts.google.com', preset: 'oidc' }, 'validation_failed'],
      [{ issuer: 'https://idp.example', preset: 'entra' }, 'validation_failed'],
      [{ issuer: 'https://idp.example', hd: 'acme.example' }, 'validation_failed'],
      [{ issuer: 'not a URL' }, 'validation_failed'],
      [{ preset: 'entra', tid: 'acme' }, 'validation_failed'],
      [{}, 'validation_failed'],
    ] as const) {
      const refused = await owner.as('POST', path, { clientId: 'usher-client', ...given })
      expect([given, refused.code]).toEqual([given, code])
    }
  })

  it('of a provider that cannot be used say what to correct', async ({ sso, provider }) => {
    const { owner } = sso
    const add = async (given: object = {}) => {
      const { code, body } = await owner.as('POST', `${owner.tenantId}/sso/connections`, {
        ...sso.connection,
        ...given,
      })
      return [code, body.detail]
    }
    provider.lies = {
      answer: (path, response) => {
        if (path !== '/token') return false
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}')
        return true
      },
    }
    expect(await add()).toEqual(['connection_invalid', expect.stringContaining('invalid_client')])
    expect(await add({ issuer: `${provider.origin}/none` })).toEqual([
      'connection_invalid',
      expect.stringContaining('no discovery document'),
    ])
    expect(await add({ issuer: 'https://127.0.0.1:9' })).toEqual(['connection_invalid', expect.any(String)])
    expect((await owner.as('GET', `${owner.tenantId}/sso`)).body.connections).toEqual([])
  })

  it('accept an issuer with a slash at its end, and forget a test of another issuer', async ({
    sso,
    usher,
    provider,
    app,
  }) => {
    const { owner } = sso
    provider.lies = { discovery: { issuer: `${provider.issuer}/` } }
    const { body } = await owner.as('POST', `${owner.tenantId}/sso/connections`, {
      ...sso.connection,
      issuer: `${provider.issuer}/`,
    })
    expect(body.issuer).toBe(provider.issuer)
    await usher.store.prisma.tenantConnection.updateMany({
      where: { databaseId: app.id },
      data: { testedAt: new Date() },
    })
    const path = `${owner.tenantId}/sso/connections/${body.id}`
    expect((await owner.as('PATCH', path, { title: null })).body.testedAt).not.toBeNull()
    expect((await owner.as('PATCH', path, { clientId: 'other' })).body.testedAt).toBeNull()
  })
})

describe('who sets single sign-on up', () => {
  it('is an owner with a confirmation', async ({ sso, usher, app }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso`
    expect((await owner.as('POST', `${path}/connections`, sso.connection, '')).code).toBe('step_up_required')
    const admin = await sso.member()
    const row = {
      databaseId: app.id,
      tenantId: owner.tenantId,
      userId: admin.id,
      role: 'admin',
      joinedAt: new Date(),
    }
    await usher.store.prisma.membership.create({ data: row })
    expect((await admin.as('GET', path)).code).toBe('role_insufficient')
    expect((await admin.as('PATCH', path, { jit: false })).code).toBe('role_insufficient')
    const other = await sso.founder()
    expect((await other.as('GET', path)).code).toBe('tenant_not_found')
    expect((await other.as('PATCH', path, { jit: false })).code).toBe('tenant_not_found')
  })

  it('is a key with the scope, for tenants of its database', async ({ sso, usher, app, clock }) => {
    const path = `${sso.owner.tenantId}/sso`
    const { key } = await createApiKey({ store: usher.store, now: new Date(clock.now) }, app, {
      name: 'other',
      scopes: ['tenants:read', 'tenants:write'],
      expiresInSeconds: 3_600,
    })
    expect((await sso.byKey('GET', path, undefined, key)).code).toBe('insufficient_scope')
    expect((await sso.byKey('PATCH', path, { maxAge: 86_400, trustAmr: true })).body).toMatchObject({
      maxAge: 86_400,
      trustAmr: true,
    })
    expect((await sso.byKey('GET', `${crypto.randomUUID()}/sso`)).code).toBe('tenant_not_found')
    expect((await sso.byKey('PATCH', path, { defaultRole: 'owner' })).body.errors[0].path).toBe('defaultRole')
    expect((await sso.byKey('PATCH', path, { defaultRole: 'none' })).body.errors[0].path).toBe('defaultRole')
  })

  it('is nobody while the database has single sign-on off', async ({ sso, usher, app, clock }) => {
    await setDatabase(usher.store, app, { singleSignOn: false })
    clock.cacheAhead += 6_000
    const path = `${sso.owner.tenantId}/sso`
    expect((await sso.owner.as('GET', path)).code).toBe('route_not_found')
    expect((await sso.byKey('GET', path)).code).toBe('route_not_found')
    expect((await sso.post('users/login/route', { email: 'ada@acme.example' })).code).toBe('route_not_found')
    expect((await sso.post('sso/portal', { code: 'none' })).code).toBe('route_not_found')
  })
})
