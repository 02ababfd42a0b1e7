import { expect } from 'vitest'
import type { OpenStore } from '../../support/open-store.js'
import type { SignUp } from './load.js'
import type { Server } from './server.js'

/** Checks that every acknowledged user can log in, with the acknowledged id and tenants. */
export async function auditLogins(server: Server, ledger: readonly SignUp[]) {
  const remaining = ledger.values()
  async function logIn() {
    for (const { email, user } of remaining) {
      if (user) expect(await server.login(email)).toMatchObject({ status: 200, body: user })
    }
  }
  await Promise.all(Array.from({ length: 8 }, logIn))
}

/**
 * Checks that the store has every acknowledged user, that every user is complete, and that there are no other rows.
 *
 * @returns numbers of acknowledged, lost and unacknowledged users
 */
export async function auditRows({ prisma }: Pick<OpenStore, 'prisma'>, ledger: readonly SignUp[]) {
  const include = { idempotencyKeys: true, memberships: { include: { tenant: true } } }
  const users = new Map((await prisma.user.findMany({ include })).map((user) => [user.email, user]))
  const acknowledged = ledger.filter(({ user }) => user)
  const lost = acknowledged.filter(({ email, user }) => users.get(email)?.id !== user?.id)
  expect(lost, 'acknowledged and lost').toEqual([])

  const present = [...users.values()].map(({ email, memberships, idempotencyKeys }) => ({
    email,
    tenants: memberships.map(({ tenant }) => tenant.name),
    keys: idempotencyKeys.length,
  }))
  const requested = new Set(ledger.map((signUp) => JSON.stringify(expectedUser(signUp))))
  const unexpected = present.filter((user) => !requested.has(JSON.stringify(user)))
  expect(unexpected, 'users that differ from their request').toEqual([])
  const orphans = await prisma.tenant.count({ where: { memberships: { none: {} } } })
  expect(orphans, 'tenants without a user').toBe(0)
  return {
    acknowledged: acknowledged.length,
    lost: lost.length,
    unacknowledged: users.size - acknowledged.length,
  }
}

const expectedUser = ({ email, newTenant, key }: SignUp) => ({
  email,
  tenants: newTenant ? [newTenant] : [],
  keys: key ? 1 : 0,
})
