import { pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import { digestOf, dummySaltBytes, saltOf, zeros } from './base64.js'
import type { PasswordFormat } from './password-hash.js'

/** Output of each hash function in bytes, and the time of one iteration. */
const functions = {
  sha1: { bytes: 20, milliseconds: 0.0003 },
  sha256: { bytes: 32, milliseconds: 0.0003 },
  sha512: { bytes: 64, milliseconds: 0.0007 },
}

const phcPattern =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,8})(?:,l=(\d{1,3}))?\$([A-Za-z\d+/.]+={0,2})\$([A-Za-z\d+/.]+={0,2})$/
const djangoPattern = /^pbkdf2_(sha1|sha256)\$([1-9]\d{0,8})\$([^$]{1,128})\$([A-Za-z\d+/]+={0,2})$/

/**
 * PBKDF2 (RFC 8018) with HMAC of SHA-1, SHA-256 or SHA-512: `$pbkdf2-sha256$i=…$salt$digest` (PHC string
 * format; passlib writes no `i=` and `$pbkdf2$` for SHA-1) and Django's `pbkdf2_sha256$iterations$salt$digest`,
 * whose salt is text.
 */
export const pbkdf2Format: PasswordFormat = (hash) => {
  const parsed = parsePhc(hash) ?? parseDjango(hash)
  if (!parsed?.salt || !parsed.digest) return undefined
  const { name, iterations, salt, digest } = parsed
  const blocks = Math.ceil(digest.length / functions[name].bytes)
  return {
    verify: async (password) =>
      timingSafeEqual(pbkdf2Sync(password, salt, iterations, digest.length, name), digest),
    dummyHash: `$pbkdf2-${name}$i=${iterations}$${zeros(dummySaltBytes)}$${zeros(digest.length)}`,
    cost: { milliseconds: iterations * blocks * functions[name].milliseconds, mebibytes: 0 },
  }
}

function parsePhc(hash: string) {
  const [all, name = 'sha1', iterations, length, salt = '', digestText = ''] = phcPattern.exec(hash) ?? []
  const digest = digestOf(digestText)
  if (!all || (length && digest?.length !== Number(length))) return undefined
  return { name: name as keyof typeof functions, iterations: Number(iterations), salt: saltOf(salt), digest }
}

function parseDjango(hash: string) {
  const [all, name, iterations, salt = '', digest = ''] = djangoPattern.exec(hash) ?? []
  return all === undefined
    ? undefined
    : {
        name: name as keyof typeof functions,
        iterations: Number(iterations),
        salt: Buffer.from(salt),
        digest: digestOf(digest),
      }
}
