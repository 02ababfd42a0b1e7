import { z } from 'zod'

const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domainName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
const numericEnd = /\.[0-9]+$/
/** What an URL would leave as it is: no A-label, whose encoding may be wrong, and no number at its end. */
const plainDomain = /^(?!.*xn--).*\.[a-z][^.]*$/
/** In code points, which are never more than the units of UTF-16. */
const isLonger = (text: string, most: number) => text.length > most && [...text].length > most

/** What URLs make of a host; empty where it can be none. */
const hostname = (host: string) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '')

/** The domain in IDNA A-label form (RFC 5890), or nothing where it is no domain name. */
function asciiDomain(domain: string) {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return undefined
  const ascii = domainName.test(domain) && plainDomain.test(domain) ? domain : hostname(domain)
  return domainName.test(ascii) && !numericEnd.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

/**
 * The form under which an address is unique within a database: Unicode NFC, lower-cased, the domain in IDNA
 * A-label form. No dot or plus is folded: they are the mail provider's to interpret (RFC 5321 §2.3.11).
 *
 * @returns nothing where the text is no address: dot-atom local part of at most 64 characters, domain name
 * of two labels or more, 254 characters in all (RFC 5321 §4.5.3.1), letters of any script (RFC 6531).
 */
export function canonicalEmail(email: string): string | undefined {
  const folded = email.normalize('NFC').toLowerCase()
  const at = folded.lastIndexOf('@')
  const local = folded.slice(0, Math.max(at, 0))
  if (isLonger(email, 254) || isLonger(local, 64) || !localPart.test(local)) return undefined
  const domain = asciiDomain(folded.slice(at + 1))
  return domain && `${local}@${domain}`
}

/** An email address as entered, trimmed. */
export const Email = z
  .string()
  .trim()
  .refine((email) => canonicalEmail(email) !== undefined, {
    params: { code: 'email_invalid' },
    error: 'must be an email address',
  })
  .meta({
    format: 'idn-email',
    maxLength: 254,
    description: 'Unique within the database; letter case is kept but makes no difference.',
    examples: ['ada@example.com'],
  })
