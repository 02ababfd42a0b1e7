import type { JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Clock, systemClock } from '../clock.js'
import type { Connection } from '../connections/connection.js'
import { type Preset, presets } from '../connections/presets.js'
import { invalid, type ProviderError } from './provider-error.js'
import { createProviderFetch, type ProviderFetch, requestMilliseconds, requireUrl } from './provider-fetch.js'

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
  /** Whether the client sends its secret in the header `Authorization` (RFC 6749, section 2.3.1). */
  usesBasic: boolean
  /** Whether responses have `iss` (RFC 9207). */
  sendsIssuer: boolean
}

export interface ProviderSettings {
  /** Origins of providers in a private network, or without TLS on this machine. */
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
  const discovery = { fetch, allowed: (url: string) => requireUrl(url, privateIssuers).href }
  const cache = new LRUCache<string, { found: Provider } | { error: ProviderError }, Preset>({
    max: cacheEntries,
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    fetchMethod: async (key, _stale, { options, context: preset }) => {
      const issuer = key.slice(key.indexOf(' ') + 1)
      try {
        return { found: await (preset.endpoints ? withoutDiscovery : discover)(discovery, preset, issuer) }
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

/** What discovery needs. */
interface Discovery {
  fetch: ProviderFetch
  /** Returns a URL that is allowed: one that the server requests, or to which a browser is led. @throws {ProviderError} */
  allowed: (url: string) => string
}

function withoutDiscovery({ allowed }: Discovery, preset: Preset, issuer: string): Provider {
  const own = issuer === preset.issuer ? {} : preset.ownEndpoints
  const urls = Object.entries({ ...preset.endpoints, ...own }).map(([name, url]) => [
    name,
    allowed(url.replace('{issuer}', issuer)),
  ])
  const isIssuer = (iss: unknown) => iss === issuer
  return { ...Object.fromEntries(urls), isIssuer, usesBasic: false, sendsIssuer: false }
}

/** What is used of a discovery document (OpenID Connect Discovery, section 3). */
const DiscoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().optional(),
  jwks_uri: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
})

async function discover({ fetch, allowed }: Discovery, preset: Preset, issuer: string): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await fetch({ url })
  const { data: document, error } = DiscoveryDocument.safeParse(body)
  if (status !== 200 || !document)
    throw invalid(`${url} has no discovery document`, error ?? new Error(`status ${status}`))
  return {
    isIssuer: issuerCheck(preset, issuer, document.issuer),
    authorization: allowed(document.authorization_endpoint),
    token: allowed(document.token_endpoint),
    profile: document.userinfo_endpoint && allowed(document.userinfo_endpoint),
    keys: await keysAt(fetch, allowed(document.jwks_uri)),
    usesBasic: !document.token_endpoint_auth_methods_supported.includes('client_secret_post'),
    sendsIssuer: document.authorization_response_iss_parameter_supported,
  }
}

/** @param discovered issuer of the discovery document. It is that of the connection, or that of each tenant */
function issuerCheck({ tenantClaim }: Preset, issuer: string, discovered: string): Provider['isIssuer'] {
  if (discovered === issuer) return (iss) => iss === issuer
  const [start = '', end] = discovered.split('{tenantid}')
  if (!tenantClaim || end === undefined || !start.startsWith(`${new URL(issuer).origin}/`))
    throw invalid(`the discovery document of ${issuer} has another issuer: ${discovered}`)
  return (iss, claims) => {
    const tenant = claims?.[tenantClaim] ?? String(iss).slice(start.length, -end.length)
    return /^[\da-f-]{36}$/.test(String(tenant)) && iss === start + tenant + end
  }
}

/** Returns the keys of a provider. A key that is not known causes at most one request a minute. */
async function keysAt(fetch: ProviderFetch, url: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  return createRemoteJWKSet(new URL(url), {
    cooldownDuration: 60_000,
    timeoutDuration: requestMilliseconds,
    [customFetch]: async () => {
      const { status, body } = await fetch({ url })
      return Response.json(body, { status })
    },
  })
}
