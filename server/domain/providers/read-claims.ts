import { CreateUserBody } from '@usher/contract'
import type { ProviderClaims } from '../connections/claims.js'
import type { Connection } from '../connections/connection.js'
import { type EmailProof, presets } from '../connections/presets.js'
import { invalid } from './provider-error.js'

/** An object that a provider has returned. */
export type ProviderDocument = { readonly [claim: string]: unknown }

/** What a provider has returned about a person. */
export interface ProviderDocuments {
  /** Names the account. */
  profile: ProviderDocument
  /** Has the address, and what is said about it. */
  email: ProviderDocument
  /** Has the name in addition to the others, as the browser of the person has sent it. */
  posted?: ProviderDocument
}

/** Returns what is at a path of an object, such as `user.name`. */
export const valueAt = (document: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as ProviderDocument)[name]
          : undefined,
      document,
    )

/** Returns the claims of a person. @throws {ProviderError} `provider_invalid` if they do not name the account */
export function readClaims(connection: Connection, documents: ProviderDocuments): ProviderClaims {
  const { subject, paths, postedNames = [], proofs } = presets[connection.preset]
  const { profile, email: addressed, posted } = documents
  const email = textOf(CreateUserBody.shape.email, valueAt(addressed, paths.email))
  const names = postedNames.map((path) => valueAt(posted, path)).filter((name) => typeof name === 'string')
  const name =
    names.join(' ') || [profile, addressed].map((each) => valueAt(each, paths.name ?? '')).find(Boolean)
  const locale = valueAt(profile, paths.locale ?? '')
  return {
    issuer: connection.issuer,
    subject: subjectOf(profile, subject),
    email,
    emailProof:
      email === null
        ? null
        : proofOf(proofs, { email, document: addressed, isTrusted: connection.options.trustEmail }),
    preferredName: textOf(CreateUserBody.shape.preferredName, name),
    locale: textOf(CreateUserBody.shape.locale, String(locale)),
  }
}

/** Returns a text if a new user may have it, or null. */
const textOf = (
  schema: { safeParse(value: unknown): { data?: string | null | undefined } },
  value: unknown,
) => schema.safeParse(value).data ?? null

/** A subject has at most 255 ASCII characters (OpenID Connect Core, section 2). */
const subjectPart = /^[\x21-\x7e]{1,255}$/

function subjectOf(profile: ProviderDocument, paths: readonly string[]) {
  const parts = paths.map((path) => {
    const value = valueAt(profile, path)
    return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  })
  if (!parts.every((part): part is string => typeof part === 'string' && subjectPart.test(part)))
    throw invalid(`the provider has not returned the id of the account: ${paths.join(', ')}`)
  return parts.join('.')
}

interface Address {
  email: string
  document: ProviderDocument
  isTrusted: boolean | undefined
}

/** Returns what an address proves: by the first entry of which all conditions hold. */
function proofOf(proofs: readonly EmailProof[], { email, document, isTrusted }: Address) {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const found = proofs.find(
    ({ isTrue, domains, isDomain, equals = {} }) =>
      isFlagSet(valueAt(document, isTrue)) &&
      (!domains || domains.includes(domain)) &&
      (!isDomain || String(valueAt(document, isDomain)).toLowerCase() === domain) &&
      Object.entries(equals).every(([path, value]) => valueAt(document, path) === value),
  )
  if (!found) return null
  return isTrusted ? 'authoritative' : found.proof
}

/** Apple sends texts, and Microsoft numbers. The text "false" is true for JavaScript. */
const isFlagSet = (value: unknown) => value === true || value === 'true' || value === 1 || value === '1'
