import type { DatabasePath } from '@usher/contract'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { type EventSource, eventMessages } from '../outbox/events.js'
import { requireDatabase } from './databases.js'
import { findAccount } from './find-account.js'
import { OperatorError } from './operator-error.js'
import type { Page } from './page.js'

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

export async function requireTenant(store: Store, path: DatabasePath, databaseId: string, id: string) {
  const tenant = await store.prisma.tenant.findUnique({ where: { databaseId_id: { databaseId, id } } })
  if (!tenant)
    throw new OperatorError(`tenant ${id} does not exist in ${path.workspaceSlug}/${path.databaseName}`)
}
