import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { SsoConnectionPath, SsoDomainPath, SsoEntryPath, ssoTexts } from '../sso.js'
import {
  AddSsoConnectionBody,
  AddSsoDomainBody,
  ChangeSsoBody,
  ChangeSsoConnectionBody,
  Sso,
  SsoConnection,
  SsoDomain,
  SsoEntryList,
} from '../sso-bodies.js'
import { TenantPath } from '../tenant-path.js'
import {
  body,
  flag,
  IdempotencyHeaders,
  keyProblems,
  managementPath,
  NoQuery,
  PageQuery,
  postProblems,
  writeProblems,
} from './fields.js'

const c = initContract()

/** Body of `createSsoPortal`, which may be missing. */
export const CreateSsoPortalBody = body(
  { id: 'CreateSsoPortalBody', description: 'What the portal allows.', example: { mayRequire: true } },
  { mayRequire: flag('Whether it may require single sign-on of the members. Default: false.') },
)
export type CreateSsoPortalBody = z.infer<typeof CreateSsoPortalBody>

/** Response of `createSsoPortal`. */
export const SsoPortal = component(
  { id: 'SsoPortal', description: 'A link to the portal of a tenant.' },
  z.object({
    url: field(
      'Where the administrator of the customer sets up single sign-on. One browser can open it. A repeated request gets null.',
      z.string().nullable(),
      { examples: ['https://app.example.com/sso-setup#code=…'] },
    ),
    expiresAt: instant('When the portal closes'),
  }),
)
export type SsoPortal = z.infer<typeof SsoPortal>

const ssoPath = `${managementPath}/tenants/:tenantId/sso` as const
const connectionsPath = `${ssoPath}/connections` as const
const domainsPath = `${ssoPath}/domains` as const

const of = ['tenant_not_found', 'route_not_found'] as const
const reads = { who: { key: 'sso:write', operator: 'member', in: 'workspace' }, on: 'sso' } as const
const who = { key: 'sso:write', operator: 'admin', in: 'workspace' } as const
const writes = { who, on: 'sso', confirms: 'always' } as const

export const sso = c.router({
  getSso: {
    method: 'GET',
    path: ssoPath,
    pathParams: TenantPath,
    query: NoQuery,
    responses: { 200: Sso, ...failures(...of, ...keyProblems) },
    ...ssoTexts.get,
    metadata: reads,
  },
  changeSso: {
    method: 'PATCH',
    path: ssoPath,
    pathParams: TenantPath,
    query: NoQuery,
    body: ChangeSsoBody,
    responses: { 200: Sso, ...failures('sso_untested', 'no_exempt_owner', ...of, ...writeProblems) },
    ...ssoTexts.change,
    metadata: {
      ...writes,
      records: { words: 'changed the single sign-on of the tenant' },
      isRepeatable: true,
    },
  },
  addSsoConnection: {
    method: 'POST',
    path: connectionsPath,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: AddSsoConnectionBody,
    responses: {
      201: SsoConnection,
      ...failures('connection_invalid', 'issuer_shared', 'sso_full', ...of, ...postProblems),
    },
    ...ssoTexts.addConnection,
    metadata: { ...writes, records: { words: 'connected the identity provider of the tenant' } },
  },
  changeSsoConnection: {
    method: 'PATCH',
    path: `${connectionsPath}/:connectionId`,
    pathParams: SsoConnectionPath,
    query: NoQuery,
    body: ChangeSsoConnectionBody,
    responses: {
      200: SsoConnection,
      ...failures(
        'connection_not_found',
        'connection_invalid',
        'connection_needed',
        'issuer_shared',
        ...of,
        ...writeProblems,
      ),
    },
    ...ssoTexts.changeConnection,
    metadata: {
      ...writes,
      records: { words: 'changed the connection of the tenant' },
      isRepeatable: true,
    },
  },
  removeSsoConnection: {
    method: 'DELETE',
    path: `${connectionsPath}/:connectionId`,
    pathParams: SsoConnectionPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures('connection_needed', ...of, ...keyProblems) },
    ...ssoTexts.removeConnection,
    metadata: {
      ...writes,
      records: { words: 'removed the connection of the tenant' },
      isRepeatable: true,
    },
  },
  checkSsoConnection: {
    method: 'POST',
    path: `${connectionsPath}/:connectionId/check`,
    pathParams: SsoConnectionPath,
    query: NoQuery,
    body: c.noBody(),
    responses: {
      204: c.noBody(),
      ...failures('connection_not_found', 'connection_invalid', ...of, ...writeProblems),
    },
    ...ssoTexts.checkConnection,
    metadata: {
      who: { key: 'sso:write', operator: 'support', in: 'workspace' },
      on: 'sso',
      records: { words: 'checked the connection of the tenant' },
      isRepeatable: true,
    },
  },
  addSsoDomain: {
    method: 'POST',
    path: domainsPath,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: AddSsoDomainBody,
    responses: { 201: SsoDomain, ...failures('sso_full', ...of, ...postProblems) },
    ...ssoTexts.addDomain,
    metadata: { who, on: 'sso', records: { words: 'added a domain of the tenant' }, isRepeatable: true },
  },
  removeSsoDomain: {
    method: 'DELETE',
    path: `${domainsPath}/:domain`,
    pathParams: SsoDomainPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...of, ...keyProblems) },
    ...ssoTexts.removeDomain,
    metadata: { ...writes, records: { words: 'removed a domain of the tenant' }, isRepeatable: true },
  },
  checkSsoDomain: {
    method: 'POST',
    path: `${domainsPath}/:domain/check`,
    pathParams: SsoDomainPath,
    query: NoQuery,
    body: c.noBody(),
    responses: {
      200: SsoDomain,
      ...failures('domain_not_found', 'domain_unproven', 'domain_taken', ...of, ...writeProblems),
    },
    ...ssoTexts.checkDomain,
    metadata: { who, on: 'sso', records: { words: 'checked a domain of the tenant' }, isRepeatable: true },
  },
  listSsoEntries: {
    method: 'GET',
    path: `${ssoPath}/entries`,
    pathParams: TenantPath,
    query: PageQuery,
    responses: { 200: SsoEntryList, ...failures(...of, ...keyProblems) },
    ...ssoTexts.listEntries,
    metadata: reads,
  },
  removeSsoEntry: {
    method: 'DELETE',
    path: `${ssoPath}/entries/:entryId`,
    pathParams: SsoEntryPath,
    query: NoQuery,
    responses: { 204: c.noBody(), ...failures(...of, ...keyProblems) },
    ...ssoTexts.removeEntry,
    metadata: { ...writes, records: { words: 'unlinked a person of the tenant' }, isRepeatable: true },
  },
  createSsoPortal: {
    method: 'POST',
    path: `${ssoPath}/portal`,
    pathParams: TenantPath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: CreateSsoPortalBody.optional(),
    responses: { 201: SsoPortal, ...failures('app_url_missing', ...of, ...postProblems) },
    summary: 'Create a link to the portal of a tenant',
    description:
      'Returns a link with which the administrator of a customer sets up single sign-on, for 7 days and in one browser.',
    metadata: { ...writes, records: { words: 'created a link to the portal of the tenant' } },
  },
} satisfies DescribedRoutes)
