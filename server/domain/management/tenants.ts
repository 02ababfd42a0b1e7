import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import {
  countMembers,
  deleteEmptyTenant,
  deleteMembers,
  deleteMembership,
  findTenantRow,
  insertMembership,
  insertTenant,
  listTenantRows,
  renameTenantRow,
} from '../../store/queries/management/tenants.js'
import type { Page } from '../../store/queries/management/typed-queries.js'
import { inTransaction, type TypedQueries } from '../../store/queries/management/typed-queries.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../databases/find-database.js'
import { eventMessages } from '../events/events.js'
import { requireDatabase } from './databases.js'
import type { Operation } from './operation.js'
import { OperatorError } from './operator-error.js'
import { findAccount } from './users/find-account.js'

/** Returns tenants ordered by id, which is the order of creation, with the number of users in each. */
export async function listTenants(store: Store, path: DatabasePath, page: Page<string>) {
  const { id: databaseId } = await requireDatabase(store, path)
  const tenants = await listTenantRows(store, databaseId, page)
  const users = await countMembers(
    store,
    databaseId,
    tenants.map(({ id }) => id),
  )
  return tenants.map(({ id, name, createdAt }) => ({
    databaseId,
    id,
    name,
    users: users.get(id) ?? 0,
    createdAt,
  }))
}

export async function createTenant({ store, now }: Operation, path: DatabasePath, name: string) {
  const database = await requireDatabase(store, path)
  const tenant = { databaseId: database.id, id: uuidv7(), name, createdAt: now }
  const messages = eventMessages(database, now, [{ type: 'tenant.created', tenantId: tenant.id }])
  await inTransaction(store, async (transaction) => {
    await insertTenant(transaction, tenant)
    await insertMessages(transaction, messages)
  })
  return tenant
}

/** Changes the name of a tenant. @throws {OperatorError} if there is no such tenant */
export async function renameTenant(
  store: Store,
  path: DatabasePath,
  { id, name }: { id: string; name: string },
) {
  const { id: databaseId } = await requireDatabase(store, path)
  const renamed = await renameTenantRow(store, { databaseId, id }, name)
  if (!renamed) throw tenantNotFound(path, id)
  return renamed
}

/** Members that one transaction removes. Each causes a message, and a transaction may take five seconds at most. */
const membersAtOnce = 250

/**
 * Removes the users of a tenant in several transactions, and then deletes it. Calling it again continues an interrupted
 * deletion.
 *
 * @throws {OperatorError} if there is no such tenant
 */
export async function deleteTenant({ store, now }: Operation, path: DatabasePath, id: string) {
  const { database, tenant } = await findTenant(store, path, id)
  const deleteSome = async (transaction: TypedQueries) => {
    const userIds = await deleteMembers(transaction, tenant, membersAtOnce)
    if (!userIds) throw tenantNotFound(path, id)
    const events = userIds.map((userId) => ({ type: 'tenant.user_removed', tenantId: id, userId }) as const)
    await insertMessages(transaction, eventMessages(database, now, events))
    return { count: userIds.length, isDeleted: await deleteEmptyTenant(transaction, tenant) }
  }
  for (let users = 0; ; ) {
    const { count, isDeleted } = await inTransaction(store, deleteSome)
    users += count
    if (isDeleted) return { ...tenant, users }
  }
}

/** A user of a tenant. `userRef` is an id or an email address. */
interface MemberRef {
  tenantId: string
  userRef: string
}

/** Adds a user to a tenant. Succeeds also for a member. @throws {OperatorError} if there is no such user or tenant */
export async function addToTenant({ store, now }: Operation, path: DatabasePath, member: MemberRef) {
  const { database, ...membership } = await requireBoth(store, path, member)
  const messages = eventMessages(database, now, [{ type: 'tenant.user_added', ...keyOf(membership) }])
  await inTransaction(store, async (transaction) => {
    const isNew = await insertMembership(transaction, { ...membership, joinedAt: now })
    if (isNew) await insertMessages(transaction, messages)
  })
  return membership
}

/** Removes a user from a tenant. @throws {OperatorError} if the user is not a member */
export async function removeFromTenant({ store, now }: Operation, path: DatabasePath, member: MemberRef) {
  const { tenantId, userRef } = member
  const { database, ...membership } = await requireBoth(store, path, member)
  const messages = eventMessages(database, now, [{ type: 'tenant.user_removed', ...keyOf(membership) }])
  await inTransaction(store, async (transaction) => {
    const wasMember = await deleteMembership(transaction, membership)
    if (!wasMember)
      throw new OperatorError('member_not_found', `user ${userRef} is not a member of tenant ${tenantId}`)
    await insertMessages(transaction, messages)
  })
  return membership
}

const keyOf = ({ tenantId, userId }: { tenantId: string; userId: string }) => ({ tenantId, userId })

async function requireBoth(store: Store, path: DatabasePath, { tenantId, userRef }: MemberRef) {
  const { database, account } = await findAccount(store, path, userRef)
  await requireTenant(store, path, { databaseId: database.id, id: tenantId })
  return { database, databaseId: database.id, userId: account.id, tenantId }
}

/** Returns a tenant. @throws {OperatorError} if there is no such tenant or database */
export async function findTenant(store: Store, path: DatabasePath, id: string) {
  const database = await requireDatabase(store, path)
  return { database, tenant: await requireTenant(store, path, { databaseId: database.id, id }) }
}

export async function requireTenant(
  store: Store,
  path: DatabasePath,
  key: { databaseId: string; id: string },
) {
  const tenant = await findTenantRow(store, key)
  if (!tenant) throw tenantNotFound(path, key.id)
  return tenant
}

export const tenantNotFound = (path: DatabasePath, id: string) =>
  new OperatorError('tenant_not_found', `tenant ${id} does not exist in ${nameOfDatabase(path)}`)
