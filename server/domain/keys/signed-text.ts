import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { Purpose, Secrets } from './database-secrets.js'

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
