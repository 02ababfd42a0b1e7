import type { AddSsoConnectionBody } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import { presets } from '../connections/presets.js'
import {
  type TenantConnectionOptions,
  type TenantPreset,
  tenantPresets,
} from '../connections/tenant-connection.js'
import { invalidField, Problem, validationFailed } from '../problem.js'
import { requireDomainName } from './domain-name.js'

/** A connection as it is set up, without its secret. */
export interface DescribedConnection {
  preset: TenantPreset
  issuer: string
  clientId: string
  options: TenantConnectionOptions
}

type Given = Omit<AddSsoConnectionBody, 'id' | 'secret'>

const googleIssuer = 'https://accounts.google.com'
const entraOrigin = 'https://login.microsoftonline.com'

/** Where Microsoft issues tokens for directories, whose id is the first part of the path. */
const entraHosts = [
  'login.microsoftonline.com',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.chinacloudapi.cn',
]

/** The directory of all personal accounts at Microsoft. */
const personalDirectory = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Returns a connection with the defaults of its provider. An issuer with which anyone can get an account is refused, because what it
 * says about an address is not what the customer says.
 *
 * @throws {Problem} `validation_failed`; `issuer_shared`
 */
export function describeTenantConnection({
  clientId,
  title,
  scopes = [],
  hd,
  ...given
}: Given): DescribedConnection {
  const { preset, issuer } = findIssuer(given)
  if (hd !== undefined && preset !== 'google_workspace')
    throw validationFailed([invalidField('hd', 'is only for Google Workspace')])
  if (hd === undefined && preset === 'google_workspace')
    throw new Problem('issuer_shared', { detail: `${googleIssuer} needs hd, the domain of the customer.` })
  const options = {
    ...(title != null && { title }),
    ...(scopes.length > 0 && { scopes }),
    ...(hd !== undefined && { hd: requireDomainName(hd, 'hd') }),
  }
  return { preset, issuer, clientId, options }
}

/** Returns the kind and the issuer of a provider. */
function findIssuer({ preset, issuer: given, tid }: Pick<Given, 'preset' | 'issuer' | 'tid'>) {
  const issuer = given?.replace(/\/$/, '').replace(/\/\.well-known\/openid-configuration$/, '')
  const url = issuer === undefined ? undefined : readUrl(issuer)
  const host = url?.hostname.replace(/\.$/, '') ?? ''
  if (preset === 'google_workspace' || host === 'accounts.google.com') {
    requireKind('google_workspace', preset, !url || host === 'accounts.google.com')
    return { preset: 'google_workspace', issuer: googleIssuer } as const
  }
  if (preset === 'entra' || tid !== undefined || entraHosts.includes(host)) {
    requireKind('entra', preset, !url || entraHosts.includes(host))
    return { preset: 'entra', issuer: entraIssuer(url, tid) } as const
  }
  if (issuer === undefined || !url)
    throw validationFailed([{ path: 'issuer', code: 'required', detail: 'is required' }])
  const shared = Object.values(presets).find((each) => each.issuer && new URL(each.issuer).hostname === host)
  if (shared)
    throw new Problem('issuer_shared', { detail: `Anyone can get an account of ${shared.title}: ${issuer}.` })
  return { preset: preset ?? presetOf(host), issuer }
}

function readUrl(issuer: string) {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url && ['https:', 'http:'].includes(url.protocol) && !url.search && !url.hash && !url.username)
    return url
  throw validationFailed([invalidField('issuer', 'must be a URL without query and fragment')])
}

/** @param isIssuer whether the issuer is one of the kind */
function requireKind(kind: TenantPreset, preset: TenantPreset | undefined, isIssuer: boolean) {
  if (preset !== undefined && preset !== kind)
    throw validationFailed([invalidField('preset', `must be ${kind} for this issuer`)])
  if (!isIssuer)
    throw validationFailed([invalidField('issuer', `is not one of ${tenantPresets[kind].title}`)])
}

/** Returns the issuer of one directory. */
function entraIssuer(url: URL | undefined, tid: string | undefined) {
  if (tid !== undefined && !isUuid(tid)) throw validationFailed([invalidField('tid', 'must be a UUID')])
  const [, first = '', ...others] = url?.pathname.split('/') ?? []
  const directory = (tid ?? first).toLowerCase()
  if (!isUuid(directory) || directory === personalDirectory)
    throw new Problem('issuer_shared', {
      detail: `${url?.href ?? entraOrigin} is not the issuer of one directory of the customer, which has its ID, tid.`,
    })
  const path = others.length > 0 ? others.join('/') : 'v2.0'
  return `${url?.origin ?? entraOrigin}/${directory}/${path}`.replace(/\/$/, '')
}

const presetOf = (host: string): TenantPreset =>
  /\.(okta|okta-emea|oktapreview)\.com$/.test(host) ? 'okta' : /\.auth0\.com$/.test(host) ? 'auth0' : 'oidc'
