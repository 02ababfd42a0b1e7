import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { type AgentOptions, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the error of a host that has an address which is not public. */
type NotPublic = (hostname: string, address: string) => Error

/** Translated IPv4 addresses (NAT64, RFC 6052 §2.1). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Returns an address. IPv6 forms of an IPv4 address, mapped or translated, become that address. */
export function plainAddress(address: string) {
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6) || !parsed.match(nat64)) return parsed
  return new ipaddr.IPv4(parsed.toByteArray().slice(-4))
}

/** All IPv6 addresses of the internet (RFC 4291, section 2.4). */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an IP address is one of the internet: not of this machine, of a private network, or of a special purpose. A mapped
 * or translated IPv4 address counts as that address, because a network with NAT64 has no other.
 */
function isPublicAddress(text: string) {
  if (!ipaddr.isValid(text)) return false
  const address = plainAddress(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalIpv6))
}

/** Throws if a host is an IP address that is not public. A name is checked when it is resolved. */
export function requirePublicHost(hostname: string, notPublic: NotPublic) {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address) && !isPublicAddress(address)) throw notPublic(hostname, address)
}

/** Returns a function that resolves a name for a connection, as `dns.lookup` does. It fails if one of its addresses is not public. */
export const createPublicLookup =
  (notPublic: NotPublic): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...(options as LookupOptions), all: true }, (error, addresses: LookupAddress[]) => {
      const hidden = addresses?.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error || !first) callback(error ?? new Error(`${hostname} has no address`), [])
      else if (hidden) callback(notPublic(hostname, hidden.address), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

/**
 * Returns a function that starts a request, and keeps its connections. It connects only to public addresses, unless the URL is exempt.
 *
 * @param notPublic returns the error of a host that is not public
 */
export function createGuardedRequest(kept: AgentOptions, notPublic: NotPublic) {
  const agentsOf = (options: AgentOptions) => ({ http: new HttpAgent(options), https: new Agent(options) })
  const guarded = agentsOf({ ...kept, lookup: createPublicLookup(notPublic) })
  const open = agentsOf(kept)
  return (url: URL, isExempt: boolean, options: RequestOptions) => {
    if (!isExempt) requirePublicHost(url.hostname, notPublic)
    const { http, https } = isExempt ? open : guarded
    return url.protocol === 'http:'
      ? httpRequest(url, { ...options, agent: http })
      : httpsRequest(url, { ...options, agent: https })
  }
}
