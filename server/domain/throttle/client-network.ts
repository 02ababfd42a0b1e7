import ipaddr from 'ipaddr.js'

/** One IPv6 subscriber has at least this prefix (RFC 6177). */
const ipv6PrefixLength = 64

/** Returns the network that a client address stands for: an IPv4 address itself, the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1)
  if (!ipaddr.isValid(bare)) return bare
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${ipv6PrefixLength}`)}/${ipv6PrefixLength}`
}
