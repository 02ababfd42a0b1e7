import { type Account, listAccountRows } from '../../../store/queries/management/users.js'
import type { Page } from '../../../store/queries/page.js'
import type { Store } from '../../../store/store.js'
import { requireCanonicalEmail } from '../../canonical-email.js'
import type { RuleDatabase } from '../../databases/find-database.js'
import { userNotFound } from '../../problem.js'
import { requireTenant } from '../../tenants/tenants.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { readManagedUsers } from '../../users/read-managed-users.js'
import { findAccount } from './find-account.js'
import { managedUser } from './managed-users.js'

/** Returns users ordered by id. @throws {Problem} if there is no such tenant */
export async function listUsers(
  store: Store,
  database: RuleDatabase,
  { tenantId, ...page }: Page<string> & { tenantId?: string | undefined },
): Promise<Account[]> {
  if (tenantId !== undefined) await requireTenant(store, database, tenantId)
  return listAccountRows(store, { databaseId: database.id, tenantId }, page)
}

/** Returns a user as a backend sees it, with what only operators see. */
export async function showUser(
  context: { store: Store; throttle: Throttle; now: () => number },
  database: RuleDatabase,
  userRef: string,
) {
  const user = await findAccount(context.store, database, userRef)
  const [read] = await readManagedUsers(context, database.id, [{ id: user.id }])
  const state = read?.user
  if (!state) throw userNotFound(database, userRef)
  return {
    ...managedUser(state),
    ...user,
    tenants: state.memberships.map(({ id, name, role, joinedAt }) => ({ id, name, role, joinedAt })),
    failedLogins: (await context.throttle.failures(database.id, requireCanonicalEmail(user.email))) ?? null,
  }
}
