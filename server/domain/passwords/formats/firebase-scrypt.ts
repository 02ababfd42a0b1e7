import { createCipheriv, timingSafeEqual } from 'node:crypto'
import { digestOf, dummySaltBytes, saltOf, zeros } from './base64.js'
import type { PasswordFormat } from './password-hash.js'
import { isDefined, scryptCost, scryptKey } from './scrypt.js'

const pattern =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,5}),p=(\d{1,5}),(?:ss=([\w+/=-]*),)?sk=([\w+/=-]+)\$([\w+/=-]+)\$([\w+/=-]+)$/
const aesKeyBytes = 32

/**
 * Firebase's own variant of scrypt, in the notation of Supabase Auth:
 * `$fbscrypt$v=1,n=…,r=…,p=1,ss=…,sk=…$salt$digest` with the project's mem_cost as n, rounds as r, salt
 * separator as ss and signer key as sk. The digest is the signer key, encrypted by AES-256-CTR under the
 * derived key.
 */
export const firebaseScryptFormat: PasswordFormat = (hash) => {
  const [, n, r, p, separatorText = '', signerText = '', saltText = '', digestText = ''] =
    pattern.exec(hash) ?? []
  const parameters = { ln: Number(n), r: Number(r), p: Number(p) }
  const separator = saltOf(separatorText) ?? Buffer.alloc(0)
  const signer = digestOf(signerText)
  const salt = saltOf(saltText)
  const digest = digestOf(digestText)
  if (!signer || !salt || digest?.length !== signer.length || !isDefined(parameters)) return undefined
  const neutral = zeros(signer.length)
  return {
    verify: async (password) => {
      const key = scryptKey(password, Buffer.concat([salt, separator]), { ...parameters, bytes: aesKeyBytes })
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
      return timingSafeEqual(Buffer.concat([cipher.update(signer), cipher.final()]), digest)
    },
    dummyHash: `$fbscrypt$v=1,n=${n},r=${r},p=${p},sk=${neutral}$${zeros(dummySaltBytes)}$${neutral}`,
    cost: scryptCost(parameters),
  }
}
