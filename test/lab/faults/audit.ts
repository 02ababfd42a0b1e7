import { expect } from 'vitest'
import type { Store } from '../../../server/store/store.js'
import type { SignUp } from './load.js'
import type { Server } from './server.js'

/** Holds Usher to its word: every user that it acknowledged logs in, with the id and the tenants of then. */
export async function auditLogins(server: Server, ledger: readonly SignUp[]) {
  const rest = ledger.values()
  async function logIn() {
    for (const { email, user } of rest) {
      if (user) expect(await server.login(email)).toMatchObject({ status: 200, body: user })
    }
  }
  await Promise.all(Array.from({ length: 8 }, logIn))
}

/**
 * Holds a store to what was asked of it: who was acknowledged is there, whoever is there is there wholly, and
 * there is nobody and nothing else.
 *
 * @returns how many were acknowledged, how many of them are lost, and how many are there without
 */
export async function auditRows({ prisma }: Pick<Store, 'prisma'>, ledger: readonly SignUp[]) {
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
  const asked = new Set(ledger.map((signUp) => JSON.stringify(wholeOf(signUp))))
  const halves = present.filter((user) => !asked.has(JSON.stringify(user)))
  expect(halves, 'users that are not what was asked for').toEqual([])
  const alone = await prisma.tenant.count({ where: { memberships: { none: {} } } })
  expect(alone, 'tenants without a user').toBe(0)
  return {
    acknowledged: acknowledged.length,
    lost: lost.length,
    unacknowledged: users.size - acknowledged.length,
  }
}

const wholeOf = ({ email, newTenant, key }: SignUp) => ({
  email,
  tenants: newTenant ? [newTenant] : [],
  keys: key ? 1 : 0,
})
