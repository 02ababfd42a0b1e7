import type { OpenedSsoPortal, OpenSsoPortalBody } from '@usher/contract'
import type { CreateSsoPortalBody, IdempotencyHeaders, SsoPortal } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import { findPortal, openPortal, replacePortal } from '../../store/queries/sso-portals.js'
import { findTenant } from '../../store/queries/tenants.js'
import { type Portal, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { requireAppUrl } from '../databases/find-database.js'
import { readSigned, signedText } from '../keys/signed-text.js'
import { countForged, requireAllowance } from '../login/provider.js'
import { changeOncePerKey } from '../once-per-key.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, KeyRequest } from '../request.js'
import { hashOfPortalToken, isTokenOf, newPortalToken, portalOfToken } from './portal-token.js'
import { lockSetup } from './setup.js'

const lifetimeMilliseconds = 7 * 86_400_000
const purpose = 'sso_portal'

type CreateRequest = KeyRequest<CreateSsoPortalBody | undefined> & {
  params: { tenantId: string }
  headers: IdempotencyHeaders
}

/**
 * Creates a link with which the administrator of a customer sets up single sign-on. The former link of the tenant ends.
 *
 * @throws {Problem} `tenant_not_found`; `app_url_missing`
 */
export async function createSsoPortal(context: AppContext, request: CreateRequest): Promise<SsoPortal> {
  const { database, params, body } = request
  const { tenantId } = params
  requireAppUrl(database)
  const secrets = await context.findSecrets(database.id)
  return changeOncePerKey(context, request, {
    operation: 'createSsoPortal',
    secrets: ['url'],
    prepare: async () => async (change) => {
      await lockSetup(change, tenantId)
      const { now: createdAt } = change
      const expiresAt = new Date(createdAt.getTime() + lifetimeMilliseconds)
      const portal = { id: uuidv7(), tenantId, mayRequire: body?.mayRequire ?? false, createdAt, expiresAt }
      await replacePortal(change, { ...portal, databaseId: database.id })
      return { result: portal, facts: [{ type: 'sso.portal_created', tenantId, portal: portal.id }] }
    },
    responseOf: ({ id, expiresAt }) => ({
      url: `${database.appUrl}/sso-setup#code=${signedText(secrets, { purpose, id })}`,
      expiresAt: expiresAt.toISOString(),
    }),
  })
}

/**
 * Exchanges the code of a link for a token, in the first browser that has it.
 *
 * @throws {Problem} `code_invalid`, also for the code of a portal that was opened or has ended; `too_many_attempts`
 */
export async function openSsoPortal(
  context: AppContext,
  request: DatabaseRequest<OpenSsoPortalBody>,
): Promise<OpenedSsoPortal> {
  const { database, body } = request
  const databaseId = database.id
  const signed = readSigned(body.code)
  const isSigned = signed?.isSigned(await context.findSecrets(databaseId), purpose)
  if (!signed || !isSigned) {
    requireAllowance(context, request)
    await countForged(context, request)
    throw new Problem('code_invalid')
  }
  const token = newPortalToken(signed.id)
  const opened = await runChange(context, request, async (change) => {
    const tokenHash = hashOfPortalToken(token)
    const portal = await openPortal(change, { databaseId, id: signed.id }, { tokenHash, now: change.now })
    const tenant = portal && (await findTenant(change, { databaseId, id: portal.tenantId }))
    if (!tenant) throw new Problem('code_invalid')
    const fact = { type: 'sso.portal_opened', tenantId: tenant.id, portal: portal.id } as const
    return { result: { ...portal, tenantName: tenant.name }, facts: [fact] }
  })
  const { tenantId, tenantName, mayRequire, expiresAt } = opened
  return { token, tenantId, tenantName, mayRequire, expiresAt: expiresAt.toISOString() }
}

/**
 * Returns the portal of a token. Audits a rejected token, and counts it as a failure of the network of the client.
 *
 * @throws {Problem} `token_invalid`; `token_expired`; `too_many_attempts`
 */
export async function admitPortal(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller'>,
  token: string,
): Promise<Portal> {
  const { database, caller } = request
  const id = portalOfToken(token)
  const portal = id ? await findPortal(context.store, { databaseId: database.id, id }) : undefined
  const isValid = portal?.tokenHash && isTokenOf(token, portal.tokenHash)
  if (isValid && context.now() < portal.expiresAt.getTime()) {
    const { tenantId, mayRequire } = portal
    return { id: portal.id, tenantId, mayRequire }
  }
  const code = isValid ? 'token_expired' : 'token_invalid'
  context.rejectedTokens(caller.log, database.id, code)
  if (!isValid) {
    requireAllowance(context, request)
    await countForged(context, request)
  }
  throw new Problem(code)
}
