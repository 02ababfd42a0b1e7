import { findStanding, lockTenant, type Standing } from '../../store/queries/members.js'
import { isShareTaken } from '../../store/queries/stored-revocations.js'
import type { Store } from '../../store/store.js'
import { type AuditEvent, audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels } from '../events/events.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'

/** A request about a tenant. */
export interface TenantRequest<Body = unknown> extends UserRequest<Body> {
  params: { tenantId: string }
}

/** What a change of a tenant depends on, as the store has it while the tenant is locked. */
export interface LockedTenant extends Omit<Standing, 'isUnchanged' | 'actorRole'> {
  transaction: Pick<Store, 'query'>
  /** Role of the user who makes the change. */
  actorRole: string
}

/**
 * Locks a tenant, and runs `work` by one of its members in the same transaction.
 *
 * @param userId the member whom the change concerns, by default the user of the request
 * @throws {Problem} `tenant_not_found` if the user of the request is not a member; `token_invalid` if the user has changed
 * since the request read it
 */
export const withLockedTenant = <Result>(
  { store }: Pick<AppContext, 'store'>,
  { database, params: { tenantId }, user }: TenantRequest,
  { userId = user.id, work }: { userId?: string; work: (locked: LockedTenant) => Promise<Result> },
): Promise<Result> =>
  store.transaction(database.id, async (query) => {
    const transaction = { query }
    const key = { databaseId: database.id, tenantId, userId }
    await lockTenant(transaction, key, [user.id, userId])
    const { isUnchanged, actorRole, ...standing } = await findStanding(transaction, key, user)
    if (!isUnchanged) throw new Problem('token_invalid')
    if (actorRole === null) throw new Problem('tenant_not_found')
    return work({ ...standing, actorRole, transaction })
  })

const refusedSeconds = 3_600

/** @throws {Problem} `too_many_changes` if the user of a request has made too many in the last day. The caller has locked the user */
export async function requireChangesLeft(
  transaction: Pick<Store, 'query'>,
  { database, user }: Pick<TenantRequest, 'database' | 'user'>,
) {
  if (await isShareTaken(transaction, { databaseId: database.id, actorId: user.id }))
    throw new Problem('too_many_changes', { retryAfterSeconds: refusedSeconds })
}

/** What a member has changed. `userId` is the member whom it concerns. */
interface Change {
  event: AuditEvent
  tenantId: string
  userId?: string
  invitationId?: string
  role?: string
}

/** Audits what a member has changed, and starts the delivery of its events. */
export function noteMemberChanges(
  { deliver }: Pick<AppContext, 'deliver'>,
  { database, user, caller }: UserRequest,
  changes: readonly Change[],
) {
  for (const { event, role, ...ids } of changes)
    audit(caller.log, event, { databaseId: database.id, ...ids, actorId: user.id, ...(role && { role }) })
  deliver(eventChannels(database))
}

/** Returns a tenant of the user of a request. @throws {Problem} `tenant_not_found` */
export function requireMembership({ user, params: { tenantId } }: TenantRequest) {
  const membership = user.memberships.find(({ id }) => id === tenantId)
  if (!membership) throw new Problem('tenant_not_found')
  return membership
}
