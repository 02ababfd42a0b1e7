import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { z } from 'zod'
import type { Connection, NewConnection } from '../connections/connection.js'
import { presets } from '../connections/presets.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import type { Provider, Providers } from './find-provider.js'
import { invalid, ProviderError, type ProviderFetch, unavailable, withinTime } from './provider-fetch.js'

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

/** Errors that say that the person has cancelled. The second one is Apple's. */
const cancelled = ['access_denied', 'user_cancelled_authorize']

/** Errors of a provider that may be over at the next login (RFC 6749, section 4.1.2.1). */
const temporary = ['server_error', 'temporarily_unavailable']

/**
 * Returns the code with which a provider has led the browser to the callback.
 *
 * @throws {ProviderError} `access_denied`; `provider_unavailable`; `provider_invalid`, also if another provider has returned (RFC
 * 9207)
 */
export function returnedCode({ isIssuer, sendsIssuer }: Provider, parameters: URLSearchParams): string {
  const { iss, error, code } = Object.fromEntries(
    ['iss', 'error', 'code'].map((name) => [name, onlyOne(parameters, name)]),
  )
  if (iss === undefined ? sendsIssuer : !isIssuer(iss)) throw invalid(`another provider has returned: ${iss}`)
  if (error !== undefined) {
    const message = `the provider has returned the error ${error}`
    if (temporary.includes(error)) throw unavailable(message)
    throw cancelled.includes(error) ? new ProviderError('access_denied', message) : invalid(message)
  }
  if (!code) throw invalid('the provider has returned no code')
  return code
}

function onlyOne(parameters: URLSearchParams, name: string) {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0) throw invalid(`the provider has returned ${name} twice`)
  return value
}

/** How far the clock of a provider may differ. */
const clockToleranceSeconds = 60

/** Only signatures: anyone who knows the public keys could make a MAC with them. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** What an ID token must have been issued for. */
interface ExpectedToken {
  /** Client ids, of which the token names one. */
  audiences: readonly string[]
  /** Nonces, of which the token has one. */
  nonces: readonly string[]
}

/**
 * Verifies a response of a UserInfo endpoint that is a JWT (OpenID Connect Core, section 5.3.2).
 *
 * @returns its claims
 * @throws {ProviderError} as {@link verifyIdToken}
 */
export async function verifyUserInfo(
  provider: Provider,
  token: string,
  audiences: readonly string[],
): Promise<JWTPayload> {
  const payload = await verifySignature(provider, token, {
    audience: [...audiences],
    requiredClaims: ['iss'],
  })
  if (!provider.isIssuer(payload.iss, payload)) throw invalid('the UserInfo response has another issuer')
  return payload
}

async function verifySignature({ keys }: Provider, token: string, options: JWTVerifyOptions) {
  if (!keys) throw invalid('the provider has no ID tokens')
  const { jwtVerify } = await import('jose')
  const verified = await jwtVerify(token, keys, {
    algorithms,
    clockTolerance: clockToleranceSeconds,
    ...options,
  }).catch((error) => {
    throw error instanceof ProviderError ? error : invalid(`the token is not valid: ${error}`, error)
  })
  return verified.payload
}

/**
 * Verifies an ID token (OpenID Connect Core, section 3.1.3.7), with its signature, however it was received.
 *
 * @returns its claims
 * @throws {ProviderError} `provider_invalid`; `provider_unavailable` if the keys of the provider cannot be read
 */
export async function verifyIdToken(
  provider: Provider,
  idToken: string,
  { audiences, nonces }: ExpectedToken,
): Promise<JWTPayload> {
  const payload = await verifySignature(provider, idToken, {
    audience: [...audiences],
    requiredClaims: ['iss', 'sub', 'exp', 'iat', 'nonce'],
  })
  const { iss, aud, azp, nonce } = payload
  if (!provider.isIssuer(iss, payload)) throw invalid(`the ID token has another issuer: ${iss}`)
  if (Array.isArray(aud) && aud.length > 1 && !audiences.includes(String(azp)))
    throw invalid('the ID token is for several clients, of which another one has requested it')
  if (!nonces.includes(String(nonce))) throw invalid('the ID token has another nonce')
  return payload
}

/**
 * Asks the provider of a connection whether it is one, and whether it knows the client: a made-up code must be rejected as a code.
 *
 * @param of.redirectUri where the provider leads the browser
 * @throws {Problem} `connection_invalid` with what to correct
 */
export async function checkConnection(
  providers: Providers,
  { database, redirectUri }: { database: RuleDatabase; redirectUri: string },
  connection: NewConnection,
) {
  if (database.appUrl === null && database.loginRedirects.length === 0)
    throw new Problem('connection_invalid', {
      detail: 'Logins have nowhere to return to. Set the app URL or login redirects of the database first.',
    })
  const row: Connection = {
    ...connection,
    databaseId: database.id,
    sealedSecret: null,
    isEnabled: true,
    createdAt: new Date(0),
  }
  const ask = async (signal: AbortSignal) => {
    const provider = await providers.find(row)
    const grant = { code: 'usher-check', redirectUri, pkceVerifier: 'usher-check'.padEnd(43, '-'), signal }
    await exchangeCode(providers.fetch, provider, {
      ...grant,
      connection: row,
      secret: connection.secret ?? undefined,
    })
  }
  await withinTime(ask).catch((error) => {
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'code_invalid') return
    const { secret } = connection
    // A provider may repeat what it rejects.
    const detail = secret === null ? error.message : error.message.replaceAll(secret, '…')
    throw new Problem('connection_invalid', { detail: `${detail}.`, cause: error })
  })
}
