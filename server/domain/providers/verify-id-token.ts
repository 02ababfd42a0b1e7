import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { Provider } from './find-provider.js'
import { invalid, ProviderError } from './provider-error.js'

/** How far the clock of a provider may differ. */
const clockToleranceSeconds = 60

/** Only signatures: anyone who knows the public keys could make a MAC with them. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** What an ID token must have been issued for. */
export interface ExpectedToken {
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
