import {
  type InvitationKey,
  type ListedInvitation,
  listInvitationRows,
} from '../../store/queries/invitations.js'
import { lockTenant } from '../../store/queries/members.js'
import type { Page } from '../../store/queries/page.js'
import { findTenant as findTenantById } from '../../store/queries/tenants.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../databases/find-database.js'
import { invite, pendingInTenant } from '../invitations/invite.js'
import { revoke } from '../invitations/pending.js'
import { Problem } from '../problem.js'
import { type DatabaseRef, type FoundDatabase, findDatabase } from './found-database.js'
import { requireRoles } from './members.js'
import { messagesOf, type Operation } from './operation.js'
import { OperatorError } from './operator-error.js'
import { findTenant, tenantNotFound } from './tenants.js'
import { requireAppUrl } from './users/send-reset.js'

/** Operators have the rights of an owner. */
const actorRole = 'owner'

/** Returns the invitations of a tenant that have not expired, ordered by id. */
export async function listTenantInvitations(
  { store, now }: Operation,
  ref: DatabaseRef,
  { tenantId, ...page }: Page<string> & { tenantId: string },
) {
  const { database } = await findTenant(store, ref, tenantId)
  return listInvitationRows(store, { databaseId: database.id, tenantId, now }, page)
}

interface TenantInvitation extends Operation {
  /** Called with the invitation before the transaction ends. */
  onInvited?: (transaction: Pick<Store, 'query'>, invitation: ListedInvitation) => Promise<unknown>
}

/**
 * Invites an address to a tenant, in any role and without limits of mails. A server delivers the mail.
 *
 * @throws {OperatorError} if there is no such tenant or role, a member has the address, the tenant has too many
 * invitations, or the database has no tenant operations or no app URL
 */
export async function inviteToTenant(
  operation: TenantInvitation,
  ref: DatabaseRef,
  { tenantId, email, role }: { tenantId: string; email: string; role: string },
) {
  const { store, now, onInvited } = operation
  const database = await findDatabase(store, ref)
  const key = { databaseId: database.id, tenantId }
  requireInvitations(database)
  const { invitationLifetimeSeconds: lifetimeSeconds } = database
  const invitation = { ...key, email, role, inviterId: null, now, lifetimeSeconds }
  const invited = await store
    .transaction(database.id, async (query) => {
      await lockTenant({ query }, key, [])
      if (!(await findTenantById({ query }, { ...key, id: tenantId })))
        throw tenantNotFound(database, tenantId)
      await requireRoles({ query }, database.id, [['role', role]])
      const result = await invite({ query }, invitation, {
        actorRole,
        messagesOf: (events) => messagesOf(operation, database, events),
      })
      await onInvited?.({ query }, result)
      return result
    })
    .catch((error) => {
      throw refusalOf(error, invitation)
    })
  return { ...key, ...invited }
}

/** @throws {OperatorError} if the database sends no invitations, or users cannot accept them */
function requireInvitations(database: FoundDatabase) {
  if (!database.tenantOperations) {
    const advice = `Turn them on with: npx @usher/server database set ${nameOfDatabase(database)} --tenant-operations on`
    throw new OperatorError('tenant_operations_off', 'tenant operations are off', { advice })
  }
  requireAppUrl(database)
}

function refusalOf(error: unknown, { tenantId, email }: { tenantId: string; email: string }) {
  const code = error instanceof Problem ? error.code : undefined
  if (code === 'already_member')
    return new OperatorError(code, `${email} is already the address of a member of tenant ${tenantId}`)
  if (code === 'invitations_full') {
    const summary = `tenant ${tenantId} already has the maximum of ${pendingInTenant} pending invitations`
    return new OperatorError(code, summary)
  }
  return error
}

/** Revokes an invitation. @throws {OperatorError} if there is no such invitation or tenant */
export async function revokeTenantInvitation(
  operation: Operation,
  ref: DatabaseRef,
  { tenantId, invitationId: id }: { tenantId: string; invitationId: string },
) {
  const { store } = operation
  const { database } = await findTenant(store, ref, tenantId)
  const key: InvitationKey = { databaseId: database.id, tenantId, id }
  const isRevoked = await store.transaction(database.id, async (query) => {
    await lockTenant({ query }, key, [])
    return revoke({ query }, key, {
      actorRole,
      messagesOf: (events) => messagesOf(operation, database, events),
    })
  })
  if (!isRevoked)
    throw new OperatorError('invitation_not_found', `invitation ${id} does not exist in tenant ${tenantId}`)
  return { databaseId: database.id, tenantId, invitationId: id }
}
