import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { invalid } from './provider-error.js'

/**
 * Returns whether an IP address is one of the internet: not of this machine, of a private network, of a special purpose, or
 * another form of an IPv4 address.
 */
const isPublicAddress = (address: string) =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'

/** Throws if a host is an IP address that is not public. A name is checked when it is resolved. */
export function requirePublicHost(hostname: string) {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address) && !isPublicAddress(address)) throw notPublic(hostname, address)
}

const notPublic = (hostname: string, address: string) =>
  invalid(
    `${hostname} is at ${address}, which is not a public address. If it is right, add its origin to PRIVATE_ISSUERS`,
  )

/** Resolves a name for a connection, as `dns.lookup` does. Fails if one of its addresses is not public. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...(options as LookupOptions), all: true }, (error, addresses: LookupAddress[]) => {
    const hidden = addresses?.find(({ address }) => !isPublicAddress(address))
    const [first] = addresses ?? []
    if (error || !first) callback(error ?? new Error(`${hostname} has no address`), [])
    else if (hidden) callback(notPublic(hostname, hidden.address), [])
    else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
