import { scryptSync, timingSafeEqual } from 'node:crypto'
import { digestOf, dummySaltBytes, saltOf, zeros } from './base64.js'
import type { Cost, PasswordFormat } from './password-hash.js'

/** Parameters of scrypt (RFC 7914); `ln` is the binary logarithm of the CPU and memory cost. */
export interface ScryptParameters {
  ln: number
  r: number
  p: number
}

const millisecondsPerBlock = 0.0004
const pattern =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,5}),p=(\d{1,5})\$([A-Za-z\d+/]+={0,2})\$([A-Za-z\d+/]+={0,2})$/

/** scrypt: `$scrypt$ln=…,r=…,p=…$salt$digest` (PHC string format). */
export const scryptFormat: PasswordFormat = (hash) => {
  const [, ln, r, p, saltText = '', digestText = ''] = pattern.exec(hash) ?? []
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p) }
  const salt = saltOf(saltText)
  const digest = digestOf(digestText)
  if (!salt || !digest || !isDefined(parameters)) return undefined
  return {
    verify: async (password) =>
      timingSafeEqual(scryptKey(password, salt, { ...parameters, bytes: digest.length }), digest),
    dummyHash: `$scrypt$ln=${ln},r=${r},p=${p}$${zeros(dummySaltBytes)}$${zeros(digest.length)}`,
    cost: scryptCost(parameters),
  }
}

/** Returns whether scrypt is defined for these parameters (RFC 7914 §2). */
export const isDefined = ({ ln, r, p }: ScryptParameters) =>
  ln >= 1 && r >= 1 && p >= 1 && ln < 16 * r && r * p < 2 ** 30

export const scryptCost = ({ ln, r, p }: ScryptParameters): Cost => ({
  milliseconds: 2 ** ln * r * p * millisecondsPerBlock,
  mebibytes: (128 * r * (2 ** ln + p)) / 2 ** 20,
})

/** @param parameters.bytes length of the key */
export const scryptKey = (
  password: string,
  salt: Buffer,
  { ln, r, p, bytes }: ScryptParameters & { bytes: number },
) => scryptSync(password, salt, bytes, { N: 2 ** ln, r, p, maxmem: Number.MAX_SAFE_INTEGER })
