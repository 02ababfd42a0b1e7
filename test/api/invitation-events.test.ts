import { expect } from 'vitest'
import { auditRecords } from '../support/audit.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { it } from './invitations.js'

const grace = 'grace@example.com'

it('invitations cause events and audit lines with ids only', async ({ app, tenant, usher }) => {
  await setDatabase(usher.store, app, { eventsKept: 7 })
  usher.clock.cacheAhead += 5_000
  const described = { name: 'backend', scopes: ['events:read' as const], expiresInSeconds: 3600 }
  const { key } = await createApiKey({ store: usher.store, now: new Date(app.clock.now) }, app, described)
  const user = await tenant.verified(grace)
  await tenant.accept(await tenant.invited(grace), user)
  const accepted = await tenant.signUp('joan@example.com', await tenant.invited('joan@example.com', 'admin'))
  const { id: invitationId } = (await tenant.invite('eve@example.com')).json()
  await tenant.send(tenant.ada.token.jwt, 'DELETE', `tenants/${tenant.id}/invitations/${invitationId}`)
  const response = await usher.send({
    method: 'GET',
    url: app.users.replace(/users$/, 'management/events'),
    headers: { authorization: `Bearer ${key}` },
  })
  const { events } = response.json() as { events: { type: string; data: object }[] }
  const withTenant = { databaseId: app.id, tenantId: tenant.id }
  const ofInvitation = { ...withTenant, invitationId: expect.any(String) }
  const joan = { databaseId: app.id, userId: accepted.json().id }
  const byType = (one: { type: string }, other: { type: string }) => (one.type < other.type ? -1 : 1)
  const relevant = events.filter(({ data }) => !('userId' in data) || data.userId !== user.id)
  expect(relevant.map(({ type, data }) => ({ type, data })).sort(byType)).toEqual([
    { type: 'invitation.accepted', data: { ...ofInvitation, userId: joan.userId } },
    { type: 'invitation.created', data: ofInvitation },
    { type: 'invitation.created', data: ofInvitation },
    { type: 'invitation.created', data: ofInvitation },
    { type: 'invitation.revoked', data: { ...ofInvitation, invitationId } },
    { type: 'tenant.user_added', data: { ...withTenant, userId: joan.userId } },
    { type: 'user.created', data: joan },
    { type: 'user.email_verified', data: joan },
  ])
  const ofGrace = events.filter(({ data }) => 'userId' in data && data.userId === user.id)
  expect(ofGrace.map(({ type }) => type)).toEqual([
    'user.created',
    'invitation.accepted',
    'tenant.user_added',
  ])
  const audited = auditRecords(usher).filter(
    ({ audit, tenantId }) => tenantId === tenant.id && String(audit).startsWith('invitation.'),
  )
  expect(audited).toMatchObject([
    { audit: 'invitation.created', actorId: tenant.ada.id, role: 'member' },
    { audit: 'invitation.accepted', userId: user.id },
    { audit: 'invitation.created', role: 'admin' },
    { audit: 'invitation.accepted', userId: joan.userId },
    { audit: 'invitation.created' },
    { audit: 'invitation.revoked', actorId: tenant.ada.id, invitationId },
  ])
  expect(JSON.stringify(audited)).not.toContain('@')
})
