import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../store/store.js'
import { requireDatabase } from '../databases/find-database.js'
import type { Throttle } from '../throttle/login-throttle.js'
import { type Account, findAccount, shown } from './find-account.js'
import type { Page } from './page.js'
import { requireTenant } from './tenants.js'

/**
 * Users of a database in the order of their ids, which is that of signing up.
 *
 * @param tenantId only the users of this tenant
 * @throws {OperatorError} where there is no such database or tenant
 */
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
    select: shown,
    orderBy: { id: 'asc' },
    take: limit,
  })
}

/** A user with tenants in the order of joining, and the failed logins that count against the address. */
export async function showUser(store: Store, throttle: Throttle, path: DatabasePath, who: string) {
  const { database, account } = await findAccount(store, path, who)
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
