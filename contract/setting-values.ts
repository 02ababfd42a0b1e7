import { z } from 'zod'
import { claimSourceFields, maxClaimBytes, readClaimSource, reservedClaims } from './claims.js'
import { hasExactNumbers, inexact } from './exact-numbers.js'

/** The roles of every database. An owner has all rights of an admin, and an admin all rights of a member. */
export const builtInRoles = ['owner', 'admin', 'member'] as const

/** Returns the schema of a list of different texts. The message follows the name of the setting. */
const differentTexts = (max: number, isAllowed: (text: string) => boolean, message: string) =>
  z
    .array(z.string().refine(isAllowed, message), message)
    .max(max, message)
    .refine((texts) => new Set(texts).size === texts.length, message)

/** The roles that a product adds. They have the rights of a member. */
export const ownRoles = differentTexts(
  8,
  (name) => /^[a-z][a-z0-9_-]{0,31}$/.test(name) && !builtInRoles.some((each) => each === name),
  'must be up to 8 different names separated by commas, each of 1 to 32 characters a-z, 0-9, _ and -, and none of owner, admin and member',
)

const maxUrlLength = 2_000

/** The URL of a webhook, or of the hook before a sign-up. */
export const webhookUrl = httpUrl(({ href }) => href)

/** The URL of an app, without a slash at its end, because paths and codes are appended. */
export const appUrl = httpUrl(({ href, search }, fail) => {
  if (search) fail('must have no query')
  return href.replace(/\/+$/, '')
})

function httpUrl(normalize: (url: URL, fail: (message: string) => void) => string) {
  const expected = 'must be an http or https URL, or "none"'
  const atMost = `must have at most ${maxUrlLength} characters`
  return z
    .string(expected)
    .max(maxUrlLength, { error: atMost, abort: true })
    .transform((text, { addIssue }) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !/^https?:$/.test(url.protocol)) {
        addIssue(expected)
        return z.NEVER
      }
      if (url.username || url.password || url.hash)
        addIssue('must have no user name, no password and no fragment')
      if (url.href.length > maxUrlLength) addIssue(atMost)
      return normalize(url, addIssue)
    })
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Schemes that a browser runs or reads itself. */
const forbidden = ['javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:', 'ftp:', 'ws:', 'wss:']

function isRedirect(text: string) {
  if (text.length > maxUrlLength || !URL.canParse(text) || /[\s\p{C}]/u.test(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username || password || hash || text.includes('#')) return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return loopback.includes(hostname)
  // A private scheme has a dot, as a domain in reverse order (RFC 8252, section 7.1).
  return !forbidden.includes(protocol) && protocol.includes('.')
}

/** The exact URLs to which a login at a provider may return. */
export const loginRedirects = differentTexts(
  20,
  isRedirect,
  'must be up to 20 different URLs separated by commas: https, http on localhost, 127.0.0.1 or [::1], or a scheme of an app such as com.example.app:/login; without user name and fragment',
)

/** Returns whether a text is a domain in ASCII. An IP address is none (WebAuthn, section 5.1.2). */
export const isDomain = (text: string) =>
  text.length <= 253 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

/** The RP ID of passkeys. */
export const passkeyDomain = z
  .string()
  .refine(
    isDomain,
    'must be a domain such as example.com or localhost, without scheme and port, or "default" for the host of the app URL',
  )

/** What an Android app signs with: the SHA-256 of its certificate as base64url. */
const androidOrigin = /^android:apk-key-hash:[\w-]{43}$/

function isOrigin(text: string) {
  if (androidOrigin.test(text)) return true
  if (text.length > maxUrlLength || !URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost'))
}

/** The origins at which passkeys are used. */
export const passkeyOrigins = differentTexts(
  20,
  isOrigin,
  'must be up to 20 different origins separated by commas: https://app.example.com, http on localhost, or android:apk-key-hash: with the SHA-256 of a certificate',
)

/** Claims of every token of a database. */
export const fixedClaims = z
  .looseObject({}, 'must be a JSON object, such as {"role":"authenticated"}')
  .transform((claims, { addIssue }) => {
    const problem = problemOf(claims)
    if (problem) addIssue(problem)
    return claims as Record<string, z.core.util.JSONType>
  })

function problemOf(claims: object) {
  const reserved = Object.keys(claims).find((name) => reservedClaims.includes(name))
  if (reserved) return `must not contain ${reserved}, which is reserved for Usher`
  const json = JSON.stringify(claims)
  if (new TextEncoder().encode(json).length > maxClaimBytes) return `must have at most ${maxClaimBytes} bytes`
  if (!hasExactNumbers(claims)) return inexact
  // Postgres stores neither NUL nor lone surrogates.
  return /\\u(?:0000|d[89a-f])/.test(json) ? 'must not contain NUL or lone surrogates' : undefined
}

const maxSources = 10
const sourcesExpected = `must be up to ${maxSources} texts separated by commas, such as "plan=user.metadata.plan"`

/** Claims of tokens whose values come from the user and the tenant. */
export const claimSources = z
  .array(z.string(sourcesExpected), sourcesExpected)
  .max(maxSources, sourcesExpected)
  .superRefine((texts, { addIssue }) => {
    const claims = texts.map((text) => readClaimSource(text)?.claim)
    texts.forEach((text, index) => {
      const problem = sourceProblem(claims[index], claims.slice(0, index))
      if (problem) addIssue(`must not contain "${text}": ${problem}`)
    })
  })

function sourceProblem(claim: string | undefined, earlier: readonly unknown[]) {
  if (claim === undefined)
    return `expected the name of a claim, an equals sign and ${claimSourceFields.join(', ')}`
  if (reservedClaims.includes(claim)) return `${claim} is reserved for Usher`
  return earlier.includes(claim) ? `another source has the claim ${claim}` : undefined
}
