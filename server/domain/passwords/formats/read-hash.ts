import { argon2Format } from './argon2.js'
import { bcryptFormat } from './bcrypt.js'
import { firebaseScryptFormat } from './firebase-scrypt.js'
import type { PasswordHash } from './password-hash.js'
import { pbkdf2Format } from './pbkdf2.js'
import { scryptFormat } from './scrypt.js'

/** Usher makes the first; the others come with users from elsewhere. */
const formats = [argon2Format, bcryptFormat, scryptFormat, firebaseScryptFormat, pbkdf2Format]

/** A hash taken apart; nothing where it is of no known format. */
export function readPasswordHash(hash: string): PasswordHash | undefined {
  for (const format of formats) {
    const read = format(hash)
    if (read) return read
  }
  return undefined
}

/** A stored hash taken apart. @throws where it is of no known format, which nothing but Usher's own code can have stored */
export function storedPasswordHash(hash: string): PasswordHash {
  const read = readPasswordHash(hash)
  if (!read) throw new Error('a stored password hash is of no known format')
  return read
}

/** A hash of the same algorithm and cost that no password matches; equal for hashes of one cost. */
export const dummyHashOf = (hash: string) => storedPasswordHash(hash).dummyHash

/** Whether a stored hash is a dummy hash: the user has no password. */
export const isDummyHash = (hash: string) => dummyHashOf(hash) === hash
