import { createHash } from 'node:crypto'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { isEqual, type Purpose, type Secrets } from './database-secrets.js'

// What a database gives its users and recognizes later: a code in a mail is `id.mac`, a refresh token `id.number.mac`. The store
// contains neither the text nor a hash of it.

/** What a signed text says. */
interface Content {
  purpose: Purpose
  id: string
  number?: number
  /** The address to which it is sent. The text does not contain it, but its MAC covers it. */
  canonicalEmail?: string
}

const given = (...parts: (string | number | undefined)[]) => parts.filter((part) => part !== undefined)

/** Returns a signed text. */
export const signedText = (
  { sign }: Pick<Secrets, 'sign'>,
  { purpose, id, number, canonicalEmail }: Content,
) => given(id, number, sign(purpose, ...given(id, number, canonicalEmail))).join('.')

/** Returns what a text contains, and a function that verifies it. Returns undefined if it is not a signed text. */
export function readSigned(text: string) {
  const [, id = '', digits, mac = ''] =
    /^([0-9a-f-]{36})(?:\.(0|[1-9]\d{0,8}))?\.([\w-]{43})$/.exec(text) ?? []
  if (!isUuid(id)) return undefined
  const number = digits === undefined ? undefined : Number(digits)
  const isSigned = ({ verify }: Pick<Secrets, 'verify'>, purpose: Purpose, canonicalEmail?: string) =>
    verify(mac, purpose, ...given(id, number, canonicalEmail))
  return { id, number, isSigned }
}

/** A code that a client has presented. */
interface PresentedCode<Found> {
  purpose: Purpose
  code: string
  /** Returns the stored data of a code, or undefined if it cannot be used. */
  find: (id: string) => Promise<Found | undefined>
}

/** Returns the stored data of a code that the database has issued. @throws {Problem} `code_invalid` */
export async function requireIssued<Found extends { canonicalEmail: string }>(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  databaseId: string,
  { purpose, code, find }: PresentedCode<Found>,
): Promise<Found> {
  const signed = readSigned(code)
  const found = signed && (await find(signed.id))
  if (!found || !signed.isSigned(await findSecrets(databaseId), purpose, found.canonicalEmail))
    throw new Problem('code_invalid')
  return found
}

/** Returns a signed JSON value: `value.mac`. It expires, because nothing is stored that could end it. */
export function signedValue<Value extends { expiresAt: number }>(
  { sign }: Pick<Secrets, 'sign'>,
  purpose: Purpose,
  value: Value,
) {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${sign(purpose, text)}`
}

/**
 * Returns the value of a text that the database has signed for a purpose, even if it has expired, and the place of the secret among
 * those that are accepted: what was derived of the same secret has the same place in `signAll`. Returns undefined if it was altered.
 */
export function verifySignedValue<Value>(
  { signAll }: Pick<Secrets, 'signAll'>,
  purpose: Purpose,
  text: string,
): { value: Value; place: number } | undefined {
  const [payload = '', mac = '', ...more] = text.split('.')
  const place = signAll(purpose, payload).findIndex((expected) => isEqual(mac, expected))
  if (place < 0 || more.length > 0) return undefined
  return { value: JSON.parse(Buffer.from(payload, 'base64url').toString()), place }
}

/** Returns the value of a text as `verifySignedValue` does. Returns undefined if it has expired, too. */
export function readSignedValue<Value extends { expiresAt: number }>(
  secrets: Pick<Secrets, 'signAll'>,
  { purpose, text, now }: { purpose: Purpose; text: string; now: number },
) {
  const signed = verifySignedValue<Value>(secrets, purpose, text)
  return signed && now < signed.value.expiresAt ? signed : undefined
}

/** Returns the challenge of a verifier, by the method `S256` (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
