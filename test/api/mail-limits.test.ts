import { expect, vi } from 'vitest'
import { start, startApp, type TestApi } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { it as codesTest, elsewhere } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'

const minute = 60_000
const hour = 60 * minute

const it = codesTest
  .extend('unchecked', { auto: true }, ({ app, usher }) => setDatabase(usher.store, app, { botCheck: 'off' }))
  // Collects the stored mails instead of delivering them.
  .extend('stored', ({ usher }) => {
    const deliver = vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
    return () => deliver.mock.calls.flat(2).filter(({ kind }) => kind === 'mail').length
  })

const expectAudited = (usher: TestApi, databaseId: string, limit: string) =>
  expect
    .poll(usher.logged)
    .toContain(`"audit":"mail.throttled","databaseId":"${databaseId}","limit":"${limit}"`)

it('an address gets at most one mail a minute and five an hour, from all networks together', async ({
  app,
  stored,
  usher,
}) => {
  const counts: number[] = []
  for (let request = 0; request < 14; request++) {
    expect((await app.requestReset('ada@example.com')).json()).toEqual({})
    counts.push(stored())
    app.clock.now += 31_000
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5])
  await expectAudited(usher, app.id, 'address')
  // A fifth of the allowance fills up in 12 minutes.
  app.clock.now = start + 12 * minute
  for (let request = 0; request < 2; request++) await app.requestReset('ada@example.com')
  expect(stored()).toBe(6)
})

it('tells the user of a token when the next mail is possible, and nobody else', async ({ app, stored }) => {
  const { token } = await app.signedUp({ email: 'ada@example.com' })
  const first = await app.requestVerification(token.jwt)
  app.clock.now += 20_000
  const second = await app.requestVerification(token.jwt)
  expect([first.statusCode, second.statusCode, stored()]).toEqual([202, 429, 1])
  expect([second.json().code, second.headers['retry-after']]).toEqual(['too_many_mails', '40'])
  const resets = [await app.requestReset('ada@example.com'), await app.requestReset('ada@example.com')]
  expect(resets.map(({ statusCode, body }) => [statusCode, body])).toEqual(Array(2).fill([202, '{}']))
  expect(stored()).toBe(2)
})

it('addresses that differ only in their tag share the limit', async ({ app, stored }) => {
  for (const tag of ['', '+1', '+2', '+2+3', '+']) await app.requestReset(`ada${tag}@example.com`)
  expect(stored()).toBe(1)
  for (const other of ['ada+1@example.net', 'adaplus1@example.com', '+ada@example.com', '+grace@example.com'])
    await app.requestReset(other)
  expect(stored()).toBe(5)
})

it('a client network gets at most 20 mails an hour, for all addresses together', async ({
  app,
  stored,
  usher,
}) => {
  const office = elsewhere()
  for (let user = 0; user < 25; user++) await app.requestReset(`user-${user}@example.com`, office)
  expect(stored()).toBe(20)
  await expectAudited(usher, app.id, 'network')
  await app.requestReset('user-24@example.com')
  expect(stored()).toBe(21)
})

it('the networks of a /48 get at most 40 mails an hour together', async ({ app, stored, usher }) => {
  for (let network = 0; network < 60; network++)
    await app.requestReset(`user-${network}@example.com`, `2001:db8:7:${network.toString(16)}::1`)
  expect(stored()).toBe(40)
  await expectAudited(usher, app.id, 'site')
  await app.requestReset('user-50@example.com', '2001:db8:8::1')
  expect(stored()).toBe(41)
})

it('a database sends at most mails-per-hour mails an hour, of all kinds together', async ({
  app,
  stored,
  usher,
}) => {
  await setDatabase(usher.store, app, { mailsPerHour: 3 })
  const { token } = await app.signedUp({ email: 'grace@example.com' })
  await app.requestVerification(token.jwt)
  for (let user = 0; user < 5; user++) await app.requestReset(`user-${user}@example.com`)
  expect(stored()).toBe(3)
  await expectAudited(usher, app.id, 'database')
  usher.forgetLog()
  await app.requestVerification(token.jwt)
  expect(auditRecords(usher)).toMatchObject([{ audit: 'mail.throttled', limit: 'address' }])
  app.clock.now += hour / 3
  for (let user = 5; user < 8; user++) await app.requestReset(`user-${user}@example.com`)
  expect(stored()).toBe(4)
})

it('invitations cannot use up the mails for resets and verifications', async ({ app, stored, usher }) => {
  await setDatabase(usher.store, app, { mailsPerHour: 10, requireVerifiedInviter: false })
  const inviters = [
    await app.signedUp({ newTenant: 'Engines' }),
    await app.signedUp({ newTenant: 'Compilers' }),
  ]
  const statuses: number[] = []
  for (const { token, tenants } of inviters)
    for (let count = 0; count < 5; count++) {
      const { statusCode } = await usher.send({
        method: 'POST',
        url: `${app.users.replace(/users$/, '')}tenants/${tenants[0]}/invitations`,
        headers: { authorization: `Bearer ${token.jwt}` },
        payload: { email: `${token.jwt.slice(-8)}-${count}@example.com`, role: 'member' },
        remoteAddress: elsewhere(),
      })
      statuses.push(statusCode)
    }
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(5).fill(429)])
  await app.requestVerification(inviters[0]?.token.jwt ?? '')
  for (let user = 0; user < 4; user++) await app.requestReset(`user-${user}@example.com`)
  expect(stored()).toBe(10)
})

it('a database without a limit counts no mails over all addresses', async ({ app, usher }) => {
  await setDatabase(usher.store, app, { mailsPerHour: 0 })
  const limited = await usher.newDatabase()
  for (const [{ id, users }, counts] of [
    [app, 0],
    [limited, 1],
  ] as const) {
    const payload = { email: 'ada@example.com' }
    await usher.send({ method: 'POST', url: `${users}/password-reset`, payload })
    const where = { databaseId: id, purpose: '' }
    expect(await usher.store.prisma.codeRequest.count({ where })).toBe(counts)
  }
})

it('a rejected request counts against none of its limits', async ({ app, stored, usher }) => {
  const office = elsewhere()
  // With several processes, because one process remembers the rejection.
  const servers: TestApi[] = []
  for (let count = 0; count < 3; count++) {
    const server = await startApp(usher.store, { LOG_LEVEL: 'silent' })
    servers.push(server)
    for (let request = 0; request < 10; request++)
      await server.send({
        method: 'POST',
        url: `${app.users}/password-reset`,
        payload: { email: 'ada@example.com' },
        remoteAddress: office,
      })
  }
  for (let user = 0; user < 25; user++) await app.requestReset(`user-${user}@example.com`, office)
  expect(stored()).toBe(19)
  for (const server of servers) await server.close()
})

it('a request that is rejected again runs no statement until its limit allows one', async ({
  app,
  stored,
  usher,
}) => {
  await app.requestReset('ada@example.com')
  const { store } = usher.context
  const { transaction } = store
  const texts: string[] = []
  vi.spyOn(store, 'transaction').mockImplementation((id, work, milliseconds) =>
    transaction(
      id,
      (query) =>
        work((text, values) => {
          texts.push(text)
          return query(text, values)
        }),
      milliseconds,
    ),
  )
  // Without the statements of the delivery, which runs at the same time.
  const statements = () => texts.filter((text) => text.includes('code_request')).length
  for (let request = 0; request < 20; request++) await app.requestReset('ada@example.com')
  expect([statements(), stored()]).toEqual([0, 1])
  app.clock.now += minute
  await app.requestReset('ada@example.com')
  expect([statements(), stored()]).toEqual([1, 2])
})

it('concurrent requests for a few addresses from a few networks neither fail nor exceed the limits', async ({
  app,
  stored,
}) => {
  // Opens the connections first, because a request waits at most 1.3 s for a node of a distributed store.
  await Promise.all(Array.from({ length: 5 }, (_, index) => app.requestReset(`first-${index}@example.com`)))
  const networks = [elsewhere(), elsewhere(), '2001:db8:9::1', '2001:db8:9:1::1']
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      app.requestReset(`user-${index % 3}@example.com`, networks[index % networks.length]),
    ),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(202))
  expect(stored()).toBe(5 + 3)
})
