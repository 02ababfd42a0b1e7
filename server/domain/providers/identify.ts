import { CreateUserBody } from '@usher/contract'
import type { Connection } from '../connections/connection.js'
import { type EmailProof, presets } from '../connections/presets.js'
import { exchangeCode, type Grant, verifyIdToken, verifyUserInfo } from './exchange-code.js'
import type { Provider, Providers } from './find-provider.js'
import { invalid, ProviderError, type ProviderResponse } from './provider-fetch.js'

/** A login that has returned from a provider. */
export interface ReturnedLogin extends Grant {
  nonce: string
  /** The field `user` of the form that the browser has posted. */
  user: string | null
}

/**
 * Exchanges the code of a login, and reads who has logged in.
 *
 * @throws {ProviderError}
 */
export async function identify({ find, fetch }: Providers, login: ReturnedLogin): Promise<ProviderClaims> {
  const { connection, nonce, user, signal } = login
  const provider = await find(connection)
  const tokens = await exchangeCode(fetch, provider, login)
  const { isPrivate, keys } = provider
  const { databaseId, clientId } = connection
  const headers = {
    authorization: `Bearer ${tokens.access_token}`,
    ...(keys && { accept: 'application/json, application/jwt;q=0.9' }),
  }
  const read = (url: string) => fetch({ url, isPrivate, databaseId, headers, signal })
  if (!keys) return readClaims(connection, await readPerson(provider, read))
  const audiences = [clientId]
  const claims = await verifyIdToken(provider, tokens.id_token ?? '', { audiences, nonces: [nonce] })
  requireExpected(connection, claims)
  const email = await readAddressed(provider, { connection, claims, read })
  const person = readClaims(connection, { profile: claims, email, posted: parsed(user) })
  return connection.ofTenant ? { ...person, ...claimsOfTenant(claims, person) } : person
}

/** @throws {ProviderError} `provider_invalid` if a claim is not what the connection expects */
function requireExpected({ ofTenant }: Connection, claims: ProviderDocument) {
  for (const [name, value] of Object.entries(ofTenant?.expects ?? {}))
    if (claims[name] !== value) throw invalid(`the claim ${name} of the ID token is not ${value}`)
}

/**
 * Returns what only the provider of a tenant says. Its addresses count in the domains of the tenant only, so that an address may be
 * one that Entra has in another claim, for accounts without a mailbox.
 */
function claimsOfTenant(claims: ProviderDocument, { email }: ProviderClaims) {
  const names = [claims.preferred_username, claims.upn]
  const address = names.map((each) => textOf(CreateUserBody.shape.email, each)).find(Boolean) ?? null
  const amr = Array.isArray(claims.amr) ? claims.amr.filter((each) => typeof each === 'string') : []
  return { email: email ?? address, amr }
}

type Read = (url: string) => Promise<ProviderResponse>

function requireOk({ status, body }: ProviderResponse, url: string) {
  if (status !== 200) throw invalid(`${url} has responded with status ${status}`)
  return body
}

/** Returns the claims that have the address and its flag: those of the ID token, or those of the UserInfo endpoint if it lacks one. */
async function readAddressed(
  provider: Provider,
  { connection, claims, read }: { connection: Connection; claims: ProviderDocument; read: Read },
): Promise<ProviderDocument> {
  const { profile: url } = provider
  const hasEmail = typeof claims.email === 'string'
  // Okta has the flag only there.
  const { proofs } = presets[connection.preset]
  const hasFlag =
    claims.email_verified !== undefined || !proofs.some(({ isTrue }) => isTrue === 'email_verified')
  if (!url || (hasEmail && hasFlag)) return claims
  try {
    const body = requireOk(await read(url), url)
    const audiences = [connection.clientId]
    const person = typeof body === 'string' ? await verifyUserInfo(provider, body, audiences) : objectOf(body)
    if (person.sub !== claims.sub) throw invalid('the UserInfo endpoint has returned another person')
    return hasEmail && person.email === undefined ? claims : person
  } catch (error) {
    // The address of the ID token is as good without the flag.
    if (hasEmail && error instanceof ProviderError && error.code === 'provider_invalid') return claims
    throw error
  }
}

/** Reads a person from endpoints of a provider without ID tokens. The address and its flag are in one entry of a list. */
async function readPerson({ profile: url = '', emails }: Provider, read: Read): Promise<ProviderDocuments> {
  const profile = objectOf(requireOk(await read(url), url))
  if (!emails) return { profile, email: profile }
  const response = await read(emails)
  // A GitHub App without the permission for addresses. The person logs in as one who has none.
  const list = [403, 404].includes(response.status) ? [] : requireOk(response, emails)
  const email = (Array.isArray(list) ? list : []).map(objectOf).find(({ primary }) => primary === true) ?? {}
  return { profile, email }
}

const objectOf = (value: unknown): ProviderDocument =>
  typeof value === 'object' && value !== null ? (value as ProviderDocument) : {}

function parsed(text: string | null): ProviderDocument {
  try {
    return objectOf(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

/** An object that a provider has returned. */
type ProviderDocument = { readonly [claim: string]: unknown }

/** What a provider has returned about a person. */
interface ProviderDocuments {
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

/** What a provider says about a person who has logged in there. A login that has returned stores it. */
export interface ProviderClaims {
  /** That of the connection. The ID tokens of Microsoft have that of their tenant instead, which the subject contains. */
  issuer: string
  /** ID of the account at the provider. */
  subject: string
  /** The address as the provider returns it, or null. */
  email: string | null
  /**
   * `authoritative`: whoever has the account at the provider owns the mailbox. `verified`: the owner of the account has received
   * mail at it at some time. Null: neither, or no address.
   */
  emailProof: 'authoritative' | 'verified' | null
  preferredName: string | null
  /** As a BCP 47 tag. */
  locale: string | null
  /** How the person has logged in there (RFC 8176). Only of the provider of a tenant. */
  amr?: readonly string[]
}
