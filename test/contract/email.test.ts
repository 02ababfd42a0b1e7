import { domainToASCII, domainToUnicode } from 'node:url'
import { CreateUserBody, canonicalEmail, LoginBody } from '@usher/contract'
import { expect, it } from 'vitest'

const ofSignUp = (email: string) => CreateUserBody.shape.email.safeParse(email).data
const ofLogin = (email: string) => LoginBody.shape.email.safeParse(email).data

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
  ['zero-width spaces', '\u200bada@example.com\ufeff', 'ada@example.com'],
  ['marks of direction', '\u2068ada@example.com\u2069 ', 'ada@example.com'],
  ['soft hyphens', 'ada@exam\u00adple.com', 'ada@example.com'],
  // It may distinguish two domains (RFC 5892, appendix A.1).
  ['a joiner', 'ada@exam\u200cple.com', undefined],
])('reads a pasted address with %s', (_name, pasted, email) => {
  expect([ofSignUp(pasted), ofLogin(pasted)]).toEqual([email, email])
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

const allLetters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => /[\p{L}\p{M}\p{N}]/u.test(letter))

/** Returns the letters that a function changes, and what it returns. Any other letter is its own form only. */
const changedBy = (...forms: ((letter: string) => string)[]) =>
  new Set(
    allLetters.flatMap((letter) => {
      const others = forms.map((form) => form(letter)).filter((other) => other !== letter)
      return others.length > 0 ? [letter, ...others] : []
    }),
  )

it('a sign-up accepts no two local parts with one canonical form that differ other than in case', () => {
  const accepted = new Map<string, string[]>()
  const letters = changedBy(
    (letter) => letter.normalize('NFC'),
    (letter) => letter.toLowerCase(),
    (letter) => letter.toUpperCase(),
  )
  for (const letter of letters)
    for (const text of [`x${letter}y@example.com`, `${letter}@example.com`, `x${letter}@example.com`]) {
      const email = ofSignUp(text)
      if (email === undefined) continue
      const key = canonicalEmail(email) ?? ''
      accepted.set(key, [...(accepted.get(key) ?? []), email, key])
    }
  const inCapitals = (emails: string[]) =>
    new Set(emails.map((email) => email.toUpperCase().normalize('NFC')))
  expect([...accepted.values()].filter((emails) => inCapitals(emails).size > 1)).toEqual([])
  expect(accepted.size).toBeGreaterThan(3_000)
})

it('a sign-up accepts no domain of which IDNA replaces more than capitals', () => {
  const replaced: string[] = []
  let accepted = 0
  const between = (letter: string) => `x${letter}y.example`
  const letters = allLetters.filter(
    (letter) => domainToUnicode(domainToASCII(between(letter))) !== between(letter),
  )
  for (const letter of letters) {
    const email = ofSignUp(`ada@${between(letter)}`)
    if (email === undefined) continue
    accepted += 1
    const domainOf = (text: string) => text.slice(text.indexOf('@') + 1)
    const shown = domainToUnicode(domainOf(canonicalEmail(email) ?? ''))
    if (shown !== domainOf(email).toLowerCase().normalize('NFC')) replaced.push(letter)
  }
  expect(replaced).toEqual([])
  expect(accepted).toBeGreaterThan(1_000)
})

it.each([
  ['Kelvin sign', '\u212aim@example.com', 'Kim@example.com'],
  ['Ångström sign', '\u212bsa@example.com', '\u00c5sa@example.com'],
  ['combining accent', 'jose\u0301@example.com', 'jos\u00e9@example.com'],
  ['capital with a combining caron', 'J\u030cohn@example.com', 'J\u030cohn@example.com'],
  ['capitals', 'ADA@BÜCHER.example', 'ADA@BÜCHER.example'],
  ['long s', '\u017fam@example.com', '\u017fam@example.com'],
  ['dotless i', 'd\u0131l@example.com', 'd\u0131l@example.com'],
  ['fullwidth letter before the @', '\uff21da@example.com', '\uff21da@example.com'],
  ['ß and ς', 'stra\u00dfe@\u03c3\u03bf\u03c2.example', 'stra\u00dfe@\u03c3\u03bf\u03c2.example'],
])('a sign-up stores an address with a %s in Unicode NFC', (_name, email, stored) => {
  expect(ofSignUp(email)).toBe(stored)
})

it.each([
  ['capital ß', 'stra\u1e9ee@example.com'],
  ['capital i with a dot', '\u0130l@example.com'],
  ['theta symbol', '\u03f4eo@example.com'],
  ['titlecase letter', '\u01c5@example.com'],
  ['capital sigma at the end of a word', '\u039f\u03a3@example.com'],
  ['fullwidth letter in the domain', 'ada@\uff45xample.com'],
  ['superscript digit in the domain', 'ada@example\u00b2.com'],
  ['invisible mark in the domain', 'ada@exam\ufe0fple.com'],
])('a sign-up refuses an address with a %s, and a login accepts it', (_name, email) => {
  expect(ofSignUp(email)).toBeUndefined()
  expect(ofLogin(email)).toBe(email)
})
