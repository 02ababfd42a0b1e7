import type { ProviderClaims } from '../connections/claims.js'
import { exchangeCode, type Grant } from './exchange-code.js'
import type { Provider, Providers } from './find-provider.js'
import { invalid, unavailable } from './provider-error.js'
import { type ProviderDocument, type ProviderDocuments, readClaims } from './read-claims.js'
import { verifyIdToken } from './verify-id-token.js'

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
  const read = async (url: string) => {
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const { status, body } = await fetch({ url, headers, signal })
    if (status !== 200) throw invalid(`${url} has responded with status ${status}`)
    return body
  }
  if (!provider.keys) return readClaims(connection, await readPerson(provider, read))
  const audiences = [connection.clientId]
  const claims = await verifyIdToken(provider, tokens.id_token ?? '', { audiences, nonces: [nonce] })
  const hasEmail = typeof claims.email === 'string' || !provider.profile
  const email = hasEmail ? claims : objectOf(await read(provider.profile as string))
  if (email.sub !== claims.sub) throw invalid('the UserInfo endpoint has returned another person')
  return readClaims(connection, { profile: claims, email, posted: parsed(user) })
}

/** Reads a person from endpoints of a provider without ID tokens. The address and its flag are in one entry of a list. */
async function readPerson(
  { profile: url, emails }: Provider,
  read: (url: string) => Promise<unknown>,
): Promise<ProviderDocuments> {
  const profile = objectOf(await read(url as string))
  if (!emails) return { profile, email: profile }
  const list = await read(emails)
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
