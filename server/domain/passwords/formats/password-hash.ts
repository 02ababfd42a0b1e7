/** A parsed password hash. */
export interface PasswordHash {
  /** Computes on the calling thread: call it on a thread of the hash pool. */
  verify(password: string): Promise<boolean>
  /** The dummy hash of these parameters: always the same text, and no password matches it. */
  dummyHash: string
  cost: Cost
}

/** Estimated cost of one verification: time on one core, and memory. */
export interface Cost {
  milliseconds: number
  mebibytes: number
}

/** Parses hashes of one format. Returns undefined for those of others. */
export type PasswordFormat = (hash: string) => PasswordHash | undefined
