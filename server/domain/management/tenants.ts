import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import type { Page } from '../../store/queries/management/page.js'
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
import { inTransaction, type TypedQueries } from '../../store/queries/management/transaction.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { type EventSource, eventMessages } from '../events/events.js'
import { requireDatabase } from './databases/databases.js'
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

export async function createTenant(store: Store, path: DatabasePath, name: string, now: Date) {
  const database = await requireDatabase(store, path)
  const tenant = { databaseId: database.id, id: uuidv7(), name, createdAt: now }
  const messages = eventMessages(database, now, [{ type: 'tenant.created', tenantId: tenant.id }])
  await inTransaction(store, async (transaction) => {
    await insertTenant(transaction, tenant)
    await insertMessages(transaction, messages)
  })
  return tenant
}

/** @throws {OperatorError} if there is no such tenant */
export async function renameTenant(store: Store, path: DatabasePath, id: string, name: string) {
  const { id: databaseId } = await requireDatabase(store, path)
  const renamed = await renameTenantRow(store, { databaseId, id }, name)
  if (!renamed) throw tenantNotFound(path, id)
  return renamed
}

/** Members that one transaction removes. Each causes a message, and a transaction ends after five seconds. */
const membersAtOnce = 250

/**
 * Removes the users of a tenant, some in each transaction, and deletes it. Ended before, it can be called again.
 *
 * @throws {OperatorError} if there is no such tenant
 */
export async function deleteTenant(store: Store, path: DatabasePath, id: string, now: Date) {
  const { database, tenant } = await findTenant(store, path, id)
  const deleteSome = async (transaction: TypedQueries) => {
    const userIds = await deleteMembers(transaction, tenant, membersAtOnce)
    if (!userIds) throw tenantNotFound(path, id)
    const messages = userIds.flatMap((userId) =>
      membershipEvent(database, 'tenant.user_removed', { tenantId: id, userId }, now),
    )
    await insertMessages(transaction, messages)
    return { count: userIds.length, isDeleted: await deleteEmptyTenant(transaction, tenant) }
  }
  for (let users = 0; ; ) {
    const { count, isDeleted } = await inTransaction(store, deleteSome)
    users += count
    if (isDeleted) return { ...tenant, users }
  }
}

/** Adding a member again succeeds. @throws {OperatorError} if there is no such user or tenant */
export async function addToTenant(
  store: Store,
  path: DatabasePath,
  tenantId: string,
  userRef: string,
  now: Date,
) {
  const { database, ...membership } = await requireBoth(store, path, tenantId, userRef)
  const messages = membershipEvent(database, 'tenant.user_added', membership, now)
  await inTransaction(store, async (transaction) => {
    const isNew = await insertMembership(transaction, { ...membership, joinedAt: now })
    if (isNew) await insertMessages(transaction, messages)
  })
  return membership
}

/** @throws {OperatorError} if the user is not a member */
export async function removeFromTenant(
  store: Store,
  path: DatabasePath,
  tenantId: string,
  userRef: string,
  now: Date,
) {
  const { database, ...membership } = await requireBoth(store, path, tenantId, userRef)
  const messages = membershipEvent(database, 'tenant.user_removed', membership, now)
  await inTransaction(store, async (transaction) => {
    const wasMember = await deleteMembership(transaction, membership)
    if (!wasMember) throw new OperatorError(`user ${userRef} is not a member of tenant ${tenantId}`)
    await insertMessages(transaction, messages)
  })
  return membership
}

const membershipEvent = (
  database: EventSource,
  type: 'tenant.user_added' | 'tenant.user_removed',
  { tenantId, userId }: { tenantId: string; userId: string },
  now: Date,
) => eventMessages(database, now, [{ type, tenantId, userId }])

async function requireBoth(store: Store, path: DatabasePath, tenantId: string, userRef: string) {
  const { database, account } = await findAccount(store, path, userRef)
  await requireTenant(store, path, database.id, tenantId)
  return { database, databaseId: database.id, userId: account.id, tenantId }
}

/** @throws {OperatorError} if there is no such tenant or database */
export async function findTenant(store: Store, path: DatabasePath, id: string) {
  const database = await requireDatabase(store, path)
  return { database, tenant: await requireTenant(store, path, database.id, id) }
}

export async function requireTenant(store: Store, path: DatabasePath, databaseId: string, id: string) {
  const tenant = await findTenantRow(store, { databaseId, id })
  if (!tenant) throw tenantNotFound(path, id)
  return tenant
}

const tenantNotFound = ({ workspaceSlug, databaseName }: DatabasePath, id: string) =>
  new OperatorError(`tenant ${id} does not exist in ${workspaceSlug}/${databaseName}`)
