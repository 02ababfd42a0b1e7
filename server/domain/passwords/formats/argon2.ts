import { bestArgon2 } from '../argon2.js'
import { digestOf, dummySaltBytes, saltOf, unpadded, zeros } from './base64.js'
import type { PasswordFormat } from './password-hash.js'

const pattern =
  /^\$(argon2(?:id|i|d))\$v=(16|19)\$m=([1-9]\d{0,8}),t=([1-9]\d{0,8}),p=([1-9]\d?)\$([A-Za-z\d+/]+={0,2})\$([A-Za-z\d+/]+={0,2})$/
const millisecondsPerKib = 0.001
/** Salt lengths that both implementations accept. */
const saltBytes = { min: 8, max: 48 }
const maxDigestBytes = 64

/** argon2id, argon2i and argon2d (RFC 9106): `$argon2id$v=19$m=…,t=…,p=…$salt$digest` (PHC string format). */
export const argon2Format: PasswordFormat = (hash) => {
  const [, type, version, m, t, p, saltText = '', digestText = ''] = pattern.exec(hash) ?? []
  const salt = saltOf(saltText)
  const digest = digestOf(digestText)
  if (!salt || salt.length < saltBytes.min || salt.length > saltBytes.max) return undefined
  if (!digest || digest.length > maxDigestBytes || Number(m) < 8 * Number(p)) return undefined
  const parameters = `$${type}$v=${version}$m=${m},t=${t},p=${p}`
  const encoded = `${unpadded(salt)}$${unpadded(digest)}`
  if (encoded !== `${saltText}$${digestText}`.replaceAll('=', '')) return undefined
  return {
    verify: async (password) => (await bestArgon2()).verify(`${parameters}$${encoded}`, password),
    dummyHash: `${parameters}$${zeros(dummySaltBytes)}$${zeros(digest.length)}`,
    cost: { milliseconds: Number(m) * Number(t) * millisecondsPerKib, mebibytes: Number(m) / 1024 },
  }
}
