import { argon2Format } from './argon2.js'
import { bcryptFormat } from './bcrypt.js'
import { firebaseScryptFormat } from './firebase-scrypt.js'
import type { PasswordHash } from './password-hash.js'
import { pbkdf2Format } from './pbkdf2.js'
import { scryptFormat } from './scrypt.js'

/** Usher creates only the first format. The others are imported. */
const formats = [argon2Format, bcryptFormat, scryptFormat, firebaseScryptFormat, pbkdf2Format]

/** Parses a hash. Returns undefined if its format is unknown. */
export function readPasswordHash(hash: string): PasswordHash | undefined {
  for (const format of formats) {
    const read = format(hash)
    if (read) return read
  }
  return undefined
}

/** Throws if the format is unknown, because only a bug can have stored such a hash. */
export function storedPasswordHash(hash: string): PasswordHash {
  const read = readPasswordHash(hash)
  if (!read) throw new Error('a stored password hash has an unknown format')
  return read
}

/**
 * Returns the dummy hash with the algorithm and cost of a hash. No password matches it. It is equal for equal
 * parameters.
 */
export const dummyHashOf = (hash: string) => storedPasswordHash(hash).dummyHash
