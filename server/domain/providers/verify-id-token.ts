import type { JWTPayload } from 'jose'
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
 * Verifies an ID token (OpenID Connect Core, section 3.1.3.7), with its signature, however it was received.
 *
 * @returns its claims
 * @throws {ProviderError} `provider_invalid`; `provider_unavailable` if the keys of the provider cannot be read
 */
export async function verifyIdToken(
  { keys, isIssuer }: Provider,
  idToken: string,
  { audiences, nonces }: ExpectedToken,
): Promise<JWTPayload> {
  if (!keys) throw invalid('the provider has no ID tokens')
  const { jwtVerify } = await import('jose')
  const options = {
    algorithms,
    audience: [...audiences],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['iss', 'sub', 'exp', 'iat', 'nonce'],
  }
  const { payload } = await jwtVerify(idToken, keys, options).catch((error) => {
    throw error instanceof ProviderError ? error : invalid(`the ID token is not valid: ${error}`, error)
  })
  const { iss, aud, azp, nonce } = payload
  if (!isIssuer(iss, payload)) throw invalid(`the ID token has another issuer: ${iss}`)
  if (Array.isArray(aud) && aud.length > 1 && !audiences.includes(String(azp)))
    throw invalid('the ID token is for several clients, of which another one has requested it')
  if (!nonces.includes(String(nonce))) throw invalid('the ID token has another nonce')
  return payload
}
