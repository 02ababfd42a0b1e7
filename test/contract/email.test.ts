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
  ['\u01f0ohn@example.com', '\u01f0ohn@example.com'],
  ['J\u030cohn@example.com', '\u01f0ohn@example.com'],
])('normalizes %s to %s', (email, key) => {
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
])('returns undefined for %s', (text) => {
  expect(canonicalEmail(text)).toBeUndefined()
})

it('returns one canonical email for all compositions and cases of each letter with each accent', () => {
  const accents = ['', '\u0300', '\u0308', '\u030a', '\u030c', '\u0331', '\u0342', '\u0345']
  const letters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code))
  const different = letters
    .filter((letter) => /\p{L}/u.test(letter))
    .flatMap((letter) => accents.map((accent) => letter + accent))
    .filter((text) => {
      const key = canonicalEmail(`${text}@example.com`) ?? ''
      const forms = [text.normalize('NFC'), text.normalize('NFD'), key]
      return new Set(forms.map((form) => canonicalEmail(form === key ? key : `${form}@example.com`))).size > 1
    })
  expect(different).toEqual([])
})
