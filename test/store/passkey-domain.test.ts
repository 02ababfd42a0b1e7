import { expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { outcome } from '../support/codes.js'
import { lockWaits } from '../support/lock-waits.js'
import { setDatabase } from '../support/operator-changes.js'
import { it as passkeyTest } from '../support/passkeys.js'

const it = passkeyTest
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  /** A user, and a function that adds a passkey that the device has created. */
  .extend('user', async ({ passkeys: _, app }) => {
    const { token } = await app.verifiedUser()
    const begun = await app.as(token.jwt, 'POST', 'me/factors/passkey', { password })
    const passkey = createAuthenticator().create(begun.json().options)
    return {
      add: () => app.as(token.jwt, 'POST', 'me/factors/passkey/confirm', { passkey }),
      factors: async () => (await app.as(token.jwt, 'GET', 'me/factors')).json().factors,
    }
  })
  /** Waits until a number of statements wait for a lock, or a change has ended that should have been among them. */
  .extend(
    'waitingOrEnded',
    ({ store }) =>
      (count: number, change?: Promise<unknown>) =>
        Promise.race([
          vi.waitFor(async () => expect(await lockWaits(store)).toBe(count), { timeout: 4_000 }),
          ...(change ? [change.catch(() => undefined)] : []),
        ]),
  )

it('the domain of a passkey that a user is adding cannot change', async ({
  store,
  app,
  user,
  waitingOrEnded,
}) => {
  const [adding, changing] = await store.prisma.$transaction(
    async (transaction) => {
      // The addition waits with its recovery codes after it has stored the passkey.
      await transaction.$executeRaw`LOCK TABLE usher.recovery_code IN SHARE MODE`
      const begun = user.add()
      await waitingOrEnded(1)
      const second = setDatabase(store, app, { appUrl: 'https://example.net' }).catch((error) => error.code)
      await waitingOrEnded(2, second)
      return [begun, second] as const
    },
    { timeout: 20_000 },
  )
  expect([(await adding).statusCode, await changing]).toEqual([201, 'passkeys_in_use'])
  expect(await user.factors()).toHaveLength(1)
})

it('a passkey of a domain that is changing cannot be added', async ({ store, app, user, waitingOrEnded }) => {
  const [changing, adding] = await store.prisma.$transaction(
    async (transaction) => {
      // The change waits for the database after it has found that no one has a passkey.
      await transaction.$queryRaw`SELECT FROM usher.database WHERE id = ${app.id}::uuid FOR UPDATE`
      const begun = setDatabase(store, app, { passkeyDomain: 'example.net' })
      await waitingOrEnded(1)
      const second = user.add()
      await waitingOrEnded(2, second)
      return [begun, second] as const
    },
    { timeout: 20_000 },
  )
  expect([(await changing).passkeyDomain, outcome(await adding)]).toEqual([
    'example.net',
    [401, 'passkey_invalid'],
  ])
  expect(await user.factors()).toEqual([])
})
