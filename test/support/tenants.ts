import { randomUUID } from 'node:crypto'
import type { SignedInUser } from '@usher/contract'
import { it as apiTest } from './api.js'
import { type TestApi, type TestDatabase, validUser } from './app.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Returns what a user does with tenants. Paths are below `tenants`. */
export const userOf = (
  { send }: TestApi,
  { users }: Pick<TestDatabase, 'users'>,
  user: SignedInUser & { email: string },
) => ({
  ...user,
  /** Sends a request, and returns its status and body. */
  async as(method: Method, path: string, payload?: object) {
    const { statusCode, body } = await send({
      method,
      url: `${users.replace(/users$/, 'tenants')}${path && `/${path}`}`,
      headers: { authorization: `Bearer ${user.token.jwt}` },
      ...(payload && { payload }),
    })
    return [statusCode, body ? JSON.parse(body) : undefined] as const
  },
})

export type TenantUser = ReturnType<typeof userOf>

/** `it` with users of tenants in a new database for each test. */
export const it = apiTest.extend('tenants', async ({ usher }) => {
  const database = await usher.newDatabase()
  /** Signs up a user, who becomes a member of a tenant if it is given. */
  async function joined(tenantId?: string, role = 'member', joinedAt = new Date(usher.clock.now)) {
    const { email } = validUser()
    const user = { email, ...(await database.signedUp({ email })) }
    const row = { databaseId: database.id, userId: user.id, tenantId: tenantId ?? '', role, joinedAt }
    if (tenantId !== undefined) await usher.store.prisma.membership.createMany({ data: row })
    return userOf(usher, database, user)
  }
  /** Signs up a user with a tenant. */
  async function founder() {
    const { email } = validUser()
    const user = { email, ...(await database.signedUp({ email, newTenant: 'Engines' })) }
    return { owner: userOf(usher, database, user), id: user.tenants[0] ?? '' }
  }
  /** Returns the roles that the store has, by user. */
  async function roles(tenantId: string) {
    const rows = await usher.store.prisma.membership.findMany({
      where: { databaseId: database.id, tenantId },
    })
    return new Map(rows.map(({ userId, role }) => [userId, role]))
  }
  /** Removes a membership from the store. */
  const without = (tenantId: string, userId: string) =>
    usher.store.prisma.membership.deleteMany({ where: { databaseId: database.id, tenantId, userId } })
  return { database, joined, founder, roles, without }
})

/** Adds new users to a tenant. */
export async function addMembers(
  { store: { prisma }, clock }: Pick<TestApi, 'store' | 'clock'>,
  { databaseId, tenantId }: { databaseId: string; tenantId: string },
  count: number,
) {
  const createdAt = new Date(clock.now)
  const users = Array.from({ length: count }, (_, i) => ({
    ...{ databaseId, id: randomUUID(), email: `m${i}@example.com`, canonicalEmail: `m${i}@example.com` },
    ...{ passwordHash: '', createdAt },
  }))
  await prisma.user.createMany({ data: users })
  const data = users.map(({ id: userId }) => ({ databaseId, tenantId, userId, joinedAt: createdAt }))
  await prisma.membership.createMany({ data })
}

/** Returns the kept events of a database, by type. */
export async function keptEvents({ store }: Pick<TestApi, 'store'>, databaseId: string) {
  const rows = await store.prisma.keptEvent.findMany({ where: { databaseId } })
  const events = rows.map(({ payload }) => payload as { type: string })
  return events.sort((one, other) => (one.type < other.type ? -1 : 1))
}

/** Returns status and code of a refusal. */
export const refusal = ([status, body]: readonly [number, { code: string }]) => [status, body.code]
