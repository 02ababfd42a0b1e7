export interface PasswordHash {
  /** Blocks the calling thread. Call it on a thread of the hash pool. */
  verify(password: string): Promise<boolean>
  /** The dummy hash of these parameters: always the same text, matched by no password. */
  dummyHash: string
  cost: Cost
}

/** Estimated cost of one verification: time on one core, and memory. */
export interface Cost {
  milliseconds: number
  mebibytes: number
}

/** Returns undefined for hashes of other formats. */
export type PasswordFormat = (hash: string) => PasswordHash | undefined
