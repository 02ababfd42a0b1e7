/** A password's hash as it is stored, taken apart. */
export interface PasswordHash {
  /** Computes on the thread that asks, which is to be one of the hash pool's. */
  verify(password: string): Promise<boolean>
  /** A hash of the same algorithm and cost, always the same one, that no password matches. */
  dummyHash: string
  cost: Cost
}

/** About what one verification takes of a server: time on one core, and memory. */
export interface Cost {
  milliseconds: number
  mebibytes: number
}

/** A way of storing a password's hash as text: takes a hash apart, or returns nothing where it is none of its own. */
export type PasswordFormat = (hash: string) => PasswordHash | undefined
