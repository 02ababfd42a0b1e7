import { expect, it } from 'vitest'
import { networkOf, siteOf } from '../../server/domain/throttle/client-network.js'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '::/64'],
  ['::', '::/64'],
  ['2001:db8::', '2001:db8::/64'],
  ['2001:0DB8:0000:0001:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:db8:1::1:2:3:4', '2001:db8:1::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['203.0.113.7:40001', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  [' 203.0.113.7:40001 ', '203.0.113.7'],
  ['203.0.113.7:', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::/64'],
  ['[2001:db8::1]', '2001:db8::/64'],
  ['"[2001:db8::1]:443"', '2001:db8::/64'],
  ['[fe80::1%eth0]:443', 'fe80::/64'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['[64:FF9B::cb00:7107]:443', '203.0.113.7'],
  ['64:ff9b:1::cb00:7107', '64:ff9b:1::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('maps the address "%s" to the network "%s"', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it.each([
  ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
  ['[2001:db8:1:ffff::4]:443', '2001:db8:1::/48'],
  ['203.0.113.7', undefined],
  ['::ffff:203.0.113.7', undefined],
  ['64:ff9b::203.0.113.7', undefined],
  ['unknown', undefined],
])('maps the address "%s" to the site "%s"', (address, site) => {
  expect(siteOf(address)).toBe(site)
})
