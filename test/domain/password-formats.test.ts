import { describe, expect, it } from 'vitest'
import {
  dummyHashOf,
  readPasswordHash,
  storedPasswordHash,
} from '../../server/domain/passwords/formats/read-hash.js'
import {
  firebaseExample,
  longPassword,
  passwordVectors,
  unnormalized,
  vectorPassword,
} from './password-vectors.js'

const verify = (hash: string, password: string) => storedPasswordHash(hash).verify(password)

describe.each(passwordVectors)('%s', (_name, hash) => {
  it('verifies the right password of an imported hash and no other', async () => {
    expect(await verify(hash, vectorPassword)).toBe(true)
    expect(await verify(hash, `${vectorPassword} `)).toBe(false)
    expect(await verify(hash, '')).toBe(false)
  })

  it('rejects the right password when a digit of the digest is changed', async () => {
    const at = hash.length - 8
    const forged = `${hash.slice(0, at)}${hash[at] === 'A' ? 'B' : 'A'}${hash.slice(at + 1)}`
    expect(await verify(forged, vectorPassword)).toBe(false)
  })

  it('returns a dummy hash of the same cost that no password matches', async () => {
    const dummyHash = dummyHashOf(hash)
    expect(dummyHashOf(dummyHash)).toBe(dummyHash)
    expect(storedPasswordHash(dummyHash).cost).toEqual(storedPasswordHash(hash).cost)
    for (const password of [vectorPassword, '', '\u{10ffff}'.repeat(256)]) {
      expect(await verify(dummyHash, password)).toBe(false)
    }
  })

  it('rejects a hash that is truncated within 20 digits of its digest or before', () => {
    for (let end = 0; end <= hash.lastIndexOf('$') + 20; end++) {
      expect(readPasswordHash(hash.slice(0, end)), hash.slice(0, end)).toBeUndefined()
    }
  })

  it('rejects a hash with characters before or after it', () => {
    for (const forged of [` ${hash}`, `${hash} `, `${hash}\n`, `${hash}$`, `$${hash}`, `${hash}\0`]) {
      expect(readPasswordHash(forged), JSON.stringify(forged)).toBeUndefined()
    }
  })

  it('verifies without an error every accepted hash with one changed character', async () => {
    for (let at = 0; at < hash.length; at++) {
      for (const other of ['$', '0', '1', '-', '=', ',', 'é']) {
        const read = readPasswordHash(`${hash.slice(0, at)}${other}${hash.slice(at + 1)}`)
        if (read && read.cost.milliseconds < 20 && read.cost.mebibytes < 64) await read.verify('x')
      }
    }
  })
})

it('verifies the published example of Firebase', async () => {
  expect(await verify(firebaseExample.hash, firebaseExample.password)).toBe(true)
  expect(await verify(firebaseExample.hash, 'user2password')).toBe(false)
})

it('verifies Firebase hashes in base64url too', async () => {
  const hash = firebaseExample.hash.replaceAll('+', '-').replaceAll('/', '_')
  expect(await verify(hash, firebaseExample.password)).toBe(true)
})

it.each(passwordVectors.filter(([name]) => !name.startsWith('bcrypt')))(
  'verifies a hash by %s with padding and without, with one dummy hash',
  async (_name, hash) => {
    const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=')
    const parts = hash.split('$').map((part) => part.replace(/=+$/, ''))
    const isDjango = hash.startsWith('pbkdf2_')
    const [digest = '', salt = '', ...before] = parts.toReversed()
    const start = before.toReversed().join('$')
    const spellings = [
      [start, salt, digest],
      [start, isDjango ? salt : padded(salt), padded(digest)],
    ].map((each) => each.join('$'))
    for (const each of spellings) {
      expect(await verify(each, vectorPassword)).toBe(true)
      expect(await verify(each, `${vectorPassword} `)).toBe(false)
      expect(dummyHashOf(each)).toBe(dummyHashOf(hash))
    }
    for (const more of ['===', '=A']) expect(readPasswordHash(`${spellings[1]}${more}`)).toBeUndefined()
  },
)

it('compares the first 72 bytes of a password with bcrypt', async () => {
  expect(await verify(longPassword.hash, longPassword.password)).toBe(true)
  expect(await verify(longPassword.hash, longPassword.password.slice(0, 35))).toBe(false)
})

it('verifies an imported hash without normalizing the password', async () => {
  expect(await verify(unnormalized.hash, unnormalized.password)).toBe(true)
  expect(await verify(unnormalized.hash, unnormalized.password.normalize('NFKC'))).toBe(false)
})

it('ignores unused bits in the salt of bcrypt', async () => {
  const [, hash = ''] = passwordVectors[0] ?? []
  const last = '$2a$04$'.length + 21
  const changed = `${hash.slice(0, last)}${String.fromCharCode(hash.charCodeAt(last) + 1)}${hash.slice(last + 1)}`
  expect(await verify(changed, vectorPassword)).toBe(true)
})

it('returns the same dummy hash for all notations and salts of one cost', () => {
  const dummyHashes = [
    'pbkdf2_sha256$41$salt$37PVxCqllF3hXRixzLAKZ1Y7heBK2M3Mi7dN6PIxqac=',
    'pbkdf2_sha256$41$sEa.salt/WITH=22chars$37PVxCqllF3hXRixzLAKZ1Y7heBK2M3Mi7dN6PIxqac=',
    '$pbkdf2-sha256$41$wpiz1pqTck6Jcc75nzOmlA$NcBGt1Ln7p47TdMRDtf6GSIFGCoq.pA5YUFDMh.GWHw',
    '$pbkdf2-sha256$i=41,l=32$AAEC$mV0OF/pJNTmPDJmOYuLRaqzUsjW/WwFiUszcJ1Bd0rQ',
  ].map(dummyHashOf)
  expect(new Set(dummyHashes).size).toBe(1)
})

it.each([
  ['the defective variant $2x$ of bcrypt', `$2x$04$${'a'.repeat(53)}`],
  ['bcrypt below its lowest cost', `$2b$03$${'a'.repeat(53)}`],
  ['bcrypt above its highest cost', `$2b$32$${'a'.repeat(53)}`],
  [
    'argon2 with less memory than its lanes need',
    `$argon2id$v=19$m=15,t=1,p=2$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  ],
  ['argon2 with a salt that is too short', `$argon2id$v=19$m=8,t=1,p=1$AAAA$${'A'.repeat(43)}`],
  ['argon2 with a salt that is too long', `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(66)}$${'A'.repeat(43)}`],
  ['argon2 with a digest that is too long', `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(88)}`],
  [
    'argon2 with unused bits set in its digest',
    `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(42)}B`,
  ],
  ['scrypt with more than its block size allows', `$scrypt$ln=16,r=1,p=1$AAAA$${'A'.repeat(43)}`],
  ['scrypt with cost 0', `$scrypt$ln=0,r=8,p=1$AAAA$${'A'.repeat(43)}`],
  ['scrypt with block size 0', `$scrypt$ln=4,r=0,p=1$AAAA$${'A'.repeat(43)}`],
  ['PBKDF2 with 0 iterations', `$pbkdf2-sha256$i=0$AAAA$${'A'.repeat(43)}`],
  ['PBKDF2 with a length that its digest does not have', `$pbkdf2-sha256$i=1,l=31$AAAA$${'A'.repeat(43)}`],
  ['PBKDF2 with another hash function', `$pbkdf2-md5$i=1$AAAA$${'A'.repeat(43)}`],
  ['PBKDF2 with a digest of one byte', '$pbkdf2-sha256$i=1$AAAA$AA'],
  ['Firebase scrypt without its signer key', `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==$AAAA$${'A'.repeat(86)}==`],
  ['a digest of a length that base64 cannot have', `$scrypt$ln=4,r=8,p=1$AAAA$${'A'.repeat(41)}`],
  ['a digest that is far too long', `$pbkdf2-sha256$i=1$AAAA$${'A'.repeat(4000)}`],
  ['an MD5 digest', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['a password in plain text', vectorPassword],
])('rejects %s', (_name, hash) => {
  expect(readPasswordHash(hash)).toBeUndefined()
})
