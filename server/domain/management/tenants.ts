import { isDeepStrictEqual } from 'node:util'
import type { DatabasePath } from '@usher/contract'
import { ChangeTenantBody } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation, isUniqueViolation } from '../../store/errors.js'
import {
  countMembers,
  deleteEmptyTenant,
  deleteMembers,
  deleteMembership,
  findTenantRow,
  insertMembership,
  insertTenant,
  listTenantRows,
  lockTenantRow,
  type TenantFields,
  type TenantRow,
  updateTenantRow,
} from '../../store/queries/management/tenants.js'
import type { Page } from '../../store/queries/management/typed-queries.js'
import { inTransaction, type TypedQueries } from '../../store/queries/management/typed-queries.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../databases/find-database.js'
import { requireDatabase } from './databases.js'
import { etagOf, requireMatch } from './etag.js'
import { messagesOf, type Operation } from './operation.js'
import { externalIdTaken, OperatorError } from './operator-error.js'
import { findAccount } from './users/find-account.js'

/** Returns tenants ordered by id, which is the order of creation, with the number of users in each. */
export async function listTenants(store: Store, path: DatabasePath, page: Page<string>) {
  const { id: databaseId } = await requireDatabase(store, path)
  const tenants = await listTenantRows(store, { databaseId }, page)
  const users = await countMembers(
    store,
    databaseId,
    tenants.map(({ id }) => id),
  )
  return tenants.map(({ id, name, externalId, createdAt }) => ({
    databaseId,
    id,
    name,
    externalId,
    users: users.get(id) ?? 0,
    createdAt,
  }))
}

/** Some fields. An absent or undefined one does not change. */
type Changes<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

const noFields = { externalId: null, metadata: null, privateMetadata: null }

/** Returns a handler of rejections of a statement that writes a tenant. */
const ifTaken =
  ({ externalId }: Pick<TenantRow, 'externalId'>) =>
  (error: unknown) => {
    throw isUniqueViolation(error) ? externalIdTaken('tenant', externalId) : error
  }

interface TenantCreation extends Operation {
  /** Called with the new tenant before the transaction ends. */
  onCreated?: (transaction: TypedQueries, tenant: TenantRow) => Promise<unknown>
}

export async function createTenant(
  { store, now, apiKey, onCreated }: TenantCreation,
  path: DatabasePath,
  fields: Changes<TenantFields> & { name: string },
): Promise<TenantRow> {
  const database = await requireDatabase(store, path)
  const tenant = { ...noFields, ...fields, databaseId: database.id, id: uuidv7(), createdAt: now }
  const messages = messagesOf({ now, apiKey }, database, [{ type: 'tenant.created', tenantId: tenant.id }])
  const insert = async (transaction: TypedQueries) => {
    await insertTenant(transaction, tenant).catch(ifTaken(tenant))
    await insertMessages(transaction, messages)
    await onCreated?.(transaction, tenant)
    return tenant
  }
  return inTransaction(store, insert).catch(ifDeletedMeanwhile(() => requireDatabase(store, path)))
}

/**
 * Changes fields of a tenant.
 *
 * @param change.ifMatch the `If-Match` of the request: nothing changes if the tenant has another ETag
 * @throws {OperatorError} if there is no such tenant
 * @throws {Problem} `precondition_failed`
 */
export async function changeTenant(
  { store, now, apiKey }: Operation,
  path: DatabasePath,
  { id, changes, ifMatch }: { id: string; changes: Changes<TenantFields>; ifMatch?: string | undefined },
) {
  const database = await requireDatabase(store, path)
  const key = { databaseId: database.id, id }
  const messages = messagesOf({ now, apiKey }, database, [{ type: 'tenant.updated', tenantId: id }])
  return inTransaction(store, async (transaction) => {
    const former = await lockTenantRow(transaction, key)
    if (!former) throw tenantNotFound(path, id)
    requireMatch(ifMatch, etagOf(former, Object.keys(ChangeTenantBody.shape)))
    const tenant = { ...former, ...changes } as TenantRow
    if (isDeepStrictEqual(tenant, former)) return { tenant, isChanged: false }
    await updateTenantRow(transaction, tenant).catch(ifTaken(tenant))
    await insertMessages(transaction, messages)
    return { tenant, isChanged: true }
  })
}

/** Members that one transaction removes. Each causes a message, and a transaction may take five seconds at most. */
const membersAtOnce = 250

/**
 * Removes the users of a tenant in several transactions, and then deletes it. Calling it again continues an interrupted
 * deletion.
 *
 * @throws {OperatorError} if there is no such tenant
 */
export async function deleteTenant({ store, now, apiKey }: Operation, path: DatabasePath, id: string) {
  const { database, tenant } = await findTenant(store, path, id)
  const deleteSome = async (transaction: TypedQueries) => {
    const userIds = await deleteMembers(transaction, tenant, membersAtOnce)
    if (!userIds) throw tenantNotFound(path, id)
    const events = userIds.map((userId) => ({ type: 'tenant.user_removed', tenantId: id, userId }) as const)
    await insertMessages(transaction, messagesOf({ now, apiKey }, database, events))
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

/**
 * Adds a user to a tenant. Succeeds also for a member.
 *
 * @returns the membership, and whether it is new
 * @throws {OperatorError} if there is no such user or tenant
 */
export async function addToTenant({ store, now, apiKey }: Operation, path: DatabasePath, member: MemberRef) {
  const { database, ...membership } = await requireBoth(store, path, member)
  const messages = messagesOf({ now, apiKey }, database, [
    { type: 'tenant.user_added', ...keyOf(membership) },
  ])
  const insert = async (transaction: TypedQueries) => {
    const isNew = await insertMembership(transaction, { ...membership, joinedAt: now })
    if (isNew) await insertMessages(transaction, messages)
    return isNew
  }
  const isNew = await inTransaction(store, insert).catch(
    ifDeletedMeanwhile(() => requireBoth(store, path, member)),
  )
  return { membership, isNew }
}

/** Returns a handler of rejections. If a row that a new one refers to is gone, it reports which. */
const ifDeletedMeanwhile = (requireAll: () => Promise<unknown>) => async (error: unknown) => {
  if (isForeignKeyViolation(error)) await requireAll()
  throw error
}

/** Removes a user from a tenant. @throws {OperatorError} if the user is not a member */
export async function removeFromTenant(
  { store, now, apiKey }: Operation,
  path: DatabasePath,
  member: MemberRef,
) {
  const { tenantId, userRef } = member
  const { database, ...membership } = await requireBoth(store, path, member)
  const messages = messagesOf({ now, apiKey }, database, [
    { type: 'tenant.user_removed', ...keyOf(membership) },
  ])
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
