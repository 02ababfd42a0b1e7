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
