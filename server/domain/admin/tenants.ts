import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../store/store.js'
import { requireDatabase } from '../databases/find-database.js'
import { findAccount } from './find-account.js'
import { OperatorError } from './operator-error.js'
import type { Page } from './page.js'

/**
 * Tenants of a database in the order of their ids, which is that of their making, with the number of users in
 * each.
 *
 * @throws {OperatorError} where there is no such database
 */
export async function listTenants(store: Store, path: DatabasePath, { limit, after }: Page<string>) {
  const { id: databaseId } = await requireDatabase(store, path)
  const tenants = await store.prisma.tenant.findMany({
    where: { databaseId, ...(after !== undefined && { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: limit,
  })
  const counts = await store.prisma.membership.groupBy({
    by: ['tenantId'],
    where: { databaseId, tenantId: { in: tenants.map(({ id }) => id) } },
    _count: true,
  })
  const users = new Map(counts.map((row) => [row.tenantId, row._count]))
  return tenants.map(({ id, name, createdAt }) => ({
    databaseId,
    id,
    name,
    users: users.get(id) ?? 0,
    createdAt,
  }))
}

/**
 * Makes a user one of a tenant's; nothing changes where that is so already.
 *
 * @throws {OperatorError} where there is no such user or tenant
 */
export async function addToTenant(
  store: Store,
  path: DatabasePath,
  tenantId: string,
  who: string,
  now: Date,
) {
  const { databaseId, userId } = await requireBoth(store, path, tenantId, who)
  const data = { databaseId, userId, tenantId, joinedAt: now }
  await store.prisma.membership.createMany({ data, skipDuplicates: true })
  return { databaseId, userId, tenantId }
}

/** Ends a user's membership of a tenant. @throws {OperatorError} where there is none */
export async function removeFromTenant(store: Store, path: DatabasePath, tenantId: string, who: string) {
  const membership = await requireBoth(store, path, tenantId, who)
  const { count } = await store.prisma.membership.deleteMany({ where: membership })
  if (count === 0) throw new OperatorError(`user ${who} is not of tenant ${tenantId}`)
  return membership
}

async function requireBoth(store: Store, path: DatabasePath, tenantId: string, who: string) {
  const { database, account } = await findAccount(store, path, who)
  await requireTenant(store, path, database.id, tenantId)
  return { databaseId: database.id, userId: account.id, tenantId }
}

/** @throws {OperatorError} where the database has no such tenant */
export async function requireTenant(store: Store, path: DatabasePath, databaseId: string, id: string) {
  const tenant = await store.prisma.tenant.findUnique({ where: { databaseId_id: { databaseId, id } } })
  if (!tenant) throw new OperatorError(`no tenant ${id} in ${path.workspaceSlug}/${path.databaseName}`)
}
