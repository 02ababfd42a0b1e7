import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { normalized } from './normalized.js'

/**
 * Returns a text without the invisible characters that come with copied text and change nothing in it: soft hyphens, zero-width
 * spaces and marks of direction. Keeps joiners, which distinguish words and domains.
 */
export const withoutInvisible = (text: string) =>
  text.replace(/[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g, '')

/** What people, keyboards and mail programs put between the groups of a code. */
const separators = /[\s\p{Pd}\p{Cf}\u2212\u30FC]/gu

/** Characters of the longest code that a person types, with its separators. */
const longestCode = 64

/** Returns the ASCII digit of a digit of any script. Unicode has the ten digits of a script in order, after those of others or none. */
function digitOf(digit: string) {
  const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code))
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (isDigit(code - value - 1)) value++
  return String(value % 10)
}

/** Returns a code as a person has typed or pasted it without separators, with ASCII digits and letters. */
export const typedCode = (text: string) =>
  normalized(text.replace(separators, ''), 'NFKC', longestCode).replace(/\p{Nd}/gu, digitOf)

const notSixDigits = failsWith('invalid_type', 'must be six digits')

/** Returns the schema of six digits that a person types, in any script and with separators. */
export const sixDigits = () =>
  z
    .string(mustBe('a string'))
    .max(longestCode, { ...notSixDigits, abort: true })
    .overwrite(typedCode)
    .refine((code) => /^\d{6}$/.test(code), notSixDigits)
