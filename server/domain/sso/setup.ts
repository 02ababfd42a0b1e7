import type { IdempotencyHeaders } from '@usher/contract/management'
import { lockUsersAndTenant } from '../../store/queries/members.js'
import { findPortal } from '../../store/queries/sso-portals.js'
import { findOwners } from '../../store/queries/sso-settings.js'
import { findTenant } from '../../store/queries/tenants.js'
import { audit } from '../../telemetry/audit.js'
import { type Change, type Rule, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { confirmSecondFactor } from '../factors/confirm.js'
import { mailMessage, type OwnerMail } from '../notices/mail-message.js'
import { changeOncePerKey } from '../once-per-key.js'
import { Problem, tenantNotFound } from '../problem.js'
import type { DatabaseRequest, KeyRequest, UserRequest } from '../request.js'
import { lockTenant, requireMembership, type TenantRequest } from '../tenants/locked-tenant.js'
import { requireRank } from '../tenants/roles.js'
import { requireTenant } from '../tenants/tenants.js'

// Single sign-on is set up by an owner, by a browser that has opened the portal, by an operator and by a backend. The rules are the
// same. What differs is here: how each of them shows the right to a tenant.

/** A request about the single sign-on of a tenant. */
export interface SetupRequest<Body = unknown, Params = object>
  extends DatabaseRequest<Body>,
    Partial<Pick<UserRequest, 'user' | 'claims'> & Pick<KeyRequest, 'apiKey'>> {
  params: { tenantId: string } & Params
  headers?: { 'usher-confirmation'?: string | undefined } & Partial<IdempotencyHeaders>
}

/**
 * Checks that the actor may read the single sign-on of a tenant.
 *
 * @throws {Problem} `tenant_not_found`, also for a portal of another tenant and a user who is not a member; `role_insufficient`
 */
export async function requireSetup({ store }: Pick<AppContext, 'store'>, request: SetupRequest) {
  const { actor, database, params } = request
  if (actor.kind === 'user') return requireRank(requireMembership(request as TenantRequest).role, 'owner')
  requireOwnTenant(request, params.tenantId)
  await requireTenant(store, database, params.tenantId)
}

/**
 * Checks that the actor may change the single sign-on of a tenant: an owner must have confirmed to be there.
 *
 * @throws {Problem} also `step_up_required`
 */
export async function requireConfirmedSetup(context: AppContext, request: SetupRequest) {
  await requireSetup(context, request)
  if (request.actor.kind !== 'user') return
  const confirmation = request.headers?.['usher-confirmation']
  if (confirmation === undefined) throw new Problem('step_up_required')
  await confirmSecondFactor(context, request as TenantRequest, confirmation)
}

/** A token of a portal opens one tenant. */
function requireOwnTenant({ actor, database }: Pick<SetupRequest, 'actor' | 'database'>, tenantId: string) {
  if (actor.kind === 'portal' && actor.portal.tenantId !== tenantId) throw tenantNotFound(database, tenantId)
}

/**
 * Locks a tenant until the transaction ends, and checks again that the actor may change its single sign-on.
 *
 * @param userId a user whom the change concerns, who is locked first
 * @throws {Problem} `tenant_not_found`; `role_insufficient`; `token_invalid` if the portal was closed meanwhile
 */
export async function lockSetup(change: Change, tenantId: string, userId?: string) {
  const { actor, database } = change
  if (actor.kind !== 'portal') {
    const { actorRole } = await lockTenant(change, { tenantId, ...(userId && { userId }) })
    return requireRank(actorRole, 'owner')
  }
  requireOwnTenant({ actor, database: database as SetupRequest['database'] }, tenantId)
  const locked = await lockUsersAndTenant(
    change,
    { databaseId: database.id, tenantId },
    userId ? [userId] : [],
  )
  if (locked[0]?.tenants === 0) throw tenantNotFound(database, tenantId)
  if (!(await findPortal(change, { databaseId: database.id, id: actor.portal.id })))
    throw new Problem('token_invalid')
}

/** A change that creates something, as {@link changeOncePerKey} runs it for a backend. */
interface CreatingChange<Result, Response> {
  operation: string
  prepare: () => Promise<Rule<Result>>
  responseOf: (result: Result) => Response
}

/** Runs a change that creates something. A backend may repeat it with an Idempotency-Key. */
export async function createBySetup<Result, Response extends object>(
  context: AppContext,
  request: SetupRequest,
  change: CreatingChange<Result, Response>,
): Promise<Response> {
  const { apiKey, headers = {} } = request
  if (apiKey) return changeOncePerKey(context, { ...request, apiKey, headers }, change)
  return change.responseOf(await runChange(context, request, await change.prepare()))
}

/** Returns a rule that also mails what it has changed to the owners. */
type Mailed = <Result>(rule: Rule<Result>) => Rule<Result>

/**
 * Runs a change of the single sign-on of a tenant, which is mailed to the owners, unless they have got too many mails: whoever may
 * change it could send them without end.
 *
 * @param run runs the change, with a rule of `mailed`
 */
export async function mailingOwners<Result>(
  { requestAllowance }: Pick<AppContext, 'requestAllowance'>,
  { database, caller, params: { tenantId } }: SetupRequest,
  run: (mailed: Mailed) => Promise<Result>,
): Promise<Result> {
  const limited = { purpose: 'sso_changed', tenantId } as const
  const mailed = await requestAllowance.count(database, limited, async (count) => ({
    result: await run((rule) => async (change) => {
      const outcome = await rule(change)
      if (outcome.facts.length === 0) return outcome
      const mails = await mailsToOwners(change, tenantId, { type: 'sso_changed' })
      if (mails.length > 0) await count(change)
      return { ...outcome, mails }
    }),
  }))
  if ('result' in mailed) return mailed.result
  const result = await run((rule) => rule)
  audit(caller.log, 'mail.throttled', { databaseId: database.id, tenantId, limit: mailed.limit })
  return result
}

/**
 * Returns the mails that tell the owners of a tenant about a change of its single sign-on. Unlike notices of an account they cannot be
 * turned off, because who changes it opens the tenant.
 */
export async function mailsToOwners(
  change: Pick<Change, 'query' | 'database' | 'now'>,
  tenantId: string,
  { type, ...shown }: { type: OwnerMail; domain?: string },
) {
  const { database, now } = change
  const databaseId = database.id
  if (database.appUrl === null) return []
  const tenant = await findTenant(change, { databaseId, id: tenantId })
  const owners = tenant ? await findOwners(change, { databaseId, tenantId }) : []
  return owners
    .filter(({ isVerified }) => isVerified)
    .map(({ id: userId }) =>
      mailMessage({ databaseId, type, userId, tenant: tenant?.name ?? '', ...shown }, now),
    )
}
