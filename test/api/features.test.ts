import type { Features } from '@usher/contract'
import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { setDatabase } from '../support/operator-changes.js'

const usual: Features = {
  signUp: true,
  password: { min: 8, max: 256 },
  accountOperations: true,
  tenantOperations: true,
  verifyEmailWithToken: false,
  loginMail: 'off',
  secondFactor: 'optional',
  passkeys: false,
  singleSignOn: false,
  ssoRouting: false,
  roles: [
    { name: 'owner', rights: 'owner' },
    { name: 'admin', rights: 'admin' },
    { name: 'member', rights: 'member' },
  ],
}

const changes: [Parameters<typeof setDatabase>[2], Partial<Features>][] = [
  [{ signUp: false }, { signUp: false }],
  [{ passwordPolicy: 'nist' }, { password: { min: 15, max: 256 } }],
  [{ passwordPolicy: 'none' }, { password: { min: 1, max: 256 } }],
  [{ accountOperations: false }, { accountOperations: false }],
  [{ tenantOperations: false }, { tenantOperations: false }],
  [{ verifyEmailWithToken: true }, { verifyEmailWithToken: true }],
  [
    { loginMail: 'code', appUrl: 'https://app.example.com' },
    { loginMail: 'code', passkeys: true },
  ],
  [{ secondFactor: 'off', passkeyDomain: 'example.com' }, { secondFactor: 'off' }],
  [{ passkeyDomain: 'example.com' }, { passkeys: true }],
  [{ singleSignOn: true }, { singleSignOn: true, ssoRouting: true }],
  [{ singleSignOn: true, ssoRouting: false }, { singleSignOn: true }],
  [{ ssoRouting: true }, {}],
  [
    { roles: ['viewer', 'billing'] },
    { roles: [...usual.roles, { name: 'viewer', rights: 'member' }, { name: 'billing', rights: 'member' }] },
  ],
]

const it = apiTest.extend(
  'get',
  ({ usher }) =>
    async (users: string, headers: Record<string, string> = {}) =>
      usher.send({ method: 'GET', url: users.replace(/users$/, 'features'), headers }),
)

it.for(changes)('getFeatures shows the setting %o', async ([setting, shown], { usher, get }) => {
  const database = await usher.newDatabase()
  expect((await get(database.users)).json()).toEqual(usual)
  await setDatabase(usher.store, database, setting)
  usher.clock.cacheAhead += 6_000
  expect((await get(database.users)).json()).toEqual({ ...usual, ...shown })
})

it('getFeatures can be cached for a minute, also by proxies, and revalidated', async ({ database, get }) => {
  const response = await get(database.users)
  expect(response.headers['cache-control']).toBe('public, max-age=60')
  const again = await get(database.users, { 'if-none-match': String(response.headers.etag) })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

it('getFeatures returns 404 for an unknown database', async ({ database, get }) => {
  const response = await get(database.users.replace(database.databaseName, 'unknown'))
  expect([response.statusCode, response.json().code]).toEqual([404, 'database_not_found'])
})
