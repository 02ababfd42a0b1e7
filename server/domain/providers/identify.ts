import type { ProviderClaims } from '../connections/claims.js'
import type { Connection } from '../connections/connection.js'
import { presets } from '../connections/presets.js'
import { exchangeCode, type Grant } from './exchange-code.js'
import type { Provider, Providers } from './find-provider.js'
import { invalid, ProviderError, unavailable } from './provider-error.js'
import type { ProviderResponse } from './provider-fetch.js'
import { type ProviderDocument, type ProviderDocuments, readClaims } from './read-claims.js'
import { verifyIdToken, verifyUserInfo } from './verify-id-token.js'

/** Time limit of all requests of a login together, in milliseconds. */
const loginMilliseconds = 10_000

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
  const email = await readAddressed(provider, { connection, claims, read })
  return readClaims(connection, { profile: claims, email, posted: parsed(user) })
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

/** Runs requests of a login. Aborts them when they take too long. */
export async function withinTime<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(`the provider has not responded within ${loginMilliseconds / 1000} s`))
      controller.abort()
    }, loginMilliseconds)
  })
  try {
    return await Promise.race([run(controller.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
