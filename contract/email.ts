import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { isLongerThan, normalized } from './normalized.js'
import { registry } from './registry.js'
import { withoutInvisible } from './typed-text.js'

const localPartPattern = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domainPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
const numericEnd = /\.[0-9]+$/
/**
 * A domain that URL parsing does not change: it has no A-label, whose encoding may be invalid, and no number at its
 * end.
 */
const plainDomain = /^(?!.*xn--).*\.[a-z][^.]*$/
/** Code points of an address and of its first part (RFC 5321 §4.5.3.1). */
const longest = { address: 254, localPart: 64 }

/** Returns the host name that URLs derive from a host, or an empty string if it is invalid. */
const hostname = (host: string) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '')

/** Returns the domain in IDNA A-label form (RFC 5890), or undefined if it is not a domain name. */
function toAsciiDomain(domain: string) {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return undefined
  const ascii = domainPattern.test(domain) && plainDomain.test(domain) ? domain : hostname(domain)
  return domainPattern.test(ascii) && !numericEnd.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

/**
 * Returns an address, or its first part, in lower case and Unicode NFC. It must be short: see {@link normalized}. Normalizes twice, because some letters compose
 * only in lower case: j and a combining caron become ǰ.
 */
export const foldEmail = (email: string) => email.normalize('NFC').toLowerCase().normalize('NFC')

/**
 * Returns the form of an email address that is unique within a database: Unicode NFC, lower case, the domain in IDNA
 * A-label form. Keeps dots and plus signs, because only the mail provider may interpret them (RFC 5321 §2.3.11).
 *
 * @returns undefined if the text is not an email address. An address is a dot-atom of at most 64 characters, `@` and a
 * domain name of at least two labels. It has at most 254 characters (RFC 5321 §4.5.3.1), of any script (RFC 6531).
 */
export function canonicalEmail(email: string): string | undefined {
  if (isLongerThan(email, longest.address)) return undefined
  const folded = foldEmail(email)
  const at = folded.lastIndexOf('@')
  const localPart = folded.slice(0, Math.max(at, 0))
  if (isLongerThan(localPart, longest.localPart) || !localPartPattern.test(localPart)) return undefined
  const domain = toAsciiDomain(folded.slice(at + 1))
  return domain && `${localPart}@${domain}`
}

/** Returns the lower-case form of a letter if its upper case is that letter again, unlike that of ẞ, İ and ǅ. */
function reversibleLowerCase(letter: string) {
  const small = letter.toLowerCase()
  return small.toUpperCase() === letter ? small : letter
}

/** Letters that IDNA (UTS 46) removes, or replaces by others, such as fullwidth ones. It keeps ß and ς. */
const replacedInDomain = /(?![ßς])\p{Changes_When_NFKC_Casefolded}/u

/**
 * Returns whether every mail system reads an address in Unicode NFC as its canonical form, ignoring case. That is true if
 * the lower case of each letter is reversible, and IDNA replaces no letter of the domain.
 */
function isUnambiguous(email: string) {
  const folded = email.toLowerCase()
  const domain = folded.slice(folded.lastIndexOf('@') + 1).normalize('NFC')
  return folded === Array.from(email, reversibleLowerCase).join('') && !replacedInDomain.test(domain)
}

const nfcEmail = () =>
  z
    .string(mustBe('a string'))
    .overwrite((email) => normalized(withoutInvisible(email).trim(), 'NFC', longest.address))
    .refine((email) => canonicalEmail(email) !== undefined, {
      ...failsWith('email_invalid', 'must be an email address'),
      abort: true,
    })

const description = 'Unique within the database. Compared case-insensitively, stored in Unicode NFC.'
const documented = {
  format: 'idn-email',
  maxLength: longest.address,
  description,
  examples: ['ada@example.com'],
}

/** The email address of an account that may exist, trimmed and in Unicode NFC. */
export const Email = nfcEmail().register(registry, documented)

/**
 * The email address of a new account. Rejects an address that a mail system could read as another one: see
 * {@link isUnambiguous}.
 */
export const NewEmail = nfcEmail()
  .refine(isUnambiguous, failsWith('email_invalid', 'must not contain letters that mail systems may replace'))
  .register(registry, documented)
