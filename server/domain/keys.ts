import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
} from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import type { SigningKey } from '../store/generated/client.js'
import type { Store } from '../store/store.js'
import { OperatorError } from './operator-error.js'

/** A signing key of a database, ready for use. */
export interface TokenKey {
  kid: string
  sign(claims: object): string
  /** The claims of a token that this key signed. @throws where it did not */
  verify(jwt: string): Record<string, unknown>
}

/** A new key pair for a database as a row of the store, its private half sealed with the master key. */
export function generateSigningKey(databaseId: string, masterKey: Buffer, now: Date): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const kid = thumbprint(publicKey)
  return {
    databaseId,
    kid,
    algorithm: 'ES256',
    publicKey,
    sealedPrivateKey: seal(masterKey, privateKey, `${databaseId}/${kid}`),
    createdAt: now,
  }
}

/** JWK thumbprint (RFC 7638) of an elliptic-curve key. */
function thumbprint(publicKey: string) {
  const { crv, kty, x, y } = createPublicKey(publicKey).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/**
 * The signer and the verifier of a stored key. Signatures once found good are remembered (fast-jwt's cache,
 * bounded); the caller checks times, which pass.
 *
 * @param issuer `iss` that the key's tokens must have, and one of their `aud`
 * @throws where the master key is not the one that sealed the private half
 */
export function openTokenKey(row: SigningKey, masterKey: Buffer, issuer: string): TokenKey {
  const { kid, algorithm, publicKey } = row
  if (algorithm !== 'ES256') throw new Error(`signing key ${kid} has an unknown algorithm`)
  const key = unseal(masterKey, row.sealedPrivateKey, `${row.databaseId}/${kid}`)
  return {
    kid,
    sign: createSigner({ key, algorithm, kid, header: { alg: algorithm, typ: 'at+jwt' } }),
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

/** @throws {OperatorError} where the master key is not the one that sealed the keys of the store */
export async function requireMasterKey(store: Store) {
  const row = await store.prisma.signingKey.findFirst({ orderBy: { createdAt: 'desc' } })
  if (!row) return
  try {
    unseal(store.masterKey, row.sealedPrivateKey, `${row.databaseId}/${row.kid}`)
  } catch {
    throw new OperatorError('USHER_MASTER_KEY is not the key that sealed the signing keys of this store')
  }
}

const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM: initialisation vector, tag and ciphertext in one; `purpose` is authenticated with it. */
function seal(masterKey: Buffer, text: string, purpose: string) {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from(purpose))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Uint8Array.from(Buffer.concat([iv, cipher.getAuthTag(), ciphertext]))
}

function unseal(masterKey: Buffer, sealed: Uint8Array, purpose: string) {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
}
