import { describe, expect, inject } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, startApp, type TestApi } from '../support/app.js'

const email = 'ada@example.com'

const it = apiTest
  .extend('settings', { scope: 'file' }, { TRUST_PROXY: '1', HASH_QUEUE_SECONDS: '60' })
  /** Creates a database with one user. Its logins come from addresses that a trusted proxy reports. */
  .extend('account', async ({ usher }) => {
    const database = await usher.newDatabase()
    await database.signedUp({ email })
    const attempt = (
      password: string,
      address = '192.0.2.1',
      user = email,
      app: Pick<TestApi, 'send'> = usher,
    ) =>
      app.send({
        method: 'POST',
        url: `${database.users}/login`,
        payload: { email: user, password },
        headers: { 'x-forwarded-for': address },
      })
    const fail = async (times: number, address?: string, user?: string) => {
      const statuses: number[] = []
      for (let i = 0; i < times; i++) statuses.push((await attempt('wrong', address, user)).statusCode)
      return statuses
    }
    const failures = () => usher.store.prisma.loginFailures.findMany({ where: { databaseId: database.id } })
    return { attempt, fail, failures }
  })

describe('failed logins', () => {
  it('allows five failed logins, then requires waits that double up to 900 seconds', async ({
    account: { attempt, fail },
    clock,
  }) => {
    expect(await fail(5)).toEqual([401, 401, 401, 401, 401])
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const rejected = await attempt(password)
      expect(rejected.statusCode).toBe(429)
      expect(rejected.json().code).toBe('too_many_attempts')
      expect(rejected.headers['retry-after']).toBe(String(seconds))
      clock.now += seconds * 1000 - 1
      expect((await attempt(password)).statusCode).toBe(429)
      clock.now += 1
      expect(await fail(1)).toEqual([401])
    }
  })

  it('deletes the failures of an account after a successful login', async ({
    account: { attempt, fail, failures },
  }) => {
    await fail(4)
    expect((await attempt(password)).statusCode).toBe(200)
    expect(await failures()).toEqual([])
    expect(await fail(5)).toEqual([401, 401, 401, 401, 401])
  })

  it('stores neither the email nor the client address of a failed login', async ({
    account: { fail, failures },
  }) => {
    await fail(1, '198.51.100.7')
    // A random databaseId may contain the name by chance.
    const rows = (await failures()).map(({ databaseId: _, address, network, ...counted }) => [
      ...[address, network].map((bytes) => Buffer.from(bytes).toString('latin1')),
      JSON.stringify(counted),
    ])
    expect(rows.join()).not.toContain('ada')
    expect(rows.join()).not.toContain('198.51')
  })

  it('counts failed logins of an unknown email in the same way', async ({ account: { attempt, fail } }) => {
    expect(await fail(5, '192.0.2.1', 'unknown@example.com')).toEqual([401, 401, 401, 401, 401])
    expect((await attempt(password, '192.0.2.1', 'unknown@example.com')).statusCode).toBe(429)
  })

  it('counts failed logins in other letter case for the same account', async ({
    account: { attempt, fail },
  }) => {
    await fail(3)
    await fail(2, '192.0.2.1', 'ADA@Example.com')
    expect((await attempt(password)).statusCode).toBe(429)
  })

  it('ignores failures a day after the last one', async ({ account: { attempt, fail }, clock }) => {
    await fail(5)
    clock.now += 24 * 3_600_000 + 1
    expect(await fail(5)).toEqual([401, 401, 401, 401, 401])
    expect((await attempt(password)).statusCode).toBe(429)
  })

  it('deletes the failures of other accounts after a day', async ({ account: { fail, failures }, clock }) => {
    await fail(1, '192.0.2.1', 'one@example.com')
    clock.now += 24 * 3_600_000 + 1
    await fail(1, '192.0.2.1', 'two@example.com')
    expect(await failures()).toHaveLength(2)
  })
})

describe('client addresses', () => {
  it.for([
    ['another IPv4 address', '192.0.2.1', '192.0.2.2'],
    ['another /64', '2001:db8:0:1::1', '2001:db8:0:2::1'],
  ] as const)(
    'does not delay a client at %s',
    async ([, attacker, client], { account: { attempt, fail } }) => {
      await fail(5, attacker)
      expect((await attempt(password, client)).statusCode).toBe(200)
    },
  )

  it.for([
    ['the same /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
    ['the same address in another notation', '2001:db8::1', '2001:0db8:0000:0000:0:0:0:1'],
    ['an IPv4-mapped IPv6 address', '192.0.2.9', '::ffff:192.0.2.9'],
    ['an IPv4 address behind NAT64', '192.0.2.9', '64:ff9b::192.0.2.9'],
    ['another port of the IPv4 address', '203.0.113.7:40001', '203.0.113.7:40002'],
    ['another port of the IPv6 address', '[2001:db8::1]:443', '[2001:db8::1]'],
  ] as const)(
    'counts a client at %s as the same network',
    async ([, attacker, client], { account: { attempt, fail } }) => {
      await fail(5, attacker)
      expect((await attempt(password, client)).statusCode).toBe(429)
    },
  )

  it('allows one login in 900 seconds from a new network after a hundred failures', async ({
    account: { attempt, fail },
    clock,
  }) => {
    for (let i = 0; i < 25; i++) await fail(4, `203.0.113.${i}`)
    const rejected = await attempt(password, '198.51.100.1')
    expect(rejected.statusCode).toBe(429)
    expect(rejected.headers['retry-after']).toBe('900')
    clock.now += 900_000
    expect((await attempt(password, '198.51.100.1')).statusCode).toBe(200)
    expect(await fail(1, '198.51.100.2')).toEqual([401])
    expect((await attempt(password, '198.51.100.1')).statusCode).toBe(200)
  })
})

describe('concurrent logins', () => {
  it('accepts sixty concurrent logins with the right password', async ({ account: { attempt } }) => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => attempt(password)))
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })

  it('verifies only a few of sixty concurrent wrong passwords', async ({ account: { attempt } }) => {
    const responses = await Promise.all(Array.from({ length: 60 }, (_, i) => attempt(`guess ${i}`)))
    const guesses = responses.filter(({ statusCode }) => statusCode === 401).length
    expect(guesses).toBeGreaterThanOrEqual(5)
    expect(guesses).toBeLessThan(10 * (inject('instances') || 1))
    expect(responses.filter(({ statusCode }) => statusCode === 429).length).toBe(60 - guesses)
  })
})

it('counts failed logins for all servers of a store', async ({ account: { attempt, fail }, usher }) => {
  const other = await startApp(usher.store, { TRUST_PROXY: '1' })
  await fail(5)
  const response = await attempt(password, '192.0.2.1', email, other)
  expect(response.statusCode).toBe(429)
  await other.close()
})

it.for<[string, string]>([
  ['1', '192.0.2.9'],
  ['2', '192.0.2.9, 203.0.113.7'],
])(
  'with TRUST_PROXY=%s counts the address that the first of the proxies reports, not those that a client adds',
  async ([proxies, reported], { account: { attempt }, usher }) => {
    const server = await startApp(usher.store, { TRUST_PROXY: proxies })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      statuses.push((await attempt('wrong', `198.51.100.${i}, ${reported}`, email, server)).statusCode)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const other = reported.replace('192.0.2.9', '192.0.2.10')
    expect((await attempt(password, `198.51.100.1, ${other}`, email, server)).statusCode).toBe(200)
    await server.close()
  },
)

it.for<[string, string, string]>([
  ['10.0.0.0/8, 127.0.0.1', '192.0.2.9, 10.1.2.3', '192.0.2.10, 10.1.2.3'],
  ['loopback,uniquelocal', '2001:db8:1::1, fd00::1, 172.16.0.1', '2001:db8:2::1, fd00::1, 172.16.0.1'],
  ['::ffff:127.0.0.0/104,2001:db8:5::/48', '192.0.2.9, 2001:db8:5::1', '192.0.2.10, 2001:db8:5::1'],
])(
  'with TRUST_PROXY=%s counts the last address that is none of these proxies',
  async ([proxies, reported, other], { account: { attempt }, usher }) => {
    const server = await startApp(usher.store, { TRUST_PROXY: proxies })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      statuses.push((await attempt('wrong', `198.51.100.${i}, ${reported}`, email, server)).statusCode)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await attempt(password, `198.51.100.1, ${other}`, email, server)).statusCode).toBe(200)
    await server.close()
  },
)

it('ignores X-Forwarded-For if the socket is none of the addresses of TRUST_PROXY', async ({
  account: { attempt },
  usher,
}) => {
  const server = await startApp(usher.store, { TRUST_PROXY: '10.0.0.0/8' })
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await attempt('wrong', `192.0.2.${i}, 10.0.0.1`, email, server)).statusCode)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  await server.close()
})

it('ignores X-Forwarded-For without a trusted proxy', async ({ account: { attempt }, usher }) => {
  const direct = await startApp(usher.store)
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await attempt('wrong', `192.0.2.${i}`, email, direct)).statusCode)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  await direct.close()
})
