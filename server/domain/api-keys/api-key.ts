import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** How long an expired key is listed. */
export const shownMilliseconds = 30 * 86_400_000

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 12
/** 256 bits. */
const secretLength = 43
const checksumLength = 6

const form = new RegExp(`^usher_([\\dA-Za-z]{${idLength}})_[\\dA-Za-z]{${secretLength + checksumLength}}$`)

/** An API key as its owner gets it, once. */
export interface NewApiKey {
  id: string
  /** `usher_`, the id, `_`, the secret and a checksum. Scanners of leaked secrets recognize this form. */
  text: string
}

/** Returns a new random key. */
export function newApiKey(): NewApiKey {
  const id = randomText(idLength)
  const text = `usher_${id}_${randomText(secretLength)}`
  return { id, text: text + checksumOf(text) }
}

const randomText = (length: number) => Array.from({ length }, () => digits[randomInt(digits.length)]).join('')

/** Returns the id of a key, or undefined if the text is not a key or is mistyped, by its checksum. */
export function idOfApiKey(text: string): string | undefined {
  const id = form.exec(text)?.[1]
  return id && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? id : undefined
}

/** Returns the CRC-32 of a text in base 62. */
function checksumOf(text: string) {
  let rest = crc32(text)
  let checksum = ''
  for (let count = 0; count < checksumLength; count++) {
    checksum = digits[rest % digits.length] + checksum
    rest = Math.floor(rest / digits.length)
  }
  return checksum
}

/** Returns what is stored of a key. */
export const hashOfApiKey = (text: string) => Uint8Array.from(hash('sha256', text, 'buffer'))

/** Returns whether two hashes are equal, in a time that does not depend on where they differ. */
export const hasHash = (own: Uint8Array, stored: Uint8Array) => timingSafeEqual(own, stored)
