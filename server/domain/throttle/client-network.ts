/**
 * The network that a client's address stands for: an IPv4 address itself, of IPv6 the /64, which one
 * subscriber has whole (RFC 6177).
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1)
  const mapped = bare.match(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i)?.[1]
  if (mapped) return mapped
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? 0 : 8 - groups.length - last
  const all = [...groups, ...Array(Math.max(zeros, 0)).fill('0'), ...(tail ? tail.split(':') : [])]
  const prefix = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/64`
}
