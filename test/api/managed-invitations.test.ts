import { expect } from 'vitest'
import { auditRecords } from '../support/audit.js'
import { outcome } from '../support/codes.js'
import { it as managementTest } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { writtenCode, writtenMails } from '../support/written-mails.js'

const it = managementTest.extend('tenant', async ({ usher, store, manage: { database, send, newKey } }) => {
  await setDatabase(store, database, { appUrl: 'https://app.example.com', roles: ['billing'] })
  usher.clock.cacheAhead += 5_000
  const owner = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
  const { key } = await newKey()
  const id = owner.tenants[0] ?? ''
  const path = `tenants/${id}/invitations`
  return {
    id,
    owner,
    path,
    key,
    list: (query = '') => send(key, 'GET', `${path}${query}`),
    invite: (body: object, headers: Record<string, string> = {}) => send(key, 'POST', path, body, headers),
    revoke: (invitation: string) => send(key, 'DELETE', `${path}/${invitation}`),
  }
})

const grace = { email: 'grace@example.com', role: 'billing' }

it('a backend invites in any role, lists the invitations page by page, and revokes them', async ({
  manage,
  tenant,
  usher,
}) => {
  const response = await tenant.invite({ email: 'one@example.com', role: 'owner' })
  expect(response.statusCode).toBe(201)
  expect(response.json()).toEqual({
    id: expect.any(String),
    email: 'one@example.com',
    role: 'owner',
    inviterId: null,
    createdAt: new Date(usher.clock.now).toISOString(),
    expiresAt: new Date(usher.clock.now + 7 * 86_400_000).toISOString(),
  })
  const second = (await tenant.invite(grace)).json()
  const { invitations, next } = (await tenant.list('?limit=1')).json()
  expect(invitations).toEqual([response.json()])
  expect((await tenant.list(`?limit=1&after=${next}`)).json()).toEqual({ invitations: [second], next: null })
  const ids = { databaseId: manage.database.id, tenantId: tenant.id, invitationId: second.id }
  expect([(await tenant.revoke(second.id)).statusCode, (await tenant.revoke(second.id)).statusCode]).toEqual([
    204, 204,
  ])
  expect((await tenant.list()).json().invitations).toEqual([response.json()])
  const audited = auditRecords(usher).filter(({ invitationId }) => invitationId === second.id)
  expect(audited).toMatchObject([
    { audit: 'invitation.created', ...ids, apiKey: expect.any(String) },
    { audit: 'invitation.revoked', ...ids, apiKey: expect.any(String) },
  ])
})

it('a repeated invitation with an Idempotency-Key sends one mail', async ({ usher, tenant }) => {
  usher.forgetLog()
  const once = { 'idempotency-key': 'once' }
  const [first, again] = [await tenant.invite(grace, once), await tenant.invite(grace, once)]
  expect([again.statusCode, again.json()]).toEqual([201, first.json()])
  // Its mail comes after those of earlier invitations.
  await tenant.invite({ email: 'last@example.com', role: 'member' })
  await writtenCode(usher, 'last@example.com', 'invitation')
  await writtenCode(usher, grace.email, 'invitation')
  expect(await writtenMails(usher, grace.email)).toHaveLength(1)
  expect(outcome(await tenant.invite({ ...grace, role: 'member' }, once))).toEqual([
    422,
    'idempotency_key_reused',
  ])
})

it('a backend is refused a member, an unknown role or tenant, and more than 100 invitations', async ({
  store,
  manage,
  tenant,
  usher,
}) => {
  const { id: databaseId } = manage.database
  expect(outcome(await tenant.invite({ email: 'ADA@example.com', role: 'member' }))).toEqual([
    409,
    'already_member',
  ])
  const unknown = await tenant.invite({ email: 'grace@example.com', role: 'boss' })
  expect(unknown.json()).toMatchObject({ code: 'validation_failed', errors: [{ path: 'role' }] })
  expect(outcome(await tenant.invite({ ...grace, inviterId: tenant.owner.id }))).toEqual([
    400,
    'validation_failed',
  ])
  const other = `tenants/${crypto.randomUUID()}/invitations`
  for (const [method, body] of [['GET'], ['POST', grace]] as const)
    expect(outcome(await manage.send(tenant.key, method, other, body))).toEqual([404, 'tenant_not_found'])
  await store.prisma.invitation.createMany({
    data: Array.from({ length: 100 }, (_, index) => ({
      ...{ databaseId, tenantId: tenant.id, id: crypto.randomUUID(), codeId: crypto.randomUUID() },
      ...{ email: `user-${index}@example.com`, canonicalEmail: `user-${index}@example.com`, role: 'member' },
      ...{ createdAt: new Date(usher.clock.now), expiresAt: new Date(usher.clock.now + 3_600_000) },
    })),
  })
  expect(outcome(await tenant.invite(grace))).toEqual([409, 'invitations_full'])
})

it('a backend is refused if the database has no app URL or no tenant operations', async ({
  store,
  manage,
  tenant,
  usher,
}) => {
  await setDatabase(store, manage.database, { appUrl: null })
  usher.clock.cacheAhead += 5_000
  const noUrl = await tenant.invite(grace)
  expect([...outcome(noUrl), noUrl.json().detail]).toEqual([
    409,
    'app_url_missing',
    'The database has no app URL.',
  ])
  await setDatabase(store, manage.database, { tenantOperations: false })
  usher.clock.cacheAhead += 5_000
  const off = await tenant.invite(grace)
  expect([...outcome(off), off.json().detail]).toEqual([
    409,
    'tenant_operations_off',
    'Tenant operations are off.',
  ])
})
