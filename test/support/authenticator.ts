import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@usher/contract'

/** What an authenticator is like. By default, a phone that verifies its user and syncs its passkeys. */
export interface Model {
  origin?: string
  verifiesUser?: boolean
  isSynced?: boolean
  /** Whether its counter rises. */
  counts?: boolean
  algorithm?: 'ES256' | 'EdDSA' | 'RS256'
}

/** What a test makes an authenticator or a browser say otherwise. */
export interface Lie {
  type?: string
  origin?: string
  crossOrigin?: unknown
  topOrigin?: string
  challenge?: string
  domain?: string
  /** Bits to set and to clear. */
  flags?: { set?: number; clear?: number }
  signCount?: number
  userHandle?: string | null
  /** Another ID in the attested data than in the response. */
  credentialId?: Buffer
  fmt?: string
}

export const flag = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10 }
const attested = 0x40

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const bytesOf = (text: string) => Buffer.from(text, 'base64url')

interface Credential {
  id: Buffer
  domain: string
  userHandle: string
  privateKey: KeyObject
  coseKey: Uint8Array
  signCount: number
}

const curves = { ES256: { kty: 2, alg: -7, crv: 1 }, EdDSA: { kty: 1, alg: -8, crv: 6 } }

function newKey(algorithm: NonNullable<Model['algorithm']>) {
  if (algorithm === 'RS256') {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, Uint8Array.from(bytesOf(n))],
      [-2, Uint8Array.from(bytesOf(e))],
    ])
    return { privateKey, coseKey: isoCBOR.encode(key as never) }
  }
  const pair =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('ed25519')
  const { x = '', y } = pair.publicKey.export({ format: 'jwk' })
  const { kty, alg, crv } = curves[algorithm]
  const key = new Map<number, unknown>([
    [1, kty],
    [3, alg],
    [-1, crv],
    [-2, Uint8Array.from(bytesOf(x))],
  ])
  if (y) key.set(-3, Uint8Array.from(bytesOf(y)))
  return { privateKey: pair.privateKey, coseKey: isoCBOR.encode(key as never) }
}

/** Creates an authenticator in a browser (WebAuthn, section 6), which keeps its passkeys in memory. */
export function createAuthenticator(model: Model = {}, credentials: Credential[] = []) {
  const { verifiesUser = true, isSynced = true, counts = !isSynced, algorithm = 'ES256' } = model
  const pageOrigin = model.origin ?? 'https://app.example.com'

  const clientData = (type: string, challenge: string, lie: Lie) =>
    Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? pageOrigin,
        crossOrigin: 'crossOrigin' in lie ? lie.crossOrigin : false,
        ...(lie.topOrigin && { topOrigin: lie.topOrigin }),
      }),
    )

  function authenticatorData(domain: string, signCount: number, lie: Lie, more = 0) {
    const { set = 0, clear = 0 } = lie.flags ?? {}
    const own = (verifiesUser ? flag.verified : 0) | (isSynced ? flag.backupEligible | flag.backedUp : 0)
    const flags = ((flag.present | own | more) & ~clear) | set
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lie.signCount ?? signCount)
    const hash = createHash('sha256')
      .update(lie.domain ?? domain)
      .digest()
    return Buffer.concat([hash, Buffer.from([flags]), counter])
  }

  return {
    credentials,
    /** Returns another authenticator with the same passkeys and counters. */
    clone: () =>
      createAuthenticator(
        model,
        credentials.map((each) => ({ ...each })),
      ),
    /** Does what `navigator.credentials.create` does. */
    create(options: PublicKeyCredentialCreationOptionsJSON, lie: Lie = {}): RegistrationResponseJSON {
      const { rp, user, challenge } = options
      const credential: Credential = {
        ...newKey(algorithm),
        id: randomBytes(32),
        domain: rp.id,
        userHandle: user.id,
        signCount: 0,
      }
      credentials.push(credential)
      const id = lie.credentialId ?? credential.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const authData = Buffer.concat([
        authenticatorData(rp.id, 0, lie, attested),
        Buffer.alloc(16),
        length,
        id,
        credential.coseKey,
      ])
      const object = new Map<string, unknown>([
        ['fmt', lie.fmt ?? 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(authData)],
      ])
      return {
        id: base64url(credential.id),
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, lie)),
          attestationObject: base64url(isoCBOR.encode(object as never)),
          transports: ['internal'],
        },
        clientExtensionResults: { credProps: { rk: true } },
      }
    },
    /** Does what `navigator.credentials.get` does. Throws without a passkey for the options. */
    get(options: PublicKeyCredentialRequestOptionsJSON, lie: Lie = {}): AuthenticationResponseJSON {
      const { rpId, challenge, allowCredentials } = options
      const credential = credentials.find(
        ({ id, domain }) =>
          domain === rpId &&
          (allowCredentials.length === 0 || allowCredentials.some((each) => each.id === base64url(id))),
      )
      if (!credential) throw new Error('the authenticator has no passkey for the options')
      if (counts) credential.signCount++
      const data = authenticatorData(rpId, credential.signCount, lie)
      const client = clientData('webauthn.get', challenge, lie)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      const hash = algorithm === 'EdDSA' ? null : 'sha256'
      const { userHandle = credential.userHandle } = lie
      return {
        id: base64url(credential.id),
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign(hash, signed, credential.privateKey)),
          ...(userHandle !== null && { userHandle }),
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>
