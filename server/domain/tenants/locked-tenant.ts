import { findStanding, lockUsersAndTenant, type Standing } from '../../store/queries/members.js'
import { isShareTaken } from '../../store/queries/stored-revocations.js'
import { findSsoMemberships } from '../../store/queries/user-tenants.js'
import type { Change } from '../change.js'
import { Problem, tenantNotFound } from '../problem.js'
import type { UserRequest } from '../request.js'
import { openTenants } from '../tokens/open-tenants.js'
import { lastOwner } from './roles.js'

/** A request about a tenant. */
export interface TenantRequest<Body = unknown> extends UserRequest<Body> {
  params: { tenantId: string }
}

/** What a change of a tenant depends on, as the store has it while the tenant is locked. */
export interface LockedTenant extends Omit<Standing, 'isUnchanged' | 'actorRole'> {
  /** Role of the actor. Operators and backends have the rights of an owner. */
  actorRole: string
}

/** A tenant, and the member whom a change concerns. */
interface TenantAndMember {
  tenantId: string
  userId?: string
}

/**
 * Locks a tenant until the transaction ends, and returns what the actor may do with it.
 *
 * @throws {Problem} `tenant_not_found`, also if the user who acts is not a member, or the session does not open the tenant; `token_invalid` if that user has changed since
 * the request read it
 */
export async function lockTenant(
  change: Pick<Change, 'query' | 'database' | 'actor' | 'now'>,
  { tenantId, userId }: TenantAndMember,
): Promise<LockedTenant> {
  const { database, actor } = change
  const user = actor.kind === 'user' ? actor.user : undefined
  const key = { databaseId: database.id, tenantId, userId: userId ?? user?.id }
  const userIds = [user?.id, userId].filter((id) => id !== undefined)
  await lockUsersAndTenant(change, key, userIds)
  const { isUnchanged, actorRole, ...standing } = await findStanding(change, key, user)
  const isTrusted = actor.kind === 'operator' || actor.kind === 'backend'
  if (isTrusted && standing.hasTenant) return { ...standing, actorRole: 'owner' }
  if (user && !isUnchanged) throw new Problem('token_invalid')
  if (actorRole === null || !(await isOpenTo(change, tenantId))) throw tenantNotFound(database, tenantId)
  return { ...standing, actorRole }
}

/** Returns whether the session of the user who acts opens a locked tenant. */
async function isOpenTo(
  { query, database, actor, now }: Pick<Change, 'query' | 'database' | 'actor' | 'now'>,
  tenantId: string,
) {
  if (!database.singleSignOn || actor.kind !== 'user') return true
  const { user, claims = { proven: { amr: [] }, isTenantOnly: false } } = actor
  const memberships = await findSsoMemberships({ query }, { databaseId: database.id, userId: user.id })
  const open = openTenants(database, memberships, { ...claims, now: now.getTime() })
  return open.some(({ id }) => id === tenantId)
}

const refusedSeconds = 3_600

/** @throws {Problem} `too_many_changes` if the user who acts has made too many in the last day. The user is locked */
export async function requireChangesLeft({
  query,
  database,
  actor,
}: Pick<Change, 'query' | 'database' | 'actor'>) {
  if (actor.kind !== 'user') return
  const { id: actorId } = actor.user
  if (await isShareTaken({ query }, { databaseId: database.id, actorId }))
    throw new Problem('too_many_changes', { retryAfterSeconds: refusedSeconds })
}

/** Returns a tenant of the user of a request. @throws {Problem} `tenant_not_found` */
export function requireMembership({ user, database, params: { tenantId } }: TenantRequest) {
  const membership = user.memberships.find(({ id }) => id === tenantId)
  if (!membership) throw tenantNotFound(database, tenantId)
  return membership
}

/**
 * Checks that the installation has an owner without an operator. Its tenant, whose id is that of the operators' database, stays
 * locked until the transaction ends.
 *
 * @throws {Problem} `owner_needed`, or `last_owner` if the operator is who acts
 */
export async function requireOtherOwner(
  change: Pick<Change, 'query' | 'database' | 'actor'>,
  userId: string,
) {
  const { id } = change.database
  const key = { databaseId: id, tenantId: id, userId }
  await lockUsersAndTenant(change, key, [userId])
  const { memberRole, hasOtherOwner } = await findStanding(change, key)
  if (memberRole !== 'owner' || hasOtherOwner) return
  const detail = 'The installation needs an owner. Make another operator owner first.'
  throw change.actor.kind === 'user' ? lastOwner([id]) : new Problem('owner_needed', { detail })
}
