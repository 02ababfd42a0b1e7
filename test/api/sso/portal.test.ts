import { expect } from 'vitest'
import { setDatabase } from '../../support/operator-changes.js'
import { it as ssoTest } from '../../support/sso.js'

const it = ssoTest.extend('portal', async ({ sso }) => async (mayRequire?: boolean) => {
  const path = `${sso.owner.tenantId}/sso/portal`
  const { status, body } = await sso.byKey('POST', path, mayRequire === undefined ? {} : { mayRequire })
  expect(status).toBe(201)
  const [page, code = ''] = body.url.split('#code=')
  expect(page).toBe(`${sso.appUrl}/sso-setup`)
  return { code, open: () => sso.post('sso/portal', { code }) }
})

it('opens once, and sets up the single sign-on of its tenant only', async ({ sso, portal }) => {
  const { tenantId } = sso.owner
  const { open } = await portal()
  const opened = await open()
  expect(opened).toMatchObject({ status: 200, body: { tenantId, tenantName: 'Engines', mayRequire: false } })
  expect(await open()).toMatchObject({ status: 400, code: 'code_invalid' })
  const by = sso.by(opened.body.token)
  expect((await by('GET', `${tenantId}/sso`)).status).toBe(200)
  const added = await by('POST', `${tenantId}/sso/connections`, sso.connection)
  expect(added.status).toBe(201)
  expect((await by('POST', `${tenantId}/sso/domains`, { domain: 'acme.example' })).status).toBe(201)
  expect((await by('PATCH', `${tenantId}/sso`, { jit: false })).body.jit).toBe(false)
  expect((await by('PATCH', `${tenantId}/sso`, { required: true })).code).toBe('role_insufficient')
  expect((await by('PATCH', `${tenantId}/sso`, { exempt: [sso.owner.id] })).code).toBe('role_insufficient')
  const other = await sso.founder()
  expect((await by('GET', `${other.tenantId}/sso`)).code).toBe('tenant_not_found')
  expect((await by('POST', `${other.tenantId}/sso/domains`, { domain: 'acme.example' })).code).toBe(
    'tenant_not_found',
  )
  expect((await by('DELETE', `${other.tenantId}/sso/connections/${added.body.id}`)).code).toBe(
    'tenant_not_found',
  )
  for (const path of ['', '/members', '/invitations'])
    expect((await by('GET', `${tenantId}${path}`)).code).toBe('token_invalid')
  expect((await sso.byKey('GET', `${tenantId}/sso`, undefined, opened.body.token)).code).toBe('key_invalid')
})

it('ends after 7 days, with its tenant, and with a newer link', async ({ sso, portal, clock }) => {
  const { tenantId } = sso.owner
  const first = await portal()
  const { token } = (await (await portal()).open()).body
  expect((await first.open()).code).toBe('code_invalid')
  const late = await portal()
  expect((await sso.by(token)('GET', `${tenantId}/sso`)).code).toBe('token_invalid')
  clock.now += 7 * 86_400_000
  expect((await late.open()).code).toBe('code_invalid')
  const ended = (await (await portal()).open()).body
  clock.now += 7 * 86_400_000
  expect((await sso.by(ended.token)('GET', `${tenantId}/sso`)).code).toBe('token_expired')
  const last = (await (await portal()).open()).body
  expect((await sso.byKey('DELETE', tenantId)).status).toBe(204)
  expect((await sso.by(last.token)('GET', `${tenantId}/sso`)).code).toBe('token_invalid')
})

it('needs an app URL, and counts guessed tokens and codes', async ({ sso, app, usher, clock }) => {
  const { tenantId } = sso.owner
  await setDatabase(usher.store, app, { networkFailuresPerHour: 1 })
  clock.cacheAhead += 6_000
  const guess = (url: string, token?: string) =>
    usher.send({
      method: 'POST',
      url,
      remoteAddress: '203.0.113.7',
      payload: token ? { domain: 'acme.example' } : { code: 'none' },
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    })
  const opening = app.users.replace(/users$/, 'sso/portal')
  const adding = app.users.replace(/users$/, `tenants/${tenantId}/sso/domains`)
  const token = `usso_${'0'.repeat(32)}_${'a'.repeat(43)}`
  expect((await guess(adding, token)).json().code).toBe('token_invalid')
  await guess(opening)
  expect((await guess(adding, token)).json().code).toBe('too_many_attempts')
  expect((await guess(opening)).json().code).toBe('too_many_attempts')
  await setDatabase(usher.store, app, { appUrl: null })
  clock.cacheAhead += 6_000
  expect((await sso.byKey('POST', `${tenantId}/sso/portal`)).code).toBe('app_url_missing')
})

it('requires single sign-on after a test, with an exempt owner, and revokes what tokens say', async ({
  sso,
  app,
  usher,
  portal,
  clock,
}) => {
  const { owner } = sso
  const { tenantId } = owner
  const { token } = (await (await portal(true)).open()).body
  const by = sso.by(token)
  const member = await sso.member()
  const row = { databaseId: app.id, tenantId, userId: member.id, joinedAt: new Date(clock.now) }
  await usher.store.prisma.membership.create({ data: row })
  const exempt = [owner.id]
  expect((await by('PATCH', `${tenantId}/sso`, { required: true })).code).toBe('no_exempt_owner')
  expect((await by('PATCH', `${tenantId}/sso`, { required: true, exempt })).code).toBe('no_exempt_owner')
  await sso.withFactor(owner.id)
  expect((await by('PATCH', `${tenantId}/sso`, { exempt: [member.id] })).code).toBe('no_exempt_owner')
  expect((await by('PATCH', `${tenantId}/sso`, { required: true, exempt })).code).toBe('sso_untested')
  await by('POST', `${tenantId}/sso/connections`, sso.connection)
  const tested = (at: number) =>
    usher.store.prisma.tenantConnection.updateMany({
      where: { databaseId: app.id },
      data: { testedAt: new Date(at) },
    })
  await tested(clock.now - 600_001)
  expect((await by('PATCH', `${tenantId}/sso`, { required: true, exempt })).code).toBe('sso_untested')
  await tested(clock.now - 600_000)
  const required = await by('PATCH', `${tenantId}/sso`, { required: true, exempt })
  expect(required.body).toMatchObject({
    required: true,
    requiredSince: new Date(clock.now).toISOString(),
    exempt,
  })
  const revocations = await usher.store.prisma.revocation.findMany({ where: { databaseId: app.id } })
  expect(revocations.map(({ payload }) => payload)).toEqual([
    { type: 'token-claims-change', userId: member.id, version: expect.any(Number), tenantId, role: null },
  ])
  expect((await by('PATCH', `${tenantId}/sso`, { exempt: [] })).code).toBe('no_exempt_owner')
  const [first] = required.body.connections
  const connectionPath = `${tenantId}/sso/connections/${first.id}`
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { isEnabled: false }],
  ] as const)
    expect((await by(method, connectionPath, body)).code).toBe('connection_needed')
  const another = await by('POST', `${tenantId}/sso/connections`, sso.connection)
  expect((await by('PATCH', connectionPath, { isEnabled: false })).status).toBe(200)
  expect((await by('DELETE', `${tenantId}/sso/connections/${another.body.id}`)).code).toBe(
    'connection_needed',
  )
  expect((await by('DELETE', connectionPath)).status).toBe(204)
  expect((await by('PATCH', `${tenantId}/sso`, { required: false })).body).toMatchObject({
    required: false,
    requiredSince: null,
  })
})

it('lists and unlinks the people of the provider', async ({ sso, app, usher, clock }) => {
  const { owner } = sso
  const { tenantId } = owner
  const data = {
    ...{
      databaseId: app.id,
      id: crypto.randomUUID(),
      tenantId,
      connectionId: crypto.randomUUID(),
      userId: owner.id,
    },
    ...{
      issuer: 'https://idp.example',
      subject: 'ada',
      email: 'ada@acme.example',
      provesFrom: new Date(clock.now),
    },
  }
  await usher.store.prisma.tenantEntry.create({ data })
  const listed = await owner.as('GET', `${tenantId}/sso/entries?limit=1`)
  expect(listed.body).toMatchObject({
    next: null,
    entries: [{ id: data.id, userId: owner.id, subject: 'ada', name: null }],
  })
  const other = await sso.founder()
  expect((await other.as('DELETE', `${other.tenantId}/sso/entries/${data.id}`)).status).toBe(204)
  expect((await owner.as('DELETE', `${tenantId}/sso/entries/${data.id}`)).status).toBe(204)
  expect((await owner.as('GET', `${tenantId}/sso/entries`)).body.entries).toEqual([])
  const events = (await sso.events()).filter(({ type }) => type === 'sso.entry_ended')
  expect(events).toEqual([{ type: 'sso.entry_ended', tenantId, userId: owner.id }])
})

it('requires single sign-on of more members than one transaction revokes', async ({
  sso,
  app,
  usher,
  clock,
}) => {
  const { owner } = sso
  const { tenantId } = owner
  const { prisma } = usher.store
  const databaseId = app.id
  await sso.withFactor(owner.id)
  const now = new Date(clock.now)
  const ids = Array.from({ length: 251 }, () => crypto.randomUUID())
  const {
    email: _,
    canonicalEmail: _key,
    metadata: _m,
    privateMetadata: _p,
    ...person
  } = await prisma.user.findFirstOrThrow({ where: { databaseId } })
  const data = ids.map((id) => ({
    ...person,
    id,
    email: `${id}@acme.example`,
    canonicalEmail: `${id}@acme.example`,
  }))
  await prisma.user.createMany({ data })
  await prisma.membership.createMany({
    data: ids.map((userId) => ({ databaseId, tenantId, userId, joinedAt: now })),
  })
  await sso.byKey('POST', `${tenantId}/sso/connections`, sso.connection)
  await prisma.tenantConnection.updateMany({ where: { databaseId }, data: { testedAt: now } })
  const required = await sso.byKey('PATCH', `${tenantId}/sso`, { required: true, exempt: [owner.id] })
  expect(required.status).toBe(200)
  const revocations = await prisma.revocation.findMany({ where: { databaseId } })
  const revoked = revocations.map(({ payload }) => (payload as { userId: string }).userId)
  expect(revoked.sort()).toEqual(ids.sort())
})
