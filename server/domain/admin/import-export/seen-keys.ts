import { createHash } from 'node:crypto'

/**
 * Tells texts that came before, in 16 to 32 bytes for each, so that a file of many millions fits into memory:
 * the first 64 bits of their SHA-256 in an open-addressed table.
 *
 * @returns a function that is true the first time that a text is given to it
 */
export function createSeenKeys() {
  let table = new BigUint64Array(1024)
  let count = 0

  function put(into: BigUint64Array, hash: bigint) {
    const mask = into.length - 1
    let at = Number(hash & BigInt(mask))
    while (into[at] !== 0n && into[at] !== hash) at = (at + 1) & mask
    const isNew = into[at] === 0n
    into[at] = hash
    return isNew
  }

  return (text: string): boolean => {
    const isNew = put(table, createHash('sha256').update(text).digest().readBigUInt64LE() || 1n)
    if (isNew && ++count > table.length / 2) {
      const larger = new BigUint64Array(table.length * 2)
      for (const hash of table) if (hash !== 0n) put(larger, hash)
      table = larger
    }
    return isNew
  }
}
