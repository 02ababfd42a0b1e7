import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath, usersPath } from './database-path.js'
import { accountProblems, bodyProblems, failures } from './failures.js'
import { failsWith } from './field-errors.js'
import { id } from './fields.js'
import { PageQuery } from './management/fields.js'
import type { DescribedRoutes } from './metadata.js'
import { field } from './registry.js'
import {
  AddSsoConnectionBody,
  AddSsoDomainBody,
  ChangeSsoBody,
  ChangeSsoConnectionBody,
  LoginRoute,
  OpenedSsoPortal,
  OpenSsoPortalBody,
  RouteLoginBody,
  Sso,
  SsoConnection,
  SsoDomain,
  SsoEntryList,
} from './sso-bodies.js'
import { TenantPath, tenantPath } from './tenant-path.js'
import { changing, inTenant } from './tenants.js'

const c = initContract()

export const SsoConnectionPath = TenantPath.extend({ connectionId: id('ID of the connection.') })
export const SsoDomainPath = TenantPath.extend({
  domain: field(
    'The domain, as it is listed.',
    z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9.-]+$/, failsWith('invalid_type', 'must be a domain as it is listed')),
    { examples: ['acme.example'] },
  ),
})
export const SsoEntryPath = TenantPath.extend({ entryId: id('ID of the entry.') })

/** What the operations of users and those of backends say. */
export const ssoTexts = {
  get: {
    summary: 'Get the single sign-on of a tenant',
    description: 'Returns its settings, connections without their secrets, and domains.',
  },
  change: {
    summary: 'Change the single sign-on of a tenant',
    description:
      'To require it, a login with a connection of the tenant must have succeeded within 10 minutes. The tokens of members then lose the tenant, 250 members at a time: repeat the request if it was interrupted.',
  },
  addConnection: {
    summary: 'Connect the identity provider of a tenant',
    description:
      'First asks the provider whether it knows the client, and adds nothing if not. A tenant has at most five connections. The owners get a mail.',
  },
  changeConnection: {
    summary: 'Change a connection of a tenant',
    description:
      'Asks the provider as `addSsoConnection` does. Servers apply it within 5 seconds. Another issuer ends what logins with the former one have proven. The owners get a mail.',
  },
  removeConnection: {
    summary: 'Remove a connection of a tenant',
    description: 'Also succeeds if there is none. The owners get a mail.',
  },
  checkConnection: {
    summary: 'Check a connection of a tenant',
    description: 'Asks the provider whether it knows the client. A problem says what to correct.',
  },
  addDomain: {
    summary: 'Add a mail domain of a tenant',
    description:
      'Returns the record to add to DNS. `checkSsoDomain` proves it within 7 days. Also returns a domain that the tenant has. A tenant has at most 20.',
  },
  removeDomain: {
    summary: 'Remove a mail domain of a tenant',
    description: 'Also succeeds if the tenant does not have it. Known members can still log in.',
  },
  checkDomain: {
    summary: 'Prove a mail domain of a tenant',
    description:
      'Asks DNS for the record. `domain_taken`: another tenant has proven it. It can be proven here when the record of the other tenant is missing for 24 hours.',
  },
  listEntries: {
    summary: 'List the people of the provider of a tenant',
    description: 'Returns the users whom a login has linked, ordered by id of the entry.',
  },
  removeEntry: {
    summary: 'Unlink a person of the provider of a tenant',
    description: 'The user stays a member. Also succeeds if there is no such entry.',
  },
} as const

/** Headers of a change by an owner. */
const OwnerHeaders = z.object({
  'usher-confirmation': field(
    'A confirmation of `stepUp`, at most 10 minutes old. The token of a portal needs none.',
    z.string().max(2_000).optional(),
  ),
})

const ssoPath = `${tenantPath}/sso` as const
const connectionsPath = `${ssoPath}/connections` as const
const domainsPath = `${ssoPath}/domains` as const

const reading = ['own_login_required', 'role_insufficient', 'too_many_attempts', ...inTenant] as const
const writing = ['own_login_required', 'step_up_required', 'too_many_attempts', ...changing] as const
const bySetup = { who: { user: 'needed', portal: true }, on: 'sso' } as const

export const sso = c.router({
  getSso: {
    method: 'GET',
    path: ssoPath,
    pathParams: TenantPath,
    responses: { 200: Sso, ...failures(...reading) },
    ...ssoTexts.get,
    metadata: bySetup,
  },
  changeSso: {
    method: 'PATCH',
    path: ssoPath,
    pathParams: TenantPath,
    headers: OwnerHeaders,
    body: ChangeSsoBody,
    responses: { 200: Sso, ...failures('sso_untested', 'no_exempt_owner', 'too_many_changes', ...writing) },
    ...ssoTexts.change,
    metadata: { ...bySetup, isRepeatable: true },
  },
  addSsoConnection: {
    method: 'POST',
    path: connectionsPath,
    pathParams: TenantPath,
    headers: OwnerHeaders,
    body: AddSsoConnectionBody,
    responses: {
      201: SsoConnection,
      ...failures('connection_invalid', 'issuer_shared', 'sso_full', ...writing),
    },
    ...ssoTexts.addConnection,
    metadata: bySetup,
  },
  changeSsoConnection: {
    method: 'PATCH',
    path: `${connectionsPath}/:connectionId`,
    pathParams: SsoConnectionPath,
    headers: OwnerHeaders,
    body: ChangeSsoConnectionBody,
    responses: {
      200: SsoConnection,
      ...failures(
        'connection_not_found',
        'connection_invalid',
        'connection_needed',
        'issuer_shared',
        ...writing,
      ),
    },
    ...ssoTexts.changeConnection,
    metadata: { ...bySetup, isRepeatable: true },
  },
  removeSsoConnection: {
    method: 'DELETE',
    path: `${connectionsPath}/:connectionId`,
    pathParams: SsoConnectionPath,
    headers: OwnerHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('connection_needed', ...writing) },
    ...ssoTexts.removeConnection,
    metadata: bySetup,
  },
  checkSsoConnection: {
    method: 'POST',
    path: `${connectionsPath}/:connectionId/check`,
    pathParams: SsoConnectionPath,
    body: c.noBody(),
    responses: {
      204: c.noBody(),
      ...failures(
        'own_login_required',
        'connection_not_found',
        'connection_invalid',
        'too_many_attempts',
        ...changing,
      ),
    },
    ...ssoTexts.checkConnection,
    metadata: { ...bySetup, isRepeatable: true },
  },
  addSsoDomain: {
    method: 'POST',
    path: domainsPath,
    pathParams: TenantPath,
    headers: OwnerHeaders,
    body: AddSsoDomainBody,
    responses: { 201: SsoDomain, ...failures('sso_full', ...writing) },
    ...ssoTexts.addDomain,
    metadata: { ...bySetup, isRepeatable: true },
  },
  removeSsoDomain: {
    method: 'DELETE',
    path: `${domainsPath}/:domain`,
    pathParams: SsoDomainPath,
    headers: OwnerHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...writing) },
    ...ssoTexts.removeDomain,
    metadata: bySetup,
  },
  checkSsoDomain: {
    method: 'POST',
    path: `${domainsPath}/:domain/check`,
    pathParams: SsoDomainPath,
    headers: OwnerHeaders,
    body: c.noBody(),
    responses: {
      200: SsoDomain,
      ...failures('domain_not_found', 'domain_unproven', 'domain_taken', ...writing),
    },
    ...ssoTexts.checkDomain,
    metadata: { ...bySetup, isRepeatable: true },
  },
  listSsoEntries: {
    method: 'GET',
    path: `${ssoPath}/entries`,
    pathParams: TenantPath,
    query: PageQuery,
    responses: { 200: SsoEntryList, ...failures(...reading) },
    ...ssoTexts.listEntries,
    metadata: bySetup,
  },
  removeSsoEntry: {
    method: 'DELETE',
    path: `${ssoPath}/entries/:entryId`,
    pathParams: SsoEntryPath,
    headers: OwnerHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...writing) },
    ...ssoTexts.removeEntry,
    metadata: bySetup,
  },
  openSsoPortal: {
    method: 'POST',
    path: `${databasePath}/sso/portal`,
    pathParams: DatabasePath,
    body: OpenSsoPortalBody,
    responses: {
      200: OpenedSsoPortal,
      ...failures('code_invalid', 'too_many_attempts', ...bodyProblems, ...accountProblems),
    },
    summary: 'Open the portal in which a customer sets up single sign-on',
    description: 'Exchanges the code in the URL of the portal for a token, once.',
    metadata: { who: 'anyone', on: 'sso' },
  },
  routeLogin: {
    method: 'POST',
    path: `${usersPath}/login/route`,
    pathParams: DatabasePath,
    body: RouteLoginBody,
    responses: { 200: LoginRoute, ...failures('too_many_attempts', ...bodyProblems, ...accountProblems) },
    summary: 'Find the single sign-on of an address',
    description: 'Reads the domain of the address only, and so does not reveal whether an account exists.',
    metadata: { who: 'anyone', on: 'sso', isRepeatable: true },
  },
} satisfies DescribedRoutes)
