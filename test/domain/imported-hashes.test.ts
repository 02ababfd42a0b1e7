import { expect, it } from 'vitest'
import { storedPasswordHash } from '../../server/domain/passwords/formats/read-hash.js'
import { createHashFilter } from '../../server/domain/users/imported-hashes.js'

/** A hash whose estimated cost is `m * t` microseconds and `m` KiB. */
const hashOf = (m: number, t: number) =>
  `$argon2id$v=19$m=${m},t=${t},p=1$SAIm53lOrbhiKvj2$aEujj6UprKg+U9oQMDv2o7wJob+C/puD`

/** @param known hashes whose parameters a database has */
const newFilter = (...known: string[]) => {
  const [dummyHash = '', ...dummyHashes] = [hashOf(19_456, 2), ...known].map(
    (hash) => storedPasswordHash(hash).dummyHash,
  )
  return createHashFilter({ dummyHash }, dummyHashes)
}

it.for([
  [hashOf(262_144, 1), undefined],
  [hashOf(262_145, 1), 'takes 0.3 s and 257 MiB to verify. The maximum is 1.0 s and 256 MiB'],
  [hashOf(8, 125_000), undefined],
  [hashOf(8, 125_001), 'takes 1.0 s and 1 MiB to verify. The maximum is 1.0 s and 256 MiB'],
  ['no hash', 'has an unknown format'],
])('a hash is accepted up to the highest cost of one: %s', ([hash = '', detail]) => {
  const accept = () => newFilter()(hash)
  if (detail)
    expect(accept).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ detail })] }))
  else expect(accept()).toContain(hash.slice(0, hash.indexOf('p=')))
})

// docs/moving-in.md lists them.
it.for([
  '$1$28772684$iEwNOgGugqO9.bIz5sk8k/',
  '$5$rounds=5000$usesomesillystri$KqJWpanXZHKq2BOB43TSaYhEWsQ1Lr5QNyPCDH/Tp.6',
  '$6$usesomesillystring$D4IrlXatmP7rx3P3InaxBeoomnAihCKRVQAr/36eYL1sxDKq3EjZzxLdZ3Ldp8HLl1VsLbVIYFz7OnYcWuvvM.',
  '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$tnSYvahCwPBHKZUspmcxMfb0.WiB9W.zEaKlOBL35rC',
  '$P$BnF1xZ5n3zQ0iQvQmKkL7cJt5mX7ZL0',
  '$wp$2y$10$kggTmfz.es7BH9IQu8dsz.69dEJawRVfta1SdIFkOFJ0gvDC0lE0q',
  '{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
  'AQAAAAEAACcQAAAAEJ7K8k1Jf0w7vJp0o5mXh3v0Q1l2m3n4o5p6q7r8s9t0u1v2w3x4y5z6A7B8C9D0Eg==',
])('a format without an import is refused: %s', (hash) => {
  expect(() => storedPasswordHash(hash)).toThrow()
})

it('all sets of parameters together take at most 2 s, and known ones are always accepted', () => {
  const known = hashOf(8, 125_000)
  const accept = newFilter(known)
  const isFull = { errors: [expect.objectContaining({ detail: expect.stringContaining('too many') })] }
  expect(accept(hashOf(16, 62_500))).toBeTruthy()
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(() => accept(hashOf(8, 1))).toThrow(expect.objectContaining(isFull))
    for (const hash of [known, hashOf(16, 62_500), hashOf(19_456, 2)]) expect(accept(hash)).toBeTruthy()
  }
})

it('at most 200 sets of parameters are accepted, however cheap they are', () => {
  const accept = newFilter()
  const hashes = Array.from({ length: 201 }, (_, index) => hashOf(8, index + 1))
  for (const hash of hashes.slice(0, 200)) accept(hash)
  expect(() => accept(hashes[200] ?? '')).toThrow()
})
