import { expect, vi } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { startApp, type TestApi, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'

const it = apiTest.extend('limited', async ({ usher }) => {
  const database = await usher.newDatabase()
  await setDatabase(usher.store, database, { signUpsPerHour: 3, botCheck: 'off' })
  /** Signs up from an address. Returns the status and the code of the problem. */
  async function signUp(
    remoteAddress: string,
    body: object = {},
    { by = usher, headers = {} }: { by?: TestApi; headers?: Record<string, string> } = {},
  ) {
    const payload = validUser(body)
    const response = await by.send({ method: 'POST', url: database.users, payload, remoteAddress, headers })
    return [response.statusCode, response.json().code, response.headers['retry-after']]
  }
  const countUsers = () => usher.store.prisma.user.count({ where: { databaseId: database.id } })
  return { ...database, signUp, countUsers }
})

const created = [201, undefined, undefined]
const refused = [429, 'too_many_sign_ups', '1200']

it('a network signs up at most sign-ups-per-hour users an hour', async ({ limited, clock }) => {
  const office = '203.0.113.7'
  for (let count = 0; count < 3; count++) expect(await limited.signUp(office)).toEqual(created)
  expect(await limited.signUp(office)).toEqual(refused)
  expect(await limited.signUp('203.0.113.8')).toEqual(created)
  clock.now += 20 * 60_000
  expect(await limited.signUp(office)).toEqual(created)
  expect(await limited.signUp(office)).toEqual(refused)
  expect(await limited.countUsers()).toBe(5)
})

it('the addresses of a /64 share the limit, and those of a /48 have twice as much', async ({ limited }) => {
  for (const address of ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1:2::3'])
    expect(await limited.signUp(address)).toEqual(created)
  expect(await limited.signUp('2001:db8:1:1::4')).toEqual(refused)
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:4::1'])
    expect(await limited.signUp(address)).toEqual(created)
  expect(await limited.signUp('2001:db8:1:5::1')).toEqual([429, 'too_many_sign_ups', '600'])
  expect(await limited.signUp('2001:db8:2:1::1')).toEqual(created)
})

it('servers share the limit, and a refused sign-up computes no hash', async ({ limited, usher }) => {
  const other = await startApp(usher.store, { LOG_LEVEL: 'silent' })
  const office = '203.0.113.9'
  const hash = vi.spyOn(other.context.hashing, 'hash')
  for (let count = 0; count < 3; count++) await limited.signUp(office)
  // The other server learns from the store that the limit is reached.
  expect(await limited.signUp(office, {}, { by: other })).toEqual(refused)
  expect(hash).toHaveBeenCalledOnce()
  for (let count = 0; count < 3; count++)
    expect(await limited.signUp(office, {}, { by: other })).toEqual(refused)
  expect(hash).toHaveBeenCalledOnce()
  expect(await limited.countUsers()).toBe(3)
  await other.close()
})

it('only a sign-up that creates a user counts', async ({ limited }) => {
  const office = '203.0.113.10'
  const key = { headers: { 'idempotency-key': 'once' } }
  const ada = validUser()
  expect(await limited.signUp(office, ada, key)).toEqual(created)
  for (let count = 0; count < 3; count++) {
    expect(await limited.signUp(office, ada, key)).toEqual(created)
    expect(await limited.signUp(office, ada)).toEqual([409, 'email_taken', undefined])
    expect(await limited.signUp(office, { password: 'short' })).toEqual([400, 'validation_failed', undefined])
  }
  for (let count = 0; count < 2; count++) expect(await limited.signUp(office)).toEqual(created)
  expect(await limited.signUp(office)).toEqual(refused)
  expect(await limited.signUp(office, ada, key)).toEqual(created)
})

it('concurrent sign-ups do not exceed the limit', async ({ limited }) => {
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => limited.signUp('203.0.113.11')))
  expect(outcomes.filter(([status]) => status === 201)).toHaveLength(3)
  expect(outcomes.filter(([status]) => status === 429)).toHaveLength(9)
  expect(await limited.countUsers()).toBe(3)
})
