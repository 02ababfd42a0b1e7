/** Share of the slots that may be taken. With more, a search for a missing key takes long. */
const maxLoad = 0.7
/** Slots per entry after the table was rebuilt. */
const spareFactor = 1.7

interface TableShape {
  /** Number of UUIDs in a key. */
  ids: 1 | 2
  /** Numbers of an entry. */
  numbers: 0 | 1 | 2
}

/** UUIDs are in their text form, the instant in milliseconds since the epoch. */
interface Entry {
  key: readonly [string, string?]
  expiresAt: number
  numbers: readonly number[]
}

/**
 * Creates a hash table of UUIDs in typed arrays: 24 to 56 bytes a slot, where a Map of strings takes over 100. Entries are
 * only removed when the table is full, so that a search can end at the first free slot.
 */
export function createTable({ ids, numbers }: TableShape) {
  const words = 4 * ids
  // The second at which the entry of a slot expires, and its key.
  const stride = 1 + words
  const key = new Uint32Array(words)
  let capacity = 16
  let size = 0
  let slots = new Uint32Array(capacity * stride)
  let values = new Float64Array(capacity * numbers)
  // The hash of the key of each slot, or 0 if it is free: a search for a missing key mostly reads nothing else.
  let hashes = new Uint32Array(capacity)

  /** Reads a key. Returns whether it consists of UUIDs. */
  const readKey = (first: string, second: string | undefined) =>
    readUuid(first, key, 0) && (second === undefined || readUuid(second, key, 4))

  function hasKey(slot: number) {
    const start = slot * stride + 1
    for (let word = 0; word < words; word++) if (slots[start + word] !== key[word]) return false
    return true
  }

  /** Returns the slot of a key, or the free slot for it. Reads the key only if another one has its hash. */
  function search(hash: number, first: string, second: string | undefined) {
    let isRead = false
    let slot = Math.floor((hash / 2 ** 32) * capacity)
    for (;;) {
      const found = hashes[slot]
      if (found === 0) return slot
      if (found === hash) {
        isRead ||= readKey(first, second)
        if (isRead && hasKey(slot)) return slot
      }
      slot = slot + 1 === capacity ? 0 : slot + 1
    }
  }

  /** Rebuilds the table without the entries that have expired, with room for new ones. */
  function rebuild(forgetBefore: number) {
    const old = { slots, values, hashes }
    const isKept = (slot: number) =>
      old.hashes[slot] !== 0 && (old.slots[slot * stride] as number) * 1000 > forgetBefore
    size = 0
    for (let slot = 0; slot < old.hashes.length; slot++) if (isKept(slot)) size += 1
    capacity = Math.max(16, Math.ceil(size * spareFactor))
    slots = new Uint32Array(capacity * stride)
    values = new Float64Array(capacity * numbers)
    hashes = new Uint32Array(capacity)
    for (let slot = 0; slot < old.hashes.length; slot++) if (isKept(slot)) move(old, slot)
  }

  /** Copies an entry of an earlier table, which has no other one with its key. */
  function move(old: { slots: Uint32Array; values: Float64Array; hashes: Uint32Array }, slot: number) {
    const hash = old.hashes[slot] as number
    let target = Math.floor((hash / 2 ** 32) * capacity)
    while (hashes[target] !== 0) target = target + 1 === capacity ? 0 : target + 1
    hashes[target] = hash
    for (let word = 0; word < stride; word++)
      slots[target * stride + word] = old.slots[slot * stride + word] as number
    for (let index = 0; index < numbers; index++)
      values[target * numbers + index] = old.values[slot * numbers + index] as number
  }

  return {
    size: () => size,
    rebuild,
    /** Returns the slot of an entry, or -1. It is valid until the table changes. */
    find(first: string, second?: string) {
      if (size === 0) return -1
      const slot = search(hashOf(first, second), first, second)
      return hashes[slot] === 0 ? -1 : slot
    },
    /** Returns a number of the entry in a slot. */
    number: (slot: number, index: number) => values[slot * numbers + index] as number,
    /**
     * Adds an entry, or replaces the entry with this key unless its first number is greater.
     *
     * @param forgetBefore entries that expire before may be removed
     */
    set({ key: [first, second], expiresAt, numbers: added }: Entry, forgetBefore: number) {
      if (size + 1 > capacity * maxLoad) rebuild(forgetBefore)
      const hash = hashOf(first, second)
      const slot = search(hash, first, second)
      if (hashes[slot] === 0) {
        readKey(first, second)
        hashes[slot] = hash
        slots.set(key, slot * stride + 1)
        size += 1
      } else if (numbers > 0 && (values[slot * numbers] as number) > (added[0] as number)) return
      slots[slot * stride] = Math.ceil(expiresAt / 1000)
      values.set(added, slot * numbers)
    },
  }
}

/** Returns a hash of UUIDs that is not 0. */
function hashOf(first: string, second: string | undefined) {
  let hash = addHash(0x811c9dc5, first)
  if (second !== undefined) hash = addHash(hash, second)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0 || 1
}

/**
 * Adds the first and the last 8 digits of a UUID to a hash (FNV-1a, ignoring case). Some of these digits differ in each
 * version of UUIDs.
 */
function addHash(start: number, text: string) {
  let hash = start
  for (let index = 0; index < 8; index++) {
    hash = Math.imul(hash ^ (text.charCodeAt(index) | 32), 0x01000193)
    hash = Math.imul(hash ^ (text.charCodeAt(index + 28) | 32), 0x01000193)
  }
  return hash
}

/** Offsets of the 8 groups of 4 digits in a UUID, and of its hyphens. */
const groups = [0, 4, 9, 14, 19, 24, 28, 32] as const
const hyphens = [8, 13, 18, 23] as const

/** Writes a UUID as four words. Returns whether the text is one. */
export function readUuid(text: string, words: Uint32Array, offset: number) {
  if (text.length !== 36) return false
  for (const index of hyphens) if (text.charCodeAt(index) !== 45) return false
  for (let word = 0; word < 4; word++) {
    const high = readDigits(text, groups[2 * word] as number)
    const low = readDigits(text, groups[2 * word + 1] as number)
    if ((high | low) < 0) return false
    words[offset + word] = (high << 16) | low
  }
  return true
}

/** Returns the value of four hexadecimal digits, or a negative number. */
const readDigits = (text: string, at: number) =>
  (digitOf(text.charCodeAt(at)) << 12) |
  (digitOf(text.charCodeAt(at + 1)) << 8) |
  (digitOf(text.charCodeAt(at + 2)) << 4) |
  digitOf(text.charCodeAt(at + 3))

/** Returns the value of a hexadecimal digit, or -1. */
function digitOf(code: number) {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
