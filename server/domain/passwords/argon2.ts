import type { Config } from '../../config.js'

type Cost = Pick<Config['hashing'], 'memoryKib' | 'passes' | 'parallelism'>

/** One implementation of argon2 (RFC 9106) that reads and writes PHC strings. */
export interface Argon2 {
  /** A PHC string of argon2id with a fresh salt of 16 bytes and a digest of 32. */
  hash(password: string, cost: Cost): Promise<string>
  /** Whether the password is the one of a PHC string of argon2id, argon2i or argon2d. */
  verify(hash: string, password: string): Promise<boolean>
}

/** Finds AVX2 at run time and so takes 0.4 of the time; absent where no binary was made for the platform. */
export async function nodeRsArgon2(): Promise<Argon2 | undefined> {
  const argon2 = await import('@node-rs/argon2').catch(() => undefined)
  return (
    argon2 && {
      hash: async (password, cost) => argon2.hashSync(password, parameters(cost)),
      verify: async (hash, password) => argon2.verifySync(hash, password),
    }
  )
}

/** Runs everywhere. */
export async function referenceArgon2(): Promise<Argon2> {
  const { default: argon2 } = await import('argon2')
  return {
    hash: (password, cost) => argon2.hash(password, { ...parameters(cost), type: argon2.argon2id }),
    verify: (hash, password) => argon2.verify(hash, password),
  }
}

/** The faster of the two that runs here. */
export const bestArgon2 = async () => (await nodeRsArgon2()) ?? (await referenceArgon2())

const parameters = ({ memoryKib, passes, parallelism }: Cost) => ({
  memoryCost: memoryKib,
  timeCost: passes,
  parallelism,
})

/** What every hash of a cost begins with. */
export const argon2idPrefix = ({ memoryKib, passes, parallelism }: Cost) =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$`
