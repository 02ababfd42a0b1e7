import { timingSafeEqual } from 'node:crypto'
import type { PasswordFormat } from './password-hash.js'

const pattern = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$([./A-Za-z\d]{22})([./A-Za-z\d]{31})$/
const millisecondsPerRound = 0.05

/**
 * bcrypt: `$2b$10$` and 53 characters. `$2a$` and `$2y$` are the same algorithm. `$2x$`, a broken variant, is rejected.
 * Only the first 72 bytes of a password count.
 */
export const bcryptFormat: PasswordFormat = (hash) => {
  const [, cost, salt, digest] = pattern.exec(hash) ?? []
  if (!cost || !salt || !digest) return undefined
  return {
    // Not the library's compare, because it rejects $2y$, and salts with stray bits in their last character.
    verify: async (password) => {
      const { default: bcrypt } = await import('bcrypt')
      const computed = bcrypt.hashSync(password, `$2b$${cost}$${salt}`)
      return timingSafeEqual(Buffer.from(computed.slice(-digest.length)), Buffer.from(digest))
    },
    dummyHash: `$2b$${cost}$${'.'.repeat(53)}`,
    cost: { milliseconds: 2 ** Number(cost) * millisecondsPerRound, mebibytes: 0 },
  }
}
