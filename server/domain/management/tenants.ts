import { isDeepStrictEqual } from 'node:util'
import type { DatabasePath } from '@usher/contract'
import { ChangeTenantBody } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation, isUniqueViolation } from '../../store/errors.js'
import {
  countMembers,
  findTenantRow,
  insertTenant,
  listTenantRows,
  lockTenantRow,
  type TenantFields,
  type TenantRow,
  updateTenantRow,
} from '../../store/queries/management/tenants.js'
import { inTransaction, type TypedQueries } from '../../store/queries/management/typed-queries.js'
import { deletePartOfTenant } from '../../store/queries/member-changes.js'
import { lockTenant } from '../../store/queries/members.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../databases/find-database.js'
import { eventsOfDeletion } from '../tenants/tenants.js'
import { requireDatabase } from './databases.js'
import { etagOf, requireMatch } from './etag.js'
import { type DatabaseRef, findDatabase } from './found-database.js'
import { type Changes, messagesOf, type Operation } from './operation.js'
import { externalIdTaken, OperatorError } from './operator-error.js'

/** Returns tenants ordered by id, which is the order of creation, with the number of users in each. */
export async function listTenants(store: Store, ref: DatabaseRef, page: Page<string>) {
  const { id: databaseId } = await findDatabase(store, ref)
  const tenants = await listTenantRows(store, { databaseId }, page)
  const users = await countMembers(
    store,
    databaseId,
    tenants.map(({ id }) => id),
  )
  return tenants.map(({ id, name, externalId, seats, createdAt }) => ({
    databaseId,
    id,
    name,
    externalId,
    seats,
    users: users.get(id) ?? 0,
    createdAt,
  }))
}

const noFields = { seats: null, externalId: null, metadata: null, privateMetadata: null }

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
  ref: DatabaseRef,
  fields: Changes<TenantFields> & { name: string },
): Promise<TenantRow> {
  const database = await findDatabase(store, ref)
  const tenant = { ...noFields, ...fields, databaseId: database.id, id: uuidv7(), createdAt: now }
  const messages = messagesOf({ now, apiKey }, database, [{ type: 'tenant.created', tenantId: tenant.id }])
  const insert = async (transaction: TypedQueries) => {
    await insertTenant(transaction, tenant).catch(ifTaken(tenant))
    await insertMessages(transaction, messages)
    await onCreated?.(transaction, tenant)
    return tenant
  }
  return inTransaction(store, insert).catch(ifDeletedMeanwhile(() => requireDatabase(store, ref)))
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
  ref: DatabaseRef,
  { id, changes, ifMatch }: { id: string; changes: Changes<TenantFields>; ifMatch?: string | undefined },
) {
  const database = await findDatabase(store, ref)
  const key = { databaseId: database.id, id }
  const messages = messagesOf({ now, apiKey }, database, [{ type: 'tenant.updated', tenantId: id }])
  return inTransaction(store, async (transaction) => {
    const former = await lockTenantRow(transaction, key)
    if (!former) throw tenantNotFound(database, id)
    requireMatch(ifMatch, etagOf(former, Object.keys(ChangeTenantBody.shape)))
    const tenant = { ...former, ...changes } as TenantRow
    if (isDeepStrictEqual(tenant, former)) return { tenant, isChanged: false }
    await updateTenantRow(transaction, tenant).catch(ifTaken(tenant))
    await insertMessages(transaction, messages)
    return { tenant, isChanged: true }
  })
}

/** Members that one transaction removes. Each causes a message, and a transaction may take at most five seconds. */
const membersAtOnce = 250

/**
 * Removes the users of a tenant in several transactions, and then deletes it. Calling it again continues an interrupted
 * deletion.
 *
 * @throws {OperatorError} if there is no such tenant
 */
export async function deleteTenant({ store, now, apiKey }: Operation, ref: DatabaseRef, id: string) {
  const { database, tenant } = await findTenant(store, ref, id)
  const key = { databaseId: database.id, tenantId: id, now }
  const deleteSome = async (transaction: TypedQueries) => {
    await lockTenant(transaction, key, [])
    const { removed, isDeleted } = await deletePartOfTenant(transaction, key, membersAtOnce)
    if (removed.length < membersAtOnce && !isDeleted) throw tenantNotFound(database, id)
    const events = eventsOfDeletion(id, removed, isDeleted)
    await insertMessages(transaction, messagesOf({ now, apiKey }, database, events))
    return { count: removed.length, isDeleted }
  }
  for (let users = 0; ; ) {
    const { count, isDeleted } = await inTransaction(store, deleteSome)
    users += count
    if (isDeleted) return { ...tenant, users }
  }
}

/**
 * Returns a handler of rejections. If a row that a new one refers to was deleted, `requireAll` throws the error for that row. It
 * gets the error of the store.
 */
export const ifDeletedMeanwhile =
  (requireAll: (cause: unknown) => Promise<unknown>) => async (error: unknown) => {
    if (isForeignKeyViolation(error)) await requireAll(error)
    throw error
  }

/** Returns a tenant. @throws {OperatorError} if there is no such tenant or database */
export async function findTenant(store: Store, ref: DatabaseRef, id: string) {
  const database = await findDatabase(store, ref)
  return { database, tenant: await requireTenant(store, database, id) }
}

/** @throws {OperatorError} if there is no such tenant */
export async function requireTenant(store: Store, database: DatabasePath & { id: string }, id: string) {
  const tenant = await findTenantRow(store, { databaseId: database.id, id })
  if (!tenant) throw tenantNotFound(database, id)
  return tenant
}

export const tenantNotFound = (path: DatabasePath, id: string) =>
  new OperatorError('tenant_not_found', `tenant ${id} does not exist in ${nameOfDatabase(path)}`)
