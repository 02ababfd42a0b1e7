import { expect, it } from 'vitest'
import { networkOf } from '../../server/domain/throttle/client-network.js'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '::/64'],
  ['::', '::/64'],
  ['2001:db8::', '2001:db8::/64'],
  ['2001:0DB8:0000:0001:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:db8:1::1:2:3:4', '2001:db8:1::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
])('counts %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
