import { createHash } from 'node:crypto'

/**
 * Returns a function that returns whether a text is new. It stores the first 64 bits of the SHA-256 in an open-addressed
 * table: 16 to 32 bytes per text, so that a file of many millions of lines fits into memory.
 */
export function createSeenKeys() {
  let table = new BigUint64Array(1024)
  let count = 0

  function insert(into: BigUint64Array, hash: bigint) {
    const mask = into.length - 1
    let slot = Number(hash & BigInt(mask))
    while (into[slot] !== 0n && into[slot] !== hash) slot = (slot + 1) & mask
    const isNew = into[slot] === 0n
    into[slot] = hash
    return isNew
  }

  return (text: string): boolean => {
    const isNew = insert(table, createHash('sha256').update(text).digest().readBigUInt64LE() || 1n)
    if (isNew && ++count > table.length / 2) {
      const larger = new BigUint64Array(table.length * 2)
      for (const hash of table) if (hash !== 0n) insert(larger, hash)
      table = larger
    }
    return isNew
  }
}
