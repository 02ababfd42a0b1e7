import { type Account, listAccountRows } from '../../../store/queries/management/users.js'
import type { Page } from '../../../store/queries/page.js'
import type { Store } from '../../../store/store.js'
import { requireTenant } from '../../tenants/tenants.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { readManagedUsers } from '../../users/read-managed-users.js'
import { type DatabaseRef, findDatabase } from '../found-database.js'
import { findAccount, userNotFound } from './find-account.js'
import { managedUser } from './managed-users.js'

/** Returns users ordered by id, which is the order of sign-up. @throws {Problem} if there is no such tenant */
export async function listUsers(
  store: Store,
  ref: DatabaseRef,
  { tenantId, ...page }: Page<string> & { tenantId?: string | undefined },
): Promise<Account[]> {
  const database = await findDatabase(store, ref)
  const databaseId = database.id
  if (tenantId !== undefined) await requireTenant(store, database, tenantId)
  return listAccountRows(store, { databaseId, tenantId }, page)
}

/** Returns a user as a backend sees it, with what only operators see. */
export async function showUser(
  context: { store: Store; throttle: Throttle; now: () => number },
  ref: DatabaseRef,
  userRef: string,
) {
  const { database, account } = await findAccount(context.store, ref, userRef)
  const { canonicalEmail, ...user } = account
  const [read] = await readManagedUsers(context, database.id, [{ id: user.id }])
  const state = read?.user
  if (!state) throw userNotFound(database, userRef)
  return {
    ...managedUser(state),
    ...user,
    tenants: state.memberships.map(({ id, name, role, joinedAt }) => ({ id, name, role, joinedAt })),
    failedLogins: (await context.throttle.failures(database.id, canonicalEmail)) ?? null,
  }
}
