import type { ChangeSsoBody, Sso } from '@usher/contract'
import { endProofs } from '../../store/queries/sso-entries.js'
import {
  findOwners,
  findSsoSettings,
  type SsoSettings,
  storeExempt,
  updateSsoSettings,
} from '../../store/queries/sso-settings.js'
import { type Change, type Outcome, runChange } from '../change.js'
import { callbackUrl } from '../connections/connection.js'
import type { AppContext } from '../context.js'
import { invalidField, Problem, tenantNotFound, validationFailed } from '../problem.js'
import { requireChangesLeft } from '../tenants/locked-tenant.js'
import { requireStoredRole } from '../tenants/roles.js'
import { connectionBody, listConnectionsOfTenant } from './connections.js'
import { domainBody, listDomains } from './domains.js'
import { revokeTokens } from './entries.js'
import { lockSetup, mailingOwners, requireConfirmedSetup, requireSetup, type SetupRequest } from './setup.js'

/** Seconds for which a login counts by default. */
export const defaultMaxAge = 2_592_000

/** How recent a login must be to require single sign-on. */
const testMilliseconds = 600_000

/** Returns the single sign-on of a tenant. */
export async function getSso(context: AppContext, request: SetupRequest): Promise<Sso> {
  await requireSetup(context, request)
  return readSso(context, request)
}

async function readSso(
  { store }: AppContext,
  { database, params: { tenantId } }: SetupRequest,
): Promise<Sso> {
  const key = { databaseId: database.id, tenantId }
  const settings = await findSsoSettings(store, key)
  if (!settings) throw tenantNotFound(database, tenantId)
  return {
    required: settings.ssoRequiredAt !== null,
    requiredSince: settings.ssoRequiredAt?.toISOString() ?? null,
    exempt: settings.exempt,
    maxAge: settings.ssoMaxAge ?? defaultMaxAge,
    acr: settings.ssoAcr as Sso['acr'],
    trustAmr: settings.ssoTrustAmr ?? false,
    jit: settings.ssoJit ?? true,
    defaultRole: settings.ssoRole ?? 'member',
    callbackUrl: callbackUrl(database.issuer, '{id}'),
    connections: (await listConnectionsOfTenant(store, key)).map((each) =>
      connectionBody(each, database.issuer),
    ),
    domains: (await listDomains(store, key)).map(domainBody),
  }
}

/**
 * Changes the settings of a tenant. When single sign-on is required, the tokens of members lose the tenant in several transactions:
 * repeating the request continues an interrupted one.
 *
 * @throws {Problem} `sso_untested`; `no_exempt_owner`; `role_insufficient`; `too_many_changes`; `validation_failed`
 */
export async function changeSso(context: AppContext, request: SetupRequest<ChangeSsoBody>): Promise<Sso> {
  await requireConfirmedSetup(context, request)
  const { actor, body, params } = request
  const isAboutRequiring = body.required !== undefined || body.exempt !== undefined
  if (actor.kind === 'portal' && !actor.portal.mayRequire && isAboutRequiring)
    throw new Problem('role_insufficient', { detail: 'This portal may not require single sign-on.' })
  const hasEnded = await mailingOwners(context, request, (mailed) =>
    runChange(
      context,
      request,
      mailed((change) => storeSettings(change, request)),
    ),
  )
  if (body.required || hasEnded) await revokeTokens(context, request, params.tenantId)
  return readSso(context, request)
}

async function storeSettings(
  change: Change,
  request: SetupRequest<ChangeSsoBody>,
): Promise<Outcome<boolean>> {
  const { body, params } = request
  const { tenantId } = params
  const { database, now } = change
  const key = { databaseId: database.id, tenantId }
  await lockSetup(change, tenantId)
  const { defaultRole: role } = body
  if (role === 'owner') throw validationFailed([invalidField('defaultRole', 'must not be owner')])
  if (role !== undefined)
    await requireStoredRole(change, database.id, role).catch((error) => {
      throw error instanceof Problem && error.errors
        ? validationFailed(error.errors.map((each) => ({ ...each, path: 'defaultRole' })))
        : error
    })
  const former = (await findSsoSettings(change, key)) as SsoSettings
  const settings = settingsOf(former, body, now)
  const isRequired = settings.ssoRequiredAt !== null
  if (body.exempt !== undefined || (isRequired && body.required))
    await requireExempt(change, tenantId, settings)
  if (body.required && !former.ssoRequiredAt) await requireTested(change, request)
  if (body.required) await requireChangesLeft(change)
  await updateSsoSettings(change, key, settings)
  if (body.exempt !== undefined) await storeExempt(change, key, settings.exempt)
  // Earlier logins need not have met it.
  const isStricter =
    settings.ssoAcr === 'aal2' && (former.ssoAcr !== 'aal2' || (former.ssoTrustAmr && !settings.ssoTrustAmr))
  if (isStricter) await endProofs(change, key, now)
  return {
    result: Boolean(isStricter),
    facts: [{ type: 'sso.changed', tenantId }],
  }
}

const settingsOf = (former: SsoSettings, body: ChangeSsoBody, now: Date): SsoSettings => ({
  ssoRequiredAt:
    body.required === undefined ? former.ssoRequiredAt : body.required ? (former.ssoRequiredAt ?? now) : null,
  ssoMaxAge: body.maxAge ?? former.ssoMaxAge,
  ssoAcr: body.acr === undefined ? former.ssoAcr : body.acr,
  ssoTrustAmr: body.trustAmr ?? former.ssoTrustAmr,
  ssoJit: body.jit ?? former.ssoJit,
  ssoRole: body.defaultRole ?? former.ssoRole,
  exempt: body.exempt ?? former.exempt,
})

/** Checks that each exempt owner is one, with a second factor, and that there is one if single sign-on is required. */
async function requireExempt(change: Change, tenantId: string, { exempt, ssoRequiredAt }: SsoSettings) {
  const owners = await findOwners(change, { databaseId: change.database.id, tenantId })
  const hasFactors = change.database.secondFactor !== 'off'
  const wrong = exempt.find(
    (id) => !owners.some((owner) => owner.id === id && owner.hasSecondStep && hasFactors),
  )
  if (wrong)
    throw new Problem('no_exempt_owner', { detail: `User ${wrong} is not an owner with a second factor.` })
  if (ssoRequiredAt && exempt.length === 0)
    throw new Problem('no_exempt_owner', { detail: 'No owner with a second factor is exempt.' })
}

/** @throws {Problem} `sso_untested` unless a login has succeeded recently: that of the session of the user, or of anyone for others */
async function requireTested(change: Change, { claims, params }: SetupRequest) {
  const { tenantId } = params
  const since = change.now.getTime() - testMilliseconds
  const times =
    change.actor.kind === 'user'
      ? [(claims?.proven.tenants?.[tenantId] ?? 0) * 1000]
      : (await listConnectionsOfTenant(change, { databaseId: change.database.id, tenantId })).map(
          ({ testedAt }) => testedAt?.getTime() ?? 0,
        )
  if (!times.some((time) => time >= since)) throw new Problem('sso_untested')
}
