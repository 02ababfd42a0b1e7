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
import type { MasterKeys } from '../../store/store.js'
import { canOpen, openPrivateKey, sealPrivateKey } from './master-key.js'

export interface TokenKey {
  kid: string
  /** Public key as it is published (RFC 7517). */
  jwk: JsonWebKey & { kid: string; alg: SigningAlgorithm; use: 'sig' }
  activatesAt: Date
  /** Its tokens are rejected from this time on. */
  retiresAt: Date | null
  /** Encoded JOSE header of its tokens, up to and including the first dot. */
  prefix: string
  sign(claims: object): string
  /** Returns the claims of a token. Throws unless this key signed it. */
  verify(jwt: string): Record<string, unknown>
}

/** Generators of key pairs by JOSE algorithm (RFC 7518, RFC 8037). */
const generators = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} satisfies Record<SigningAlgorithm, () => KeyPairKeyObjectResult>

/** Returns a new key pair as a row of the store, its private key sealed with the master key. */
export function generateSigningKey(
  database: { id: string; signingAlgorithm: SigningAlgorithm },
  masterKey: Buffer,
  { now, activatesAt = now }: { now: Date; activatesAt?: Date },
): SigningKey {
  const pair = generators[database.signingAlgorithm]()
  const purpose = { databaseId: database.id, kid: thumbprint(jwkOf(pair.publicKey)) }
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

const jwkOf = (publicKey: KeyObject) => publicKey.export({ format: 'jwk' })

/** Returns the JWK thumbprint (RFC 7638): SHA-256 over the required members of the key type, ordered by name. */
function thumbprint({ crv, e, kty, n, x, y }: JsonWebKey) {
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}

/**
 * Returns the signer and the verifier of a stored key. The caller checks `iat` and `exp`. Each parses its key when it is
 * first used, because most databases in memory only verify or only publish their keys.
 *
 * @param issuer required as `iss`, and in `aud` or as its {@link tenantAudience}
 * @throws if another master key encrypted the private key, or if `kid` is not the thumbprint of the public key. So an
 * attacker who can write to the store, but has no master key, cannot add or replace a key
 */
export function openTokenKey(row: SigningKey, keys: MasterKeys, issuer: string): TokenKey {
  const { kid, algorithm, activatesAt, retiresAt } = row
  const jwk = jwkOf(createPublicKey(row.publicKey))
  const name = `signing key ${kid} of database ${row.databaseId}`
  if (thumbprint(jwk) !== kid) throw new Error(`${name} has a public key that does not match its kid`)
  if (!canOpen(keys, row)) throw new Error(`${name} cannot be opened with this master key`)
  const header = { alg: algorithm, typ: 'at+jwt', kid }
  let signer: TokenKey['sign'] | undefined
  let verifier: TokenKey['verify'] | undefined
  return {
    kid,
    jwk: { ...jwk, kid, alg: algorithm, use: 'sig' },
    activatesAt,
    retiresAt,
    prefix: `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`,
    sign(claims) {
      signer ??= openSigner(row, keys)
      return signer(claims)
    },
    verify(jwt) {
      verifier ??= openVerifier(row, issuer)
      return verifier(jwt)
    },
  }
}

/** The private key is that of the `kid`: only a master key can seal another one for it. */
const openSigner = (row: SigningKey, keys: MasterKeys): TokenKey['sign'] =>
  createSigner({
    key: openPrivateKey(keys, row),
    algorithm: row.algorithm,
    kid: row.kid,
    header: { alg: row.algorithm, typ: 'at+jwt' },
  })

/**
 * Returns the audience of tokens that single sign-on of a tenant has opened. It is another one, so that backends which do not know such
 * tokens refuse them.
 */
export const tenantAudience = (issuer: string) => `${issuer}/tenants`

const openVerifier = ({ publicKey, algorithm }: SigningKey, issuer: string): TokenKey['verify'] =>
  createVerifier({
    key: publicKey,
    algorithms: [algorithm],
    allowedIss: issuer,
    allowedAud: [issuer, tenantAudience(issuer)],
    checkTyp: 'at+jwt',
    requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti'],
    ignoreExpiration: true,
    cache: false,
  })
