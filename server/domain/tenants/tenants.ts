import { isDeepStrictEqual } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { deletePartOfTenant, insertMember } from '../../store/queries/member-changes.js'
import {
  countCreated,
  findTenant,
  insertTenant,
  type TenantFields,
  type TenantRow,
  updateTenant,
} from '../../store/queries/tenants.js'
import type { UserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Queries } from '../../store/store.js'
import {
  type Change,
  type ChangeContext,
  type ChangeRequest,
  type Changes,
  type Fact,
  type Outcome,
  requireLocked,
  runChange,
} from '../change.js'
import { type RuleDatabase, refuseOperators } from '../databases/find-database.js'
import { externalIdTaken, Problem, tenantNotFound } from '../problem.js'
import { lockTenant, requireChangesLeft } from './locked-tenant.js'
import { requireRank } from './roles.js'

/** How many existing tenants a user may have created. */
const tenantsOfCreator = 100

const noFields = { seats: null, externalId: null, metadata: null, privateMetadata: null }

/**
 * Creates a tenant. A user who creates it becomes its owner.
 *
 * @throws {Problem} `external_id_taken`; `tenants_full`; `token_invalid` if the user has changed since the request read it
 */
export async function createTenant(
  change: Change,
  fields: Changes<TenantFields> & { name: string },
): Promise<Outcome<TenantRow>> {
  const { database, actor, now } = change
  const databaseId = database.id
  refuseOperators(database, 'has only the tenants of its rights')
  const creator = actor.kind === 'user' ? actor.user : undefined
  if (creator) await requireTenantsLeft(change, creator)
  const tenant = { ...noFields, ...fields, databaseId, id: uuidv7(), createdAt: now }
  await insertTenant(change, tenant, creator?.id ?? null).catch(ifTaken(tenant))
  const ids = { tenantId: tenant.id, ...(creator && { userId: creator.id }) }
  const facts: Fact[] = [{ type: 'tenant.created', ...ids }]
  if (creator) {
    const member = { databaseId, tenantId: tenant.id, userId: creator.id }
    await insertMember(change, { ...member, role: 'owner', joinedAt: now })
    facts.push({ type: 'tenant.user_added', ...ids })
  }
  return { result: tenant, facts }
}

async function requireTenantsLeft(change: Change, creator: UserOfToken) {
  await requireLocked(change, creator.id)
  // A separate statement, because only a later one sees the changes of the transactions that the lock waited for.
  const key = { databaseId: change.database.id, id: creator.id }
  if ((await countCreated(change, key, tenantsOfCreator)) === tenantsOfCreator)
    throw new Problem('tenants_full')
}

/** Returns a handler of rejections of a statement that writes a tenant. */
const ifTaken =
  ({ externalId }: Pick<TenantRow, 'externalId'>) =>
  (error: unknown) => {
    throw isUniqueViolation(error) ? externalIdTaken('tenant', externalId) : error
  }

/**
 * Changes fields of a tenant.
 *
 * @param wanted.require throws if the tenant must not be changed. The tenant is locked meanwhile
 * @returns the tenant, and the role of the actor
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `external_id_taken`
 */
export async function changeTenant(
  change: Change,
  {
    tenantId,
    changes,
    require,
  }: {
    tenantId: string
    changes: Changes<TenantFields>
    require?: (tenant: TenantRow) => void
  },
): Promise<Outcome<TenantRow & { role: string }>> {
  const { actorRole: role } = await lockTenant(change, { tenantId })
  requireRank(role, 'admin')
  const former = await requireTenant(change, change.database, tenantId)
  require?.(former)
  const tenant = { ...former, ...changes } as TenantRow
  if (isDeepStrictEqual(tenant, former)) return { result: { ...tenant, role }, facts: [] }
  await updateTenant(change, tenant).catch(ifTaken(tenant))
  return { result: { ...tenant, role }, facts: [{ type: 'tenant.updated', tenantId }] }
}

/** Members that one transaction removes. Each causes a message, and other changes of the tenant wait meanwhile. */
const membersAtOnce = 250

/**
 * Removes the members of a tenant in several transactions, and then deletes it. A user who deletes it is removed last, so that
 * repeating the request continues an interrupted deletion.
 *
 * @returns the number of members that were removed
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `too_many_changes`
 */
export async function deleteTenant(context: ChangeContext, request: ChangeRequest, tenantId: string) {
  for (let members = 0, hasBegun = false; ; hasBegun = true) {
    const part = await runChange(context, request, (change) => deletePart(change, { tenantId, hasBegun }))
    members += part.members
    if (part.isDeleted) return members
  }
}

async function deletePart(
  change: Change,
  { tenantId, hasBegun }: { tenantId: string; hasBegun: boolean },
): Promise<Outcome<{ members: number; isDeleted: boolean }>> {
  const { database, actor, now } = change
  refuseOperators(database, 'keeps the tenants of its rights')
  const { actorRole } = await lockTenant(change, { tenantId })
  requireRank(actorRole, 'owner')
  if (!hasBegun) await requireChangesLeft(change)
  const user = actor.kind === 'user' ? actor.user : undefined
  const deletion = {
    databaseId: database.id,
    tenantId,
    now,
    otherThan: user?.id,
    // Only the first of the transactions counts as a change of the user.
    actorId: hasBegun ? undefined : user?.id,
  }
  const { removed, isDeleted } = await deletePartOfTenant(change, deletion, membersAtOnce)
  const members = isDeleted && user ? [...removed, user.id] : removed
  return {
    result: { members: members.length, isDeleted },
    facts: isDeleted ? [{ type: 'tenant.deleted', tenantId }] : [],
    events: members.map((userId) => ({ type: 'tenant.user_removed', tenantId, userId }) as const),
  }
}

/** Returns a tenant. @throws {Problem} `tenant_not_found` */
export async function requireTenant(
  store: Queries,
  database: Pick<RuleDatabase, 'id' | 'workspaceSlug' | 'databaseName'>,
  id: string,
) {
  const tenant = await findTenant(store, { databaseId: database.id, id })
  if (!tenant) throw tenantNotFound(database, id)
  return tenant
}
