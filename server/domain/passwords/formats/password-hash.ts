export interface PasswordHash {
  /** Returns whether a password matches. Blocks the calling thread, so call it on a thread of the hash pool. */
  verify(password: string): Promise<boolean>
  /** The dummy hash of these parameters, which is always the same text. No password matches it. */
  dummyHash: string
  cost: Cost
}

/** Estimated cost of one verification: time on one core, and memory. */
export interface Cost {
  milliseconds: number
  mebibytes: number
}

/** Parses a hash. Returns undefined if it has another format. */
export type PasswordFormat = (hash: string) => PasswordHash | undefined
