import { canonicalEmail } from '@usher/contract'
import type { ListedUser, ListUsersQuery, ManagedUser, UserList } from '@usher/contract/management'
import { findManagedUser } from '../../../store/queries/managed-user.js'
import { type Account, listAccountRows } from '../../../store/queries/management/users.js'
import type { Store } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import { Problem } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { nextOf, requireOneFilter } from '../page.js'
import { requireTenant } from '../tenants.js'

/** Returns a page of users, ordered by id. */
export async function listManagedUsers(
  { store }: AppContext,
  {
    database,
    params,
    query,
  }: KeyRequest & { params: Parameters<typeof requireTenant>[1]; query: ListUsersQuery },
): Promise<UserList> {
  const { limit = 50, after, email, externalId, tenant, ids, disabled } = query
  requireOneFilter({ email, externalId, ids, tenant, disabled })
  const databaseId = database.id
  if (tenant !== undefined) await requireTenant(store, params, { databaseId, id: tenant })
  const where = {
    databaseId,
    tenantId: tenant,
    canonicalEmail: email && canonicalEmail(email),
    externalId,
    ids,
    isDisabled: disabled,
  }
  const rows = await listAccountRows(store, where, { limit: limit + 1, ...(after && { after }) })
  return { users: rows.slice(0, limit).map(listedUser), next: nextOf(rows, limit) }
}

/** Returns a user as currently stored. */
export async function getManagedUser(
  context: AppContext,
  { database, params }: KeyRequest & { params: { userId: string } },
): Promise<ManagedUser> {
  return readManagedUser(context, { databaseId: database.id, id: params.userId })
}

/** @throws {Problem} `user_not_found` */
export async function readManagedUser(
  { throttle, now, store }: Pick<AppContext, 'throttle' | 'now'> & { store: Pick<Store, 'query'> },
  key: { databaseId: string; id: string },
): Promise<ManagedUser> {
  const user = await findManagedUser(store, key, new Date(now()))
  if (!user) throw new Problem('user_not_found')
  const throttled = await throttle.delays(store, key.databaseId, user.canonicalEmail)
  return {
    ...listedUser(user),
    metadata: user.metadata,
    privateMetadata: user.privateMetadata,
    memberships: user.memberships.map(({ id, name, joinedAt }) => ({
      id,
      name,
      joinedAt: joinedAt.toISOString(),
    })),
    throttled,
    sessions: user.sessions,
    lastLoginOn: user.lastLoginAt?.toISOString().slice(0, 10) ?? null,
  }
}

const listedUser = (user: Omit<Account, 'databaseId' | 'tokensValidAfter'>): ListedUser => ({
  id: user.id,
  email: user.email,
  preferredName: user.preferredName,
  emailVerified: user.emailVerifiedAt !== null,
  disabled: user.disabledAt !== null,
  externalId: user.externalId,
  createdAt: user.createdAt.toISOString(),
})
