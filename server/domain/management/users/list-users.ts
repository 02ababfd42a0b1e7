import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../../store/store.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { requireDatabase } from '../databases/databases.js'
import type { Page } from '../page.js'
import { requireTenant } from '../tenants.js'
import { type Account, accountColumns, findAccount } from './find-account.js'

/** Returns users ordered by id, which is the order of sign-up. @throws {OperatorError} if there is no such tenant */
export async function listUsers(
  store: Store,
  path: DatabasePath,
  { limit, after }: Page<string>,
  tenantId?: string,
): Promise<Account[]> {
  const { id: databaseId } = await requireDatabase(store, path)
  if (tenantId !== undefined) await requireTenant(store, path, databaseId, tenantId)
  return store.prisma.user.findMany({
    where: {
      databaseId,
      ...(after !== undefined && { id: { gt: after } }),
      ...(tenantId !== undefined && { memberships: { some: { databaseId, tenantId } } }),
    },
    select: accountColumns,
    orderBy: { id: 'asc' },
    take: limit,
  })
}

export async function showUser(store: Store, throttle: Throttle, path: DatabasePath, userRef: string) {
  const { database, account } = await findAccount(store, path, userRef)
  const { canonicalEmail, ...user } = account
  const memberships = await store.prisma.membership.findMany({
    where: { databaseId: database.id, userId: user.id },
    select: { joinedAt: true, tenant: { select: { id: true, name: true } } },
    orderBy: [{ joinedAt: 'asc' }, { tenantId: 'asc' }],
  })
  return {
    ...user,
    tenants: memberships.map(({ tenant, joinedAt }) => ({ ...tenant, joinedAt })),
    failedLogins: (await throttle.failures(database.id, canonicalEmail)) ?? null,
  }
}
