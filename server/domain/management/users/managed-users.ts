import { canonicalEmail, foldEmail } from '@usher/contract'
import type {
  ListedUser,
  ListUsersQuery,
  ManagedUser,
  PageQuery,
  UserList,
  UserOrder,
  UserSessionList,
} from '@usher/contract/management'
import { validate as isUuid } from 'uuid'
import {
  findSessionsOfUser,
  type ListedUserRow,
  listUsersByEmailDescending,
  listUsersByName,
  listUsersByPrefix,
  listUsersByTime,
} from '../../../store/queries/managed-user.js'
import { type Account, listAccountRows } from '../../../store/queries/management/users.js'
import type { Page } from '../../../store/queries/page.js'
import { profileOf } from '../../../store/queries/user-fields.js'
import type { Queries } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import { cursorOf, readCursor, readNamedPage, readPage, requireCursor, requireOneFilter } from '../../page.js'
import { Problem } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import { requireTenant } from '../../tenants/tenants.js'
import type { UserState } from '../../users/read-managed-users.js'

/** Returns a page of users ordered by id, by address if the filter is `emailPrefix`, by name if it is `namePrefix`, or as the query says. */
export async function listUsers(
  { store }: AppContext,
  { database, query }: KeyRequest & { query: ListUsersQuery },
): Promise<UserList> {
  const { order, email, emailPrefix, namePrefix, externalId, tenant, ids, disabled, secondFactor, after } =
    query
  requireOneFilter({ email, emailPrefix, namePrefix, externalId, ids, tenant, disabled, secondFactor, order })
  if (emailPrefix !== undefined) return listByPrefix(store, database.id, { ...query, emailPrefix })
  if (order !== undefined) return listInOrder(store, database.id, { ...query, order })
  if (namePrefix !== undefined) return listByName(store, database.id, { ...query, namePrefix })
  requireCursor(after === undefined || isUuid(after))
  const databaseId = database.id
  if (tenant !== undefined) await requireTenant(store, database, tenant)
  const where = {
    databaseId,
    tenantId: tenant,
    canonicalEmail: email && canonicalEmail(email),
    externalId,
    ids,
    isDisabled: disabled,
    hasSecondFactor: secondFactor,
  }
  const { rows, next } = await readPage(query, (page) => listAccountRows(store, where, page))
  return { users: rows.map(listedUser), next }
}

/** Returns a page of the users whose address begins with a text, ordered by address. */
function listByPrefix(
  store: Queries,
  databaseId: string,
  { emailPrefix, limit, after }: Pick<ListUsersQuery, 'limit' | 'after'> & { emailPrefix: string },
) {
  const filter = { databaseId, prefix: foldEmail(emailPrefix) }
  return listByEmail({ limit, after }, (page) => listUsersByPrefix(store, filter, page))
}

/** Returns a page of users ordered by address. The cursor is the last address, and stays valid after its user is deleted. */
async function listByEmail(
  { limit, after: cursor }: Pick<ListUsersQuery, 'limit' | 'after'>,
  read: (page: Page<string>) => Promise<ListedUserRow[]>,
): Promise<UserList> {
  const after = cursor && Buffer.from(cursor, 'base64url').toString()
  requireCursor(after === undefined || canonicalEmail(after) === after)
  const { rows, next } = await readPage({ limit, after }, read, (last) =>
    Buffer.from(last.canonicalEmail).toString('base64url'),
  )
  return { users: rows.map(listedUser), next }
}

/** Returns a page of all users in an order. */
async function listInOrder(
  store: Queries,
  databaseId: string,
  { order, limit, after }: Pick<ListUsersQuery, 'limit' | 'after'> & { order: UserOrder },
): Promise<UserList> {
  if (order === 'email') return listByPrefix(store, databaseId, { emailPrefix: '', limit, after })
  if (order === '-email')
    return listByEmail({ limit, after }, (page) => listUsersByEmailDescending(store, databaseId, page))
  const filter = { databaseId, isDescending: order === '-createdAt' }
  const { rows, next } = await readPage(
    { limit, after },
    ({ limit, after }) =>
      listUsersByTime(store, filter, { limit, ...(after !== undefined && { after: timeOf(after) }) }),
    ({ id, createdAt }) => cursorOf(id, createdAt.toISOString()),
  )
  return { users: rows.map(listedUser), next }
}

/** Returns id and time of a cursor. @throws {Problem} `validation_failed` if it has no time */
function timeOf(cursor: string) {
  const { id, key } = readCursor(cursor)
  requireCursor(/^\d{4}-[\d-]{5}T[\d:.]{12}Z$/.test(key) && !Number.isNaN(Date.parse(key)))
  return { id, createdAt: key }
}

/** Returns a page of users ordered by name. */
async function listByName(
  store: Queries,
  databaseId: string,
  { namePrefix, limit, after }: Pick<ListUsersQuery, 'limit' | 'after'> & { namePrefix: string },
): Promise<UserList> {
  const { rows, next } = await readNamedPage({ limit, after }, (page) =>
    listUsersByName(store, { databaseId, prefix: namePrefix }, page),
  )
  return { users: rows.map(listedUser), next }
}

/** Returns a user as currently stored. */
export async function getUser(
  { findManagedUser, throttle }: AppContext,
  {
    database,
    params,
    query,
    read,
  }: KeyRequest & { params: { userId: string }; query: { failedLogins?: 'true' | undefined } },
): Promise<ManagedUser> {
  const found = read ?? (await findManagedUser(database.id, { id: params.userId }))
  const user = found?.user
  const managed = managedUser(user)
  if (!user || !query.failedLogins) return managed
  const failed = await throttle.failures(database.id, user.canonicalEmail)
  const failedLogins = { count: failed?.count ?? 0, lastAt: failed?.lastAt.toISOString() ?? null }
  return { ...managed, failedLogins }
}

/** Returns a page of the sessions of a user that have not ended. */
export async function listUserSessions(
  { store, now }: AppContext,
  { database, params, query }: KeyRequest & { params: { userId: string }; query: PageQuery },
): Promise<UserSessionList> {
  const key = { databaseId: database.id, id: params.userId }
  const { rows, next } = await readPage(query, async (page) => {
    const found = await findSessionsOfUser(store, key, { now: new Date(now()), ...page })
    if (!found) throw new Problem('user_not_found')
    return found
  })
  const sessions = rows.map(({ id, label, createdAt, refreshedAt, expiresAt }) => ({
    id,
    label,
    createdAt: createdAt.toISOString(),
    refreshedAt: refreshedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
  return { sessions, next }
}

/** @throws {Problem} `user_not_found` */
export function managedUser(user: UserState | undefined): ManagedUser {
  if (!user) throw new Problem('user_not_found')
  // Spreading into a literal with more fields takes nine times as long.
  return Object.assign(listedUser(user), {
    metadata: user.metadata,
    privateMetadata: user.privateMetadata,
    memberships: user.memberships.map(({ id, name, role, joinedAt }) => ({
      id,
      name,
      role,
      joinedAt: joinedAt.toISOString(),
    })),
    hasPassword: user.hasPassword,
    throttledUntil: user.throttledUntil?.toISOString() ?? null,
    sessions: user.sessions,
    lastLoginOn: user.lastLoginAt?.toISOString().slice(0, 10) ?? null,
  })
}

/** Returns a user as lists show one. */
export const listedUser = (user: Omit<Account, 'databaseId'>): ListedUser => ({
  id: user.id,
  email: user.email,
  ...profileOf(user),
  emailVerified: user.emailVerifiedAt !== null,
  disabled: user.disabledAt !== null,
  externalId: user.externalId,
  createdAt: user.createdAt.toISOString(),
})
