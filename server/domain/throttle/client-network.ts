import ipaddr from 'ipaddr.js'
import { plainAddress } from '../public-address.js'

/** A subscriber has a network of this prefix length or a larger one (RFC 6177). */
const ipv6PrefixLength = 64

/** A company or an institution has a network of this prefix length or a larger one (RFC 6177). */
const ipv6SitePrefixLength = 48

/**
 * Returns the network of a client address: an IPv4 address itself, or the /64 of an IPv6 address. A proxy may have
 * written the address with brackets, a port or a zone. IPv6 forms of an IPv4 address count as that address.
 */
export function networkOf(address: string): string {
  const bare = withoutPort(address)
  if (!ipaddr.isValid(bare)) return bare
  const parsed = plainAddress(bare)
  return parsed.kind() === 'ipv4' ? parsed.toString() : prefixOf(parsed.toString(), ipv6PrefixLength)
}

/**
 * Returns the site of a client address: the /48 of an IPv6 address. Undefined for an IPv4 address, because neighbouring
 * addresses may belong to anyone.
 */
export function siteOf(address: string): string | undefined {
  const bare = withoutPort(address)
  if (!ipaddr.isValid(bare)) return undefined
  const parsed = plainAddress(bare)
  return parsed.kind() === 'ipv4' ? undefined : prefixOf(parsed.toString(), ipv6SitePrefixLength)
}

/** Returns the site of a network that {@link networkOf} returned. An IPv4 address is its own site. */
export function siteOfNetwork(network: string) {
  const address = network.endsWith(`/${ipv6PrefixLength}`) ? network.split('/', 1)[0] : undefined
  return address === undefined ? network : prefixOf(address, ipv6SitePrefixLength)
}

const prefixOf = (address: string, length: number) =>
  `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`)}/${length}`

/** Removes what a proxy may add to an address: `[2001:db8::1]:443`, `203.0.113.7:40001`, `fe80::1%eth0`. */
function withoutPort(address: string) {
  const [, bracketed, ipv4] = address.trim().match(/^(?:"?\[([^\]]*)\](?::\d*)?"?|([\d.]+):\d*)$/) ?? []
  const [bare = ''] = (bracketed ?? ipv4 ?? address.trim()).split('%', 1)
  return bare
}
