import type { DatabasePath } from '@usher/contract'
import { listMemberships } from '../../../store/queries/management/tenants.js'
import type { Page } from '../../../store/queries/management/typed-queries.js'
import { type Account, listAccountRows } from '../../../store/queries/management/users.js'
import type { Store } from '../../../store/store.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { requireDatabase } from '../databases.js'
import { requireTenant } from '../tenants.js'
import { findAccount } from './find-account.js'

/** Returns users ordered by id, which is the order of sign-up. @throws {OperatorError} if there is no such tenant */
export async function listUsers(
  store: Store,
  path: DatabasePath,
  { tenantId, ...page }: Page<string> & { tenantId?: string | undefined },
): Promise<Account[]> {
  const { id: databaseId } = await requireDatabase(store, path)
  if (tenantId !== undefined) await requireTenant(store, path, { databaseId, id: tenantId })
  return listAccountRows(store, { databaseId, tenantId }, page)
}

export async function showUser(
  { store, throttle }: { store: Store; throttle: Throttle },
  path: DatabasePath,
  userRef: string,
) {
  const { database, account } = await findAccount(store, path, userRef)
  const { canonicalEmail, ...user } = account
  const memberships = await listMemberships(store, { databaseId: database.id, userId: user.id })
  return {
    ...user,
    tenants: memberships.map(({ tenant, joinedAt }) => ({ ...tenant, joinedAt })),
    failedLogins: (await throttle.failures(database.id, canonicalEmail)) ?? null,
  }
}
