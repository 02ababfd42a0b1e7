import { timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcrypt'
import type { PasswordFormat } from './password-hash.js'

const pattern = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$([./A-Za-z\d]{22})([./A-Za-z\d]{31})$/
const millisecondsPerRound = 0.05

/**
 * bcrypt: `$2b$10$` and 53 characters; `$2a$` and `$2y$` are the same algorithm (`$2x$`, a faulty one, is not
 * taken). It sees the first 72 bytes of a password.
 */
export const bcryptFormat: PasswordFormat = (hash) => {
  const [, cost, salt, digest] = pattern.exec(hash) ?? []
  if (!cost || !salt || !digest) return undefined
  return {
    // Not the library's compare: it knows no $2y$ and fails salts with stray bits in their last character.
    verify: async (password) => {
      const computed = bcrypt.hashSync(password, `$2b$${cost}$${salt}`)
      return timingSafeEqual(Buffer.from(computed.slice(-digest.length)), Buffer.from(digest))
    },
    dummyHash: `$2b$${cost}$${'.'.repeat(53)}`,
    cost: { milliseconds: 2 ** Number(cost) * millisecondsPerRound, mebibytes: 0 },
  }
}
