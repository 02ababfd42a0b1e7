import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { insertMessages } from '../../store/queries/outbox.js'
import { deleteTenantRow } from '../../store/queries/tenants.js'
import type { Store } from '../../store/store.js'
import { type EventSource, eventMessages } from '../outbox/events.js'
import { requireDatabase } from './databases/databases.js'
import { OperatorError } from './operator-error.js'
import type { Page } from './page.js'
import { findAccount } from './users/find-account.js'

/** Returns tenants ordered by id, which is the order of creation, with the number of users in each. */
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

export async function createTenant(store: Store, path: DatabasePath, name: string, now: Date) {
  const database = await requireDatabase(store, path)
  const tenant = { databaseId: database.id, id: uuidv7(), name, createdAt: now }
  const messages = eventMessages(database, now, [{ type: 'tenant.created', tenantId: tenant.id }])
  await store.prisma.$transaction(async (transaction) => {
    await transaction.tenant.createMany({ data: tenant })
    await insertMessages(transaction, messages)
  })
  return tenant
}

/** @throws {OperatorError} if there is no such tenant */
export async function renameTenant(store: Store, path: DatabasePath, id: string, name: string) {
  const { id: databaseId } = await requireDatabase(store, path)
  const where = { databaseId, id }
  const [renamed] = await store.prisma.tenant.updateManyAndReturn({ where, data: { name } })
  if (!renamed) throw tenantNotFound(path, id)
  return renamed
}

/** Removes the users of a tenant and deletes it. @throws {OperatorError} if there is no such tenant */
export async function deleteTenant(store: Store, path: DatabasePath, id: string, now: Date) {
  const { database, tenant } = await findTenant(store, path, id)
  const users = await deleteTenantRow(store, tenant, ({ userId }) =>
    membershipEvent(database, 'tenant.user_removed', { tenantId: id, userId }, now),
  )
  if (users === undefined) throw tenantNotFound(path, id)
  return { ...tenant, users }
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
  await store.prisma.$transaction(async (transaction) => {
    const data = { ...membership, joinedAt: now }
    const { count } = await transaction.membership.createMany({ data, skipDuplicates: true })
    if (count > 0) await insertMessages(transaction, messages)
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
  await store.prisma.$transaction(async (transaction) => {
    const { count } = await transaction.membership.deleteMany({ where: membership })
    if (count === 0) throw new OperatorError(`user ${userRef} is not a member of tenant ${tenantId}`)
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
  const tenant = await store.prisma.tenant.findUnique({ where: { databaseId_id: { databaseId, id } } })
  if (!tenant) throw tenantNotFound(path, id)
  return tenant
}

const tenantNotFound = ({ workspaceSlug, databaseName }: DatabasePath, id: string) =>
  new OperatorError(`tenant ${id} does not exist in ${workspaceSlug}/${databaseName}`)
