import { listMemberRows } from '../../store/queries/listed-members.js'
import { inTransaction, type TypedQueries } from '../../store/queries/management/typed-queries.js'
import { deleteMember, insertMember, storeRole } from '../../store/queries/member-changes.js'
import { findRole, lockTenant } from '../../store/queries/members.js'
import { insertMessages } from '../../store/queries/outbox.js'
import type { Page } from '../../store/queries/page.js'
import type { Store } from '../../store/store.js'
import type { Event } from '../events/events.js'
import { unknownStoredRoles } from '../tenants/roles.js'
import type { DatabaseRef } from './found-database.js'
import { messagesOf, type Operation } from './operation.js'
import { FieldsRejected, OperatorError } from './operator-error.js'
import { findTenant, ifDeletedMeanwhile, requireTenant } from './tenants.js'
import { findAccount } from './users/find-account.js'

// An operator may leave a tenant without an owner. These rules take the locks that queries/members.ts describes, because the
// role of a member may depend on other members.

/** A user of a tenant. `userRef` is an id or an email address. */
interface MemberRef {
  tenantId: string
  userRef: string
}

/** What has happened to a member. */
export type MemberEvent = 'tenant.user_added' | 'tenant.role_changed' | undefined

/** Returns users of a tenant, ordered by id. @throws {OperatorError} if there is no such tenant */
export async function listTenantMembers(
  store: Store,
  ref: DatabaseRef,
  { tenantId, ...page }: Page<string> & { tenantId: string },
) {
  const { database } = await findTenant(store, ref, tenantId)
  return listMemberRows(store, { databaseId: database.id, tenantId }, page)
}

/**
 * Adds a user to a tenant, or changes the role of a member.
 *
 * @param member.role by default `member` for a new member, and the current role for an existing one
 * @returns the membership with its role, and what has changed
 * @throws {OperatorError} if there is no such user or tenant, or the database has no such role
 */
export async function putMember(
  operation: Operation,
  ref: DatabaseRef,
  { role: given, ...member }: MemberRef & { role?: string | undefined },
) {
  const { store, now } = operation
  const { database, ...key } = await requireBoth(store, ref, member)
  const put = async (transaction: TypedQueries) => {
    await lockTenant(transaction, key, [key.userId])
    await requireRoles(transaction, database.id, [['role', given]])
    const former = await findRole(transaction, key)
    const role = given ?? former ?? 'member'
    const change: MemberEvent =
      former === undefined ? 'tenant.user_added' : role === former ? undefined : 'tenant.role_changed'
    if (former === undefined) await insertMember(transaction, { ...key, role, joinedAt: now })
    else if (change) await storeRole(transaction, { ...key, now }, role)
    const events: Event[] = change ? [{ type: change, ...idsOf(key) }] : []
    await insertMessages(transaction, messagesOf(operation, database, events))
    return { membership: { ...key, role }, change }
  }
  return inTransaction(store, put).catch(ifDeletedMeanwhile(() => requireBoth(store, ref, member)))
}

/**
 * Checks roles that a transaction assigns. They cannot be removed from the database until the transaction ends.
 *
 * @throws {OperatorError} for fields with roles that the database does not have
 */
export async function requireRoles(...given: Parameters<typeof unknownStoredRoles>) {
  const errors = await unknownStoredRoles(...given)
  if (errors.length > 0) throw new FieldsRejected(errors, 'role_unknown')
}

/** Removes a user from a tenant. @throws {OperatorError} if the user is not a member */
export async function removeFromTenant(operation: Operation, ref: DatabaseRef, member: MemberRef) {
  const { store } = operation
  const { tenantId, userRef } = member
  const { database, ...key } = await requireBoth(store, ref, member)
  const messages = messagesOf(operation, database, [{ type: 'tenant.user_removed', ...idsOf(key) }])
  await inTransaction(store, async (transaction) => {
    await lockTenant(transaction, key, [key.userId])
    const wasMember = await deleteMember(transaction, { ...key, now: operation.now })
    if (!wasMember)
      throw new OperatorError('member_not_found', `user ${userRef} is not a member of tenant ${tenantId}`)
    await insertMessages(transaction, messages)
  })
  return key
}

/** Returns the ids of a member for events and audit lines. */
export const idsOf = ({ tenantId, userId }: { tenantId: string; userId: string }) => ({ tenantId, userId })

async function requireBoth(store: Store, ref: DatabaseRef, { tenantId, userRef }: MemberRef) {
  const { database, account } = await findAccount(store, ref, userRef)
  await requireTenant(store, database, tenantId)
  return { database, databaseId: database.id, userId: account.id, tenantId }
}
