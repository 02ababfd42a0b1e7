import type { CreateTenantBody, Tenant, UpdateTenantBody } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isForeignKeyViolation } from '../../store/errors.js'
import { deletePartOfTenant } from '../../store/queries/member-changes.js'
import { insertMessages } from '../../store/queries/outbox.js'
import { type FoundTenant, findTenant, insertOwnTenant, storeName } from '../../store/queries/tenants.js'
import type { AppContext } from '../context.js'
import { type Event, eventChannels, eventMessages } from '../events/events.js'
import { databaseDeleted, Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { requireRank } from './roles.js'
import {
  type LockedTenant,
  noteMemberChanges,
  requireChangesLeft,
  requireMembership,
  type TenantRequest,
  withLockedTenant,
} from './tenant-change.js'

/** How many existing tenants a user may have created. */
const tenantsOfCreator = 100

/**
 * Creates a tenant with the user as its owner.
 *
 * @throws {Problem} `tenants_full`; `token_invalid` also if the user has changed since the request read it
 */
export async function createTenant(
  context: AppContext,
  request: UserRequest<CreateTenantBody>,
): Promise<Tenant> {
  const { database, user, body } = request
  const { name } = body
  const createdAt = new Date(context.now())
  const tenant = { id: uuidv7(), name, createdAt }
  const ids = { tenantId: tenant.id, userId: user.id }
  const messages = eventMessages(database, createdAt, [
    { type: 'tenant.created', ...ids },
    { type: 'tenant.user_added', ...ids },
  ])
  const row = { ...tenant, databaseId: database.id, creator: user }
  const isCreated = await insertOwnTenant(context.store, row, { tenants: tenantsOfCreator, messages }).catch(
    (error) => {
      throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
    },
  )
  if (isCreated === undefined) throw new Problem('token_invalid')
  if (!isCreated) throw new Problem('tenants_full')
  noteMemberChanges(context, request, [{ event: 'tenant.created', ...ids }])
  return tenantBody({ ...tenant, seats: null, metadata: null }, 'owner')
}

/** Returns a tenant of the user as currently stored. @throws {Problem} `tenant_not_found` */
export async function getTenant({ store }: AppContext, request: TenantRequest): Promise<Tenant> {
  const { id, role } = requireMembership(request)
  return tenantBody(await requireTenant(store, request.database.id, id), role)
}

/** Renames a tenant. @throws {Problem} `tenant_not_found`; `role_insufficient` */
export async function updateTenant(
  context: AppContext,
  request: TenantRequest<UpdateTenantBody>,
): Promise<Tenant> {
  const { database, body, params } = request
  const key = { databaseId: database.id, id: params.tenantId }
  const work = async ({ transaction, actorRole }: LockedTenant) => {
    requireRank(actorRole, 'admin')
    const former = await requireTenant(transaction, key.databaseId, key.id)
    const { name = former.name } = body
    const isChanged = name !== former.name
    if (isChanged) {
      await storeName(transaction, key, name)
      const events: Event[] = [{ type: 'tenant.updated', tenantId: former.id }]
      await insertMessages(transaction, eventMessages(database, new Date(context.now()), events))
    }
    return { isChanged, tenant: tenantBody({ ...former, name }, actorRole) }
  }
  const { isChanged, tenant } = await withLockedTenant(context, request, { work })
  if (isChanged) noteMemberChanges(context, request, [{ event: 'tenant.updated', tenantId: tenant.id }])
  return tenant
}

/** Members that one transaction removes. Each causes a message, and other changes of the tenant wait meanwhile. */
const membersAtOnce = 250

/**
 * Removes the members of a tenant in several transactions, and then deletes it. The user of the request is removed with
 * it, so that repeating the request continues an interrupted deletion.
 *
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `too_many_changes`
 */
export async function deleteTenant(context: AppContext, request: TenantRequest) {
  const { database, params, user } = request
  const key = { databaseId: database.id, tenantId: params.tenantId }
  let hasBegun = false
  const work = async ({ transaction, actorRole }: LockedTenant) => {
    requireRank(actorRole, 'owner')
    if (!hasBegun) await requireChangesLeft(transaction, request)
    const now = new Date(context.now())
    // Only the first of the transactions counts as a change of the user.
    const deletion = { ...key, otherThan: user.id, now, actorId: hasBegun ? undefined : user.id }
    hasBegun = true
    const { removed, isDeleted } = await deletePartOfTenant(transaction, deletion, membersAtOnce)
    const events = eventsOfDeletion(key.tenantId, isDeleted ? [...removed, user.id] : removed, isDeleted)
    await insertMessages(transaction, eventMessages(database, now, events))
    return isDeleted
  }
  while (!(await withLockedTenant(context, request, { work }))) context.deliver(eventChannels(database))
  noteMemberChanges(context, request, [{ event: 'tenant.deleted', tenantId: key.tenantId }])
}

/** Returns the events of users who are removed from a tenant, and of its deletion. */
export const eventsOfDeletion = (
  tenantId: string,
  userIds: readonly string[],
  isDeleted: boolean,
): Event[] => [
  ...userIds.map((userId) => ({ type: 'tenant.user_removed', tenantId, userId }) as const),
  ...(isDeleted ? [{ type: 'tenant.deleted', tenantId } as const] : []),
]

/** @throws {Problem} `tenant_not_found` */
async function requireTenant(store: Pick<AppContext['store'], 'query'>, databaseId: string, id: string) {
  const tenant = await findTenant(store, { databaseId, id })
  if (!tenant) throw new Problem('tenant_not_found')
  return tenant
}

const tenantBody = ({ id, name, seats, metadata, createdAt }: FoundTenant, role: string): Tenant => ({
  id,
  name,
  role,
  seats,
  metadata,
  createdAt: createdAt.toISOString(),
})
