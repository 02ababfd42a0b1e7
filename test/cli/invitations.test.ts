import { expect } from 'vitest'
import { hundredInvitations } from '../api/invitations.js'
import { it } from '../support/operator.js'
import { setDatabase } from '../support/operator-changes.js'

it('tenant invite sends an invitation, tenant list-invitations lists it, tenant revoke-invitation ends it', async ({
  usher,
  database,
}) => {
  await setDatabase(usher.store, database, { appUrl: 'https://app.example.com' })
  const { tenants } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
  const of = `${database.path} ${tenants[0]}`
  const ids = { databaseId: database.id, tenantId: tenants[0] }
  expect(await usher.operator(`tenant list-invitations ${of}`)).toMatchObject({ stdout: 'No invitations.\n' })
  const invited = await usher.operator(`tenant invite ${of} grace@example.com --role admin`)
  const [, invitationId = ''] =
    invited.stdout.match(/^Stored invitation (\S{36}), which a server will send. It is valid/) ?? []
  expect(invited.audited).toEqual([
    expect.objectContaining({ audit: 'invitation.created', ...ids, invitationId, role: 'admin' }),
  ])
  const invitation = await usher.json(`tenant invite ${of} Grace@example.com`)
  expect(invitation).toMatchObject({ id: invitationId, role: 'member', inviterId: null })
  const listed = await usher.rows(`tenant list-invitations ${of}`)
  expect(listed).toMatchObject([{ id: invitationId, email: 'Grace@example.com', role: 'member' }])
  const { stdout } = await usher.operator(`tenant list-invitations ${of}`)
  expect(stdout).toMatch(new RegExp(`\n${invitationId} {2}\\S+ {2}member {2}Grace@example\\.com\n$`))
  const revoke = `tenant revoke-invitation ${of} ${invitationId}`
  expect((await usher.operator(revoke)).audited).toMatchObject([
    { audit: 'invitation.revoked', ...ids, invitationId },
  ])
  expect(await usher.outcome(revoke)).toBe(
    `3 usher: invitation ${invitationId} does not exist in tenant ${tenants[0]}\n`,
  )
})

it('tenant invite is refused for a member, an unknown role, a full tenant and a database that sends no mails', async ({
  usher,
  database,
}) => {
  const { tenants } = await database.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
  const invite = `tenant invite ${database.path} ${tenants[0]}`
  expect(await usher.outcome(`${invite} grace@example.com`)).toBe(
    `1 usher: the database has no app URL. Set it with: npx @usher/server database set ${database.path} --app-url URL\n`,
  )
  await setDatabase(usher.store, database, { appUrl: 'https://app.example.com' })
  expect(await usher.outcome(`${invite} ADA@example.com`)).toBe(
    `4 usher: ADA@example.com is already the address of a member of tenant ${tenants[0]}\n`,
  )
  expect(await usher.outcome(`${invite} grace@example.com --role boss`)).toBe(
    '2 usher: role must be owner, admin, member\n',
  )
  const tenant = { databaseId: database.id, tenantId: tenants[0] ?? '' }
  await usher.store.prisma.invitation.createMany({ data: hundredInvitations(tenant, new Date()) })
  expect(await usher.outcome(`${invite} grace@example.com`)).toBe(
    `4 usher: tenant ${tenants[0]} already has the maximum of 100 pending invitations\n`,
  )
  await setDatabase(usher.store, database, { tenantOperations: false })
  expect(await usher.outcome(`${invite} grace@example.com`)).toBe(
    `1 usher: tenant operations are off. Turn them on with: npx @usher/server database set ${database.path} --tenant-operations on\n`,
  )
})
