/**
 * Creates a search for proofs of work, with a SHA-256 of its own: that of Web Crypto is asynchronous, and slow for millions of short
 * texts. Its source also runs in a worker, so it uses nothing outside of it.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a worker runs its source, which must be in one function.
export function createHashSearch() {
  const constants = new Int32Array(64)
  const words = new Int32Array(64)
  const initial = [2, 3, 5, 7, 11, 13, 17, 19].map((prime) => ((prime ** 0.5 % 1) * 2 ** 32) | 0)
  const state = new Int32Array(8)
  const isPrime = (number: number) => {
    for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
    return true
  }
  for (let number = 2, index = 0; index < 64; number++)
    if (isPrime(number)) constants[index++] = (Math.cbrt(number) % 1) * 2 ** 32

  function addBlock() {
    for (let index = 16; index < 64; index++) {
      const one = words[index - 15] as number
      const two = words[index - 2] as number
      words[index] =
        (words[index - 16] as number) +
        (words[index - 7] as number) +
        (((one >>> 7) | (one << 25)) ^ ((one >>> 18) | (one << 14)) ^ (one >>> 3)) +
        (((two >>> 17) | (two << 15)) ^ ((two >>> 19) | (two << 13)) ^ (two >>> 10))
    }
    let a = state[0] as number
    let b = state[1] as number
    let c = state[2] as number
    let d = state[3] as number
    let e = state[4] as number
    let f = state[5] as number
    let g = state[6] as number
    let h = state[7] as number
    for (let index = 0; index < 64; index++) {
      const first =
        (h +
          (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
          (g ^ (e & (f ^ g))) +
          (constants[index] as number) +
          (words[index] as number)) |
        0
      const second =
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) | (c & (a | b)))
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    state[0] = (state[0] as number) + a
    state[1] = (state[1] as number) + b
    state[2] = (state[2] as number) + c
    state[3] = (state[3] as number) + d
    state[4] = (state[4] as number) + e
    state[5] = (state[5] as number) + f
    state[6] = (state[6] as number) + g
    state[7] = (state[7] as number) + h
  }

  /** Returns the words of the hash of a text of bytes, until the next call. */
  function hash(bytes: string) {
    const { length } = bytes
    state.set(initial)
    for (let start = 0; start < length + 9; start += 64) {
      words.fill(0, 0, 16)
      const end = Math.min(length - start, 64)
      for (let index = 0; index < end; index++)
        words[index >> 2] =
          (words[index >> 2] as number) | (bytes.charCodeAt(start + index) << (24 - 8 * (index & 3)))
      if (end >= 0 && end < 64) words[end >> 2] = (words[end >> 2] as number) | (128 << (24 - 8 * (end & 3)))
      if (length + 9 <= start + 64) words[15] = length * 8
      addBlock()
    }
    return state
  }

  return {
    hash,
    /** Returns the first of some counters after a seed whose hash begins with zero bits, or -1. */
    search(seed: string, bits: number, { from, count }: { from: number; count: number }) {
      for (let counter = from; counter < from + count; counter++)
        if (Math.clz32(hash(`${seed}.${counter}`)[0] as number) >= bits) return counter
      return -1
    },
  }
}
