import { canonicalEmail } from '@usher/contract'
import { expect, it } from 'vitest'

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada+tag@example.com', 'ada+tag@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
  ['jose\u0301@example.com', 'josé@example.com'],
  ['用户@例子.中国', '用户@xn--fsqu00a.xn--fiqs8s'],
  ["o'neil@example.com", "o'neil@example.com"],
])('makes of %s the key %s', (email, key) => {
  expect(canonicalEmail(email)).toBe(key)
  expect(canonicalEmail(key)).toBe(key)
})

it.each([
  'a@b@example.com',
  'a@exa_mple.com',
  'a@-example.com',
  'a@example..com',
  'a@.example.com',
  'a@example.com.',
  'a@[1.2.3.4]',
  'a@1.2.3',
  'a@0x7f.1',
  `a@${'b'.repeat(64)}.com`,
])('finds no address in %s', (text) => {
  expect(canonicalEmail(text)).toBeUndefined()
})
