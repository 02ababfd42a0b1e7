import { z } from 'zod'

const message =
  'must be up to 20 different URLs separated by commas: https, http on localhost, 127.0.0.1 or [::1], or a scheme of an app such as com.example.app:/login; without user name and fragment'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Schemes that a browser runs or reads itself. */
const forbidden = ['javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:', 'ftp:', 'ws:', 'wss:']

function isRedirect(text: string) {
  if (text.length > 2_000 || !URL.canParse(text) || /[\s\p{C}]/u.test(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username || password || hash || text.includes('#')) return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return loopback.includes(hostname)
  // A private scheme has a dot, as a domain in reverse order (RFC 8252, section 7.1).
  return !forbidden.includes(protocol) && protocol.includes('.')
}

/** The exact URLs to which a login at a provider may return. */
export const loginRedirects = z
  .array(z.string().refine(isRedirect, message), message)
  .max(20, message)
  .refine((urls) => new Set(urls).size === urls.length, message)
