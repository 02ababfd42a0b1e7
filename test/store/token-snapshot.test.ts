import { expect } from 'vitest'
import { deleteMember } from '../../server/store/queries/member-changes.js'
import { lockUsersAndTenant } from '../../server/store/queries/members.js'
import { newPassword } from '../support/codes.js'
import { lockWaits } from '../support/lock-waits.js'
import { it as feedTest, newWorld, verdictOfMe } from '../verify/followed-revocations.js'
import { offlineVerdict } from '../verify/offline-verdict.js'

const it = feedTest.extend('storeKind', { scope: 'worker' }, 'postgres')

it('a token that is issued while a removal commits has the tenant and the earlier number, or neither', async ({
  usher,
  app,
  feed,
}) => {
  const { id, engines } = await newWorld(app, feed)
  const body = { purpose: 'password_reset', deliver: 'return' }
  const { code } = (await feed.manage(['POST', `users/${id}/codes`], body)).json()
  const [reset] = await usher.store.transaction(app.id, async (query) => {
    const key = { databaseId: app.id, tenantId: engines, userId: id }
    await lockUsersAndTenant({ query }, key, [id])
    await deleteMember({ query }, { ...key, now: new Date(usher.clock.now) })
    const begun = app.as('', 'POST', 'password-reset/confirm', { code, newPassword })
    await expect.poll(() => lockWaits(usher.store)).toBe(1)
    return [begun] as const
  })
  const { token } = (await reset).json()
  const { revocations } = await feed.list()
  expect(offlineVerdict(revocations, token.jwt)).toEqual(await verdictOfMe(app, token.jwt))
  expect(await verdictOfMe(app, token.jwt)).toEqual({ isAccepted: true, roles: {} })
})
