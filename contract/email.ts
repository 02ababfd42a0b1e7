import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { registry } from './registry.js'

const localPartPattern = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domainPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
const numericEnd = /\.[0-9]+$/
/** A domain that URL parsing returns unchanged: no A-label, whose encoding may be invalid, and no number at its end. */
const plainDomain = /^(?!.*xn--).*\.[a-z][^.]*$/
/** Counts code points. A string never has more of them than UTF-16 code units. */
const isLongerThan = (text: string, limit: number) => text.length > limit && [...text].length > limit

/** Returns the host name that URLs derive from a host, or an empty string if it is invalid. */
const hostname = (host: string) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '')

/** Returns the domain in IDNA A-label form (RFC 5890), or undefined if it is not a domain name. */
function toAsciiDomain(domain: string) {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return undefined
  const ascii = domainPattern.test(domain) && plainDomain.test(domain) ? domain : hostname(domain)
  return domainPattern.test(ascii) && !numericEnd.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

/**
 * Returns the form of an email address that is unique within a database: Unicode NFC, lower case, the domain in IDNA
 * A-label form. Dots and plus signs stay, because only the mail provider may interpret them (RFC 5321 §2.3.11).
 *
 * @returns undefined if the text is not an email address: a dot-atom of at most 64 characters, `@` and a domain name
 * of two labels or more, at most 254 characters in all (RFC 5321 §4.5.3.1), in letters of any script (RFC 6531)
 */
export function canonicalEmail(email: string): string | undefined {
  // Lower case may compose where capitals do not: J and a combining caron become ǰ.
  const folded = email.normalize('NFC').toLowerCase().normalize('NFC')
  const at = folded.lastIndexOf('@')
  const localPart = folded.slice(0, Math.max(at, 0))
  if (isLongerThan(email, 254) || isLongerThan(localPart, 64) || !localPartPattern.test(localPart))
    return undefined
  const domain = toAsciiDomain(folded.slice(at + 1))
  return domain && `${localPart}@${domain}`
}

/** An email address as entered, trimmed. */
export const Email = z
  .string(mustBe('a string'))
  .trim()
  .refine(
    (email) => canonicalEmail(email) !== undefined,
    failsWith('email_invalid', 'must be an email address'),
  )
  .register(registry, {
    format: 'idn-email',
    maxLength: 254,
    description: 'Unique within the database. Compared case-insensitively, stored as entered.',
    examples: ['ada@example.com'],
  })
