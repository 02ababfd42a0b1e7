import { bestArgon2 } from './argon2id.js'

const argon2 = await bestArgon2()

/** A way of storing a password's hash as text. */
export interface PasswordFormat {
  /** Whether a text is a hash of this format. */
  accepts(hash: string): boolean
  verify(hash: string, password: string): Promise<boolean>
  /** A hash of the same algorithm and cost, always the same one, that no password matches. */
  decoy(hash: string): string
}

/** `$argon2id$v=19$m=…,t=…,p=…$salt$digest` (PHC string format), and argon2i and argon2d likewise. */
const argon2Format: PasswordFormat = {
  accepts: (hash) => /^\$argon2(id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/.test(hash),
  verify: (hash, password) => argon2.verify(hash, password),
  decoy: (hash) => hash.replace(/(?<=\$)[\w+/]+(?=(\$[\w+/]+)?$)/g, (part) => 'A'.repeat(part.length)),
}

const formats = [argon2Format]

/** @throws where the hash is of no known format, which nothing but Usher's own code can have stored */
export function formatOf(hash: string): PasswordFormat {
  const format = formats.find((candidate) => candidate.accepts(hash))
  if (!format) throw new Error('a stored password hash is of no known format')
  return format
}

/** A hash of the same algorithm and cost that no password matches; equal for hashes of one cost. */
export const decoyOf = (hash: string) => formatOf(hash).decoy(hash)
