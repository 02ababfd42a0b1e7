import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import type { SigningAlgorithm, SigningKey } from '../../store/generated/client.js'
import { openPrivateKey, sealPrivateKey } from './master-key.js'

/** A signing key of a database, ready for use. */
export interface TokenKey {
  kid: string
  /** Public half as it is published (RFC 7517). */
  jwk: JsonWebKey & { kid: string; alg: SigningAlgorithm; use: 'sig' }
  /** Signs from then on. */
  activatesAt: Date
  /** Its tokens are refused from then on. */
  retiresAt: Date | null
  /** What the tokens that it signs begin with, up to their first dot. */
  prefix: string
  sign(claims: object): string
  /** The claims of a token that this key signed. @throws where it did not */
  verify(jwt: string): Record<string, unknown>
}

/** Key pairs by JOSE algorithm (RFC 7518, RFC 8037). */
const generators = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} satisfies Record<SigningAlgorithm, () => KeyPairKeyObjectResult>

/** A new key pair for a database as a row of the store, its private half sealed with the master key. */
export function generateSigningKey(
  database: { id: string; signingAlgorithm: SigningAlgorithm },
  masterKey: Buffer,
  now: Date,
  activatesAt: Date,
): SigningKey {
  const pair = generators[database.signingAlgorithm]()
  const purpose = { databaseId: database.id, kid: thumbprint(pair.publicKey) }
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    ...purpose,
    algorithm: database.signingAlgorithm,
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sealedPrivateKey: sealPrivateKey(masterKey, privateKey, purpose),
    activatesAt,
    retiresAt: null,
    createdAt: now,
  }
}

/** JWK thumbprint (RFC 7638): SHA-256 over the members that the key type requires, in order of name. */
function thumbprint(publicKey: KeyObject) {
  const { crv, e, kty, n, x, y } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}

/**
 * The signer and the verifier of a stored key. Signatures once found good are remembered (fast-jwt's cache,
 * bounded); the caller checks times, which pass.
 *
 * @param issuer `iss` that the key's tokens must have, and one of their `aud`
 * @throws where the master key is not the one that sealed the private half
 */
export function openTokenKey(row: SigningKey, masterKey: Buffer, issuer: string): TokenKey {
  const { kid, algorithm, publicKey, activatesAt, retiresAt } = row
  const key = openPrivateKey(masterKey, row)
  const sign = createSigner({ key, algorithm, kid, header: { alg: algorithm, typ: 'at+jwt' } })
  return {
    kid,
    jwk: { ...createPublicKey(publicKey).export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' },
    activatesAt,
    retiresAt,
    prefix: `${sign({}).split('.', 1)[0]}.`,
    sign,
    verify: createVerifier({
      key: publicKey,
      algorithms: [algorithm],
      allowedIss: issuer,
      allowedAud: issuer,
      checkTyp: 'at+jwt',
      requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti'],
      ignoreExpiration: true,
      cache: 10_000,
    }),
  }
}
