import { describe, expect, vi } from 'vitest'
import { Problem } from '../../server/domain/problem.js'
import { UnavailableError } from '../../server/store/errors.js'
import { it as apiTest } from '../support/api.js'
import { password, startApp, type TestApi } from '../support/app.js'

const email = 'ada@example.com'
const wrong = 'wrong password'

/** A user, and a server that stores failed logins only while `isStoring`. */
const it = apiTest.extend('account', async ({ usher: { store, clock, newDatabase } }, { onCleanup }) => {
  const { id, users, signedUp } = await newDatabase()
  await signedUp({ email })
  const state = { isStoring: false, error: new UnavailableError('read-only') as Error }
  const query: TestApi['store']['query'] = (text, values, milliseconds) =>
    !state.isStoring && /INSERT INTO usher.(login|network)_failures/.test(text)
      ? Promise.reject(state.error)
      : store.query(text, values, milliseconds)
  const server = await startApp({ ...store, query }, { TRUST_PROXY: '1', HASH_QUEUE_SECONDS: '60' })
  onCleanup(server.close)
  server.clock.now = clock.now
  const send = (address: string, candidate = password, of = email) =>
    server.send({
      method: 'POST',
      url: `${users}/login`,
      payload: { email: of, password: candidate },
      headers: { 'x-forwarded-for': address },
    })
  return {
    id,
    server,
    state,
    send,
    login: async (...candidate: Parameters<typeof send>) => (await send(...candidate)).statusCode,
  }
})

const network = '192.0.2.1'

it('failures that cannot be stored delay an account from all networks but the known ones', async ({
  account: { login },
}) => {
  expect(await login(network)).toBe(200)
  for (let i = 0; i < 100; i++) expect(await login(`198.51.100.${i}`, wrong)).toBe(401)
  expect(await login('203.0.113.1')).toBe(429)
  expect(await login(network)).toBe(200)
})

it('failures of a known network that cannot be stored do not delay the account from other networks', async ({
  account: { login },
}) => {
  const known = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`)
  for (const address of known) expect(await login(address)).toBe(200)
  for (const address of known) for (let i = 0; i < 5; i++) expect(await login(address, wrong)).toBe(401)
  expect(await login('203.0.113.1')).toBe(200)
})

it('a failure that cannot be stored because of a bug counts, so that the next attempt is not verified', async ({
  account: { login, state },
}) => {
  state.error = new Error('syntax error')
  expect([await login(network, wrong), await login(network)]).toEqual([500, 500])
})

describe.each([
  ['that cannot be stored', false],
  ['that are stored', true],
])('failures %s', (_name, isFirst) => {
  it('count together with later others, and delay from the last one on', async ({
    account: { login, send, server, state },
  }) => {
    state.isStoring = isFirst
    for (let i = 0; i < 3; i++) expect(await login(network, wrong)).toBe(401)
    server.clock.now += 10_000
    state.isStoring = !isFirst
    for (let i = 0; i < 2; i++) expect(await login(network, wrong)).toBe(401)
    const refused = await send(network)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
    server.clock.now += 1_000
    expect(await login(network)).toBe(200)
    for (let i = 0; i < 4; i++) expect(await login(network, wrong)).toBe(401)
    expect(await login(network)).toBe(200)
  })

  it('do not include a password that could not be verified', async ({
    usher,
    account: { id, login, server, state },
  }) => {
    state.isStoring = isFirst
    for (let i = 0; i < 4; i++) expect(await login(network, wrong)).toBe(401)
    const verify = vi.spyOn(server.context.hashing, 'verify').mockRejectedValue(new Problem('unavailable'))
    for (let i = 0; i < 3; i++) expect(await login(network)).toBe(503)
    verify.mockRestore()
    expect(await login(network, wrong)).toBe(401)
    expect(await login(network)).toBe(429)
    const stored = await usher.store.prisma.loginFailures.findMany({ where: { databaseId: id } })
    // Of the network, and of all networks.
    expect(stored.map(({ failures }) => failures)).toEqual(isFirst ? [5, 5] : [])
  })
})

it('the failures of a network that cannot be stored are limited per hour', async ({
  usher,
  account: { id, login, send, server },
}) => {
  await usher.store.prisma.database.updateMany({ where: { id }, data: { networkFailuresPerHour: 3 } })
  const guess = (n: number) => login(network, wrong, `user${n}@example.com`)
  expect([await guess(1), await guess(2), await guess(3), await guess(4)]).toEqual([401, 401, 401, 429])
  expect((await send(network)).headers['retry-after']).toBe('1200')
  expect(await login('192.0.2.2')).toBe(200)
  server.clock.now += 1_200_000
  expect([await guess(5), await guess(6)]).toEqual([401, 429])
})
