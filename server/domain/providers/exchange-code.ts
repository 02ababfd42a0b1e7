import { z } from 'zod'
import type { Connection } from '../connections/connection.js'
import { presets } from '../connections/presets.js'
import type { Provider } from './find-provider.js'
import { invalid, ProviderError } from './provider-error.js'
import type { ProviderFetch } from './provider-fetch.js'

/** What the token endpoint returns (RFC 6749, sections 5.1 and 5.2). GitHub reports errors with status 200. */
const TokenResponse = z.union([
  z.object({ error: z.string(), error_description: z.string().optional() }),
  z.object({
    access_token: z.string().regex(/^[\x20-\x7e]+$/),
    token_type: z.string().regex(/^bearer$/i),
    id_token: z.string().optional(),
  }),
])

/** A code of a provider, and what it was requested with. */
export interface Grant {
  code: string
  redirectUri: string
  /** The PKCE verifier (RFC 7636). */
  pkceVerifier: string
  connection: Connection
  /** The secret of the client. Undefined if it has none. */
  secret: string | undefined
  /** Aborts the request. */
  signal: AbortSignal
}

/** Errors that say that the code is wrong. The others are those of GitHub and Slack. */
const codeErrors = ['invalid_grant', 'bad_verification_code', 'invalid_code']

/**
 * Exchanges a code for tokens.
 *
 * @throws {ProviderError} `code_invalid` if the provider rejects the code; `provider_invalid`; `provider_unavailable`
 */
export async function exchangeCode(fetch: ProviderFetch, provider: Provider, grant: Grant) {
  const secret = presets[grant.connection.preset].signsSecret ? await signedSecret(grant) : grant.secret
  const [first = 'form', second] = provider.secretMethods
  const request = { ...grant, secret }
  let data = await requestTokens(fetch, provider, { ...request, isInHeader: first === 'header' })
  // A provider that does not accept how the client sends its secret has not used up the code.
  if (second && secret !== undefined && 'error' in data && data.error === 'invalid_client')
    data = await requestTokens(fetch, provider, { ...request, isInHeader: second === 'header' })
  if (!('error' in data)) return data
  const message = `${provider.token} has rejected the code: ${data.error} (${data.error_description ?? 'no description'})`
  throw new ProviderError(codeErrors.includes(data.error) ? 'code_invalid' : 'provider_invalid', message)
}

async function requestTokens(
  fetch: ProviderFetch,
  { token: url, isPrivate }: Provider,
  { code, redirectUri, pkceVerifier, connection, signal, secret, ...grant }: Grant & { isInHeader: boolean },
) {
  const preset = presets[connection.preset]
  const isInHeader = grant.isInHeader && secret !== undefined
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(preset.pkce && { code_verifier: pkceVerifier }),
    ...(!isInHeader && {
      client_id: connection.clientId,
      ...(secret !== undefined && { client_secret: secret }),
    }),
  })
  const headers = isInHeader && { authorization: basic(connection.clientId, secret) }
  const { databaseId } = connection
  const request = { url, isPrivate, databaseId, form, signal, ...(headers && { headers }) }
  const { status, body } = await fetch(request)
  const { data } = TokenResponse.safeParse(body)
  if (!data) throw invalid(`${url} has responded with status ${status} and no tokens`)
  return data
}

/** Id and secret are encoded as in a form (RFC 6749, section 2.3.1). */
const basic = (clientId: string, secret: string) =>
  `Basic ${Buffer.from([clientId, secret].map(formEncoded).join(':')).toString('base64')}`

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

/** Returns a JWT that is the secret of the client for five minutes, as Apple requires. */
async function signedSecret({ connection, secret = '' }: Grant) {
  const { clientId, issuer, options } = connection
  const { SignJWT, importPKCS8 } = await import('jose')
  const key = await importPKCS8(secret, 'ES256').catch((error) => {
    throw invalid('the secret is not the private key of a P-256 key pair in PEM form', error)
  })
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: options.keyId ?? '' })
    .setIssuer(options.teamId ?? '')
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key)
}
