import type { JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Clock, systemClock } from '../clock.js'
import type { Connection } from '../connections/connection.js'
import { type Preset, presets } from '../connections/presets.js'
import {
  createProviderFetch,
  invalid,
  originsOf,
  type ProviderError,
  type ProviderFetch,
  requestMilliseconds,
  requireUrl,
} from './provider-fetch.js'

/** A provider, as its discovery document or its preset says. */
export interface Provider {
  /** Returns whether `iss` is that of the provider, or of a tenant there. @param claims of the account, if they are known */
  isIssuer: (iss: unknown, claims?: { readonly [claim: string]: unknown }) => boolean
  authorization: string
  token: string
  /** Returns the person: the UserInfo endpoint, if the provider has ID tokens. */
  profile?: string | undefined
  emails?: string | undefined
  /** Verifies ID tokens. Undefined if the provider has none. */
  keys?: JWTVerifyGetKey
  /** How the client may send its secret, first what to try first: in the header `Authorization`, or in the form (RFC 6749, section 2.3.1). */
  secretMethods: readonly SecretMethod[]
  /** Whether `PRIVATE_ISSUERS` has its issuer. */
  isPrivate: boolean
  /** Whether responses have `iss` (RFC 9207). */
  sendsIssuer: boolean
}

export type SecretMethod = 'header' | 'form'

export interface ProviderSettings {
  /** Issuers in a private network, or without TLS on this machine. One contains those whose path begins with its path. */
  privateIssuers: readonly string[]
}

/** How long a discovery document is remembered, and a failure, so that a provider that is down gets few requests. */
const cacheMilliseconds = 3_600_000
const failureMilliseconds = 10_000
const cacheEntries = 1_000

/** The providers of a process. */
export interface Providers {
  /** Returns the provider of a connection. @throws {ProviderError} */
  find: (connection: Pick<Connection, 'preset' | 'issuer'>) => Promise<Provider>
  fetch: ProviderFetch
}

export function createProviders(
  { privateIssuers }: ProviderSettings,
  { cacheNow }: Pick<Clock, 'cacheNow'> = systemClock,
): Providers {
  const fetch = createProviderFetch(privateIssuers)
  const discoveryOf = (issuer: string): Discovery => {
    const isPrivate = isWithin(privateIssuers, issuer)
    const origins = isPrivate ? originsOf(privateIssuers) : []
    return { fetch, isPrivate, allowed: (url) => requireUrl(url, origins).href }
  }
  const cache = new LRUCache<string, { found: Provider } | { error: ProviderError }, Preset>({
    max: cacheEntries,
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    fetchMethod: async (key, _stale, { options, context: preset }) => {
      const issuer = key.slice(key.indexOf(' ') + 1)
      try {
        return {
          found: await (preset.endpoints ? withoutDiscovery : discover)(discoveryOf(issuer), preset, issuer),
        }
      } catch (error) {
        options.ttl = failureMilliseconds
        return { error: error as ProviderError }
      }
    },
  })
  return {
    fetch,
    async find({ preset, issuer }) {
      const result = await cache.fetch(`${preset} ${issuer}`, { context: presets[preset] })
      if (result && 'found' in result) return result.found
      throw result?.error
    },
  }
}

/** Returns whether an issuer is one of others, or its path is below one of them. */
function isWithin(others: readonly string[], issuer: string) {
  const url = withoutSlash(issuer)
  return others.some((other) => url === withoutSlash(other) || url.startsWith(`${withoutSlash(other)}/`))
}

/** Returns a URL as browsers write it, without a slash at its end. */
const withoutSlash = (text: string) => (URL.canParse(text) ? new URL(text).href : text).replace(/\/$/, '')

/** What discovery needs. */
interface Discovery {
  fetch: ProviderFetch
  isPrivate: boolean
  /** Returns a URL that is allowed: one that the server requests, or to which a browser is led. @throws {ProviderError} */
  allowed: (url: string) => string
}

function withoutDiscovery({ isPrivate, allowed }: Discovery, preset: Preset, issuer: string): Provider {
  const own = issuer === preset.issuer ? {} : preset.ownEndpoints
  const urls = Object.entries({ ...preset.endpoints, ...own }).map(([name, url]) => [
    name,
    allowed(url.replace('{issuer}', issuer)),
  ])
  const isIssuer = (iss: unknown) => iss === issuer
  return { ...Object.fromEntries(urls), isIssuer, isPrivate, secretMethods: ['form'], sendsIssuer: false }
}

/** What is used of a discovery document (OpenID Connect Discovery, section 3). */
const DiscoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().nullish(),
  jwks_uri: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()).nullish(),
  authorization_response_iss_parameter_supported: z.boolean().nullish(),
})

async function discover(discovery: Discovery, preset: Preset, issuer: string): Promise<Provider> {
  const { fetch, isPrivate, allowed } = discovery
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await fetch({ url, isPrivate })
  const { data: document, error } = DiscoveryDocument.safeParse(body)
  if (status !== 200 || !document)
    throw invalid(`${url} has no discovery document`, error ?? new Error(`status ${status}`))
  return {
    isIssuer: issuerCheck(preset, issuer, document.issuer),
    authorization: allowed(document.authorization_endpoint),
    token: allowed(document.token_endpoint),
    profile: document.userinfo_endpoint ? allowed(document.userinfo_endpoint) : undefined,
    keys: await keysAt(discovery, document.jwks_uri),
    secretMethods: secretMethodsOf(document.token_endpoint_auth_methods_supported ?? []),
    isPrivate,
    sendsIssuer: document.authorization_response_iss_parameter_supported ?? false,
  }
}

/** A provider may let each client choose one of both. Without a list, it has the header only (OpenID Connect Discovery, section 3). */
const secretMethodsOf = (supported: readonly string[]): SecretMethod[] => {
  if (!supported.includes('client_secret_post')) return ['header']
  return supported.includes('client_secret_basic') ? ['form', 'header'] : ['form']
}

/**
 * Returns how to check the issuer of a token, which is to the letter that of the discovery document.
 *
 * @param discovered issuer of the discovery document. It is that of the connection, also with a slash, or that of each tenant
 */
function issuerCheck(
  { tenantClaim, aliases = [] }: Preset,
  issuer: string,
  discovered: string,
): Provider['isIssuer'] {
  const isSame = withoutSlash(discovered) === withoutSlash(issuer)
  if (isSame || aliases.includes(discovered)) {
    const issuers = [isSame ? discovered : issuer, ...aliases]
    return (iss) => issuers.includes(String(iss))
  }
  const [start = '', end] = discovered.split('{tenantid}')
  if (!tenantClaim || end === undefined || !start.startsWith(`${new URL(issuer).origin}/`))
    throw invalid(
      `the discovery document of ${issuer} has another issuer, which may be the right one: ${discovered}`,
    )
  return (iss, claims) => {
    const tenant = claims?.[tenantClaim] ?? String(iss).slice(start.length, -end.length)
    return /^[\da-f-]{36}$/.test(String(tenant)) && iss === start + tenant + end
  }
}

/** Time between two requests for the keys that keys which are not known cause. Providers such as Keycloak use a new key immediately. */
const keysMilliseconds = 5_000

/** Returns the keys of a provider. */
async function keysAt({ fetch, isPrivate, allowed }: Discovery, address: string): Promise<JWTVerifyGetKey> {
  const url = allowed(address)
  const { createRemoteJWKSet, customFetch } = await import('jose')
  return createRemoteJWKSet(new URL(url), {
    cooldownDuration: keysMilliseconds,
    timeoutDuration: requestMilliseconds,
    [customFetch]: async () => {
      const { status, body } = await fetch({ url, isPrivate })
      return Response.json(body, { status })
    },
  })
}
