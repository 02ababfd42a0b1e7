import { expect, vi } from 'vitest'
import type { TestApi } from '../support/app.js'
import { appUrl, outcome } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { hundredInvitations, it as invitationTest } from './invitations.js'

const minute = 60_000

const it = invitationTest
  // Does not deliver the mails. Without an app URL, a search that finds them does not either.
  .extend('undelivered', { auto: true }, async ({ usher, app }) => {
    vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
    await setDatabase(usher.store, app, { appUrl: null })
  })

const expectAudited = (usher: TestApi, databaseId: string, limit: string) =>
  expect
    .poll(usher.logged)
    .toContain(`"audit":"mail.throttled","databaseId":"${databaseId}","limit":"${limit}"`)

const refused = [429, 'too_many_invitations']

it('a user sends at most 20 invitations an hour, also if they are accepted or revoked', async ({
  app,
  tenant,
  usher,
}) => {
  const invite = (number: number) => tenant.invite(`user-${number}@example.com`)
  for (let count = 0; count < 20; count++) expect((await invite(count)).statusCode).toBe(201)
  await usher.store.prisma.invitation.deleteMany({ where: { databaseId: app.id } })
  const limited = await invite(20)
  expect([outcome(limited), limited.headers['retry-after']]).toEqual([refused, '180'])
  await expectAudited(usher, app.id, 'inviter')
  app.clock.now += 3 * minute
  expect([outcome(await invite(20)), outcome(await invite(21))]).toEqual([[201, undefined], refused])
})

it('a user sends at most 100 invitations a day', async ({ app, tenant, usher }) => {
  await tenant.invite('first@example.com')
  const ofOneMail = 86_400_000 / 100
  const counted = new Date(app.clock.now + ofOneMail)
  await usher.store.prisma.codeRequest.updateMany({
    where: { databaseId: app.id, fullAt: counted },
    data: { fullAt: new Date(app.clock.now + 99 * ofOneMail) },
  })
  expect(outcome(await tenant.invite('second@example.com'))).toEqual([201, undefined])
  const limited = await tenant.invite('third@example.com')
  expect([outcome(limited), limited.headers['retry-after']]).toEqual([refused, String(ofOneMail / 1000)])
})

it('an address gets at most five invitations a day, from all tenants and with any tag', async ({
  app,
  tenant,
  usher,
}) => {
  for (const email of [
    'grace@example.com',
    'Grace@example.com',
    'grace+1@example.com',
    'grace+2@example.com',
  ])
    expect(outcome(await tenant.invite(email))).toEqual([201, undefined])
  const other = await tenant.verified('other@example.com', { newTenant: 'Compilers' })
  const path = `tenants/${other.tenants[0]}/invitations`
  const invite = () =>
    tenant.send(other.token.jwt, 'POST', path, { email: 'grace@example.com', role: 'member' })
  expect(outcome(await invite())).toEqual([201, undefined])
  const limited = await invite()
  expect([outcome(limited), limited.headers['retry-after']]).toEqual([refused, String((24 * 3600) / 5)])
  await expectAudited(usher, app.id, 'address')
  expect(outcome(await tenant.invite('grace@example.com'))).toEqual(refused)
})

for (const [limit, neighbour, perHour] of [
  ['network', '2001:db8:7:1::2', 60],
  ['site', '2001:db8:7:2::1', 120],
] as const)
  it(`a ${limit} sends at most ${perHour} invitations an hour`, async ({ app, tenant, usher }) => {
    const joan = await tenant.verified('joan@example.com', { newTenant: 'Compilers' })
    const inviteFrom = async (remoteAddress: string, email: string, { token, tenants } = joan) =>
      outcome(
        await usher.send({
          method: 'POST',
          url: `${app.users.replace(/users$/, '')}tenants/${tenants[0]}/invitations`,
          headers: { authorization: `Bearer ${token.jwt}` },
          payload: { email, role: 'member' },
          remoteAddress,
        }),
      )
    await inviteFrom('2001:db8:7:1::1', 'first@example.com')
    const ofOneMail = 3_600_000 / perHour
    await usher.store.prisma.codeRequest.updateMany({
      where: { databaseId: app.id, fullAt: new Date(app.clock.now + ofOneMail) },
      data: { fullAt: new Date(app.clock.now + (perHour - 1) * ofOneMail) },
    })
    expect(await inviteFrom('2001:db8:7:1::1', 'second@example.com')).toEqual([201, undefined])
    expect(await inviteFrom(neighbour, 'third@example.com', tenant.ada)).toEqual(refused)
    await expectAudited(usher, app.id, limit)
    expect(await inviteFrom('2001:db8:8::1', 'third@example.com', tenant.ada)).toEqual([201, undefined])
  })

it('only a user with a verified address can invite, unless the setting is off or no mail can be sent', async ({
  app,
  tenant,
  usher,
}) => {
  const setWith = (settings: object) => {
    usher.clock.cacheAhead += 5_000
    return setDatabase(usher.store, app, settings)
  }
  await setWith({ appUrl: null })
  const joan = await app.signedUp({ email: 'joan@example.com', newTenant: 'Compilers' })
  const path = `tenants/${joan.tenants[0]}/invitations`
  const invite = (email: string) =>
    tenant.send(joan.token.jwt, 'POST', path, { email, role: 'member' }).then(outcome)
  expect(await invite('one@example.com')).toEqual([201, undefined])
  await setWith({ appUrl })
  expect(await invite('two@example.com')).toEqual([409, 'email_not_verified'])
  await setWith({ requireVerifiedInviter: false })
  expect(await invite('two@example.com')).toEqual([201, undefined])
  await setWith({ requireVerifiedInviter: true })
  expect(await invite('three@example.com')).toEqual([409, 'email_not_verified'])
  await app.markVerified('joan@example.com')
  expect(await invite('three@example.com')).toEqual([201, undefined])
})

it('colleagues invite from one network, beyond the limit of other mails', async ({ tenant }) => {
  const joan = await tenant.verified('joan@example.com', { newTenant: 'Compilers' })
  for (let count = 0; count < 15; count++) {
    expect((await tenant.invite(`user-${count}@example.com`)).statusCode).toBe(201)
    const path = `tenants/${joan.tenants[0]}/invitations`
    const body = { email: `other-${count}@example.com`, role: 'member' }
    expect((await tenant.send(joan.token.jwt, 'POST', path, body)).statusCode).toBe(201)
  }
})

it('invitations get half of the mails of the database', async ({ app, tenant, usher }) => {
  await setDatabase(usher.store, app, { mailsPerHour: 4 })
  usher.clock.cacheAhead += 5_000
  for (const email of ['one@example.com', 'two@example.com']) await tenant.invite(email)
  expect(outcome(await tenant.invite('three@example.com'))).toEqual(refused)
  await expectAudited(usher, app.id, 'database')
})

it('a refused invitation counts against no limit, and changes nothing', async ({ app, tenant, usher }) => {
  await setDatabase(usher.store, app, { mailsPerHour: 1 })
  usher.clock.cacheAhead += 5_000
  for (let count = 0; count < 3; count++)
    expect(outcome(await tenant.invite('ada@example.com'))).toEqual([409, 'already_member'])
  expect(outcome(await tenant.invite('grace@example.com'))).toEqual([201, undefined])
  const before = await tenant.pending()
  const { store } = usher.context
  const transaction = vi.spyOn(store, 'transaction')
  for (let count = 0; count < 3; count++)
    expect(outcome(await tenant.invite('grace@example.com', 'admin'))).toEqual(refused)
  // The first may ask the store, and later ones do not.
  expect(transaction.mock.calls.length).toBeLessThan(2)
  expect(await tenant.pending()).toEqual(before)
})

it('a tenant has at most 100 invitations, of which expired ones do not count', async ({
  app,
  tenant,
  usher,
}) => {
  const now = new Date(app.clock.now)
  const rows = hundredInvitations({ databaseId: app.id, tenantId: tenant.id }, now)
  await usher.store.prisma.invitation.createMany({ data: rows })
  expect(outcome(await tenant.invite('grace@example.com'))).toEqual([409, 'invitations_full'])
  expect(outcome(await tenant.invite('user-7@example.com', 'admin'))).toEqual([201, undefined])
  await usher.store.prisma.invitation.update({
    where: { databaseId_id: { databaseId: app.id, id: rows[0]?.id ?? '' } },
    data: { expiresAt: now },
  })
  expect(outcome(await tenant.invite('grace@example.com'))).toEqual([201, undefined])
})

const ofRequest = /usher\."user"|usher\.tenant|usher\.invitation|INTO usher\.(code_request|outbox)/

it('an inviter learns nothing about accounts: same bytes, same statements', async ({
  app,
  tenant,
  usher,
}) => {
  await tenant.verified('verified@example.com')
  await app.signedUp({ email: 'unverified@example.com' })
  const disabled = await app.signedUp({ email: 'disabled@example.com' })
  await usher.store.prisma.user.updateMany({
    where: { databaseId: app.id, id: disabled.id },
    data: { disabledAt: new Date() },
  })
  const { store } = usher.context
  const { query, transaction } = store
  async function observe(email: string) {
    const texts: string[] = []
    const note =
      (run: typeof query): typeof query =>
      (text, values, ...rest) => {
        texts.push(text)
        return run(text, values, ...rest)
      }
    const spies = [
      vi.spyOn(store, 'query').mockImplementation(note(query)),
      vi
        .spyOn(store, 'transaction')
        .mockImplementation((id, work, ...rest) =>
          transaction(id, (inner) => work(note(inner as typeof query)), ...rest),
        ),
    ]
    const response = await tenant.invite(email)
    for (const spy of spies) spy.mockRestore()
    const withoutIds = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replace(email, '')
    const { 'x-request-id': _, date: _date, ...headers } = response.headers
    return {
      status: response.statusCode,
      headers: { ...headers, 'content-length': Number(headers['content-length']) - email.length },
      body: withoutIds(response.body),
      // Without those that do not belong to the request: deliveries and the sweep.
      texts: texts.filter((text) => ofRequest.test(text) && !text.includes('"inviterName"')),
    }
  }
  // Reads the database of the path.
  await observe('first@example.com')
  const unknown = await observe('unknown@example.com')
  expect([unknown.status, unknown.texts.length]).toEqual([201, 7])
  for (const known of ['verified', 'unverified', 'disabled'])
    expect(await observe(`${known}@example.com`)).toEqual(unknown)
})
