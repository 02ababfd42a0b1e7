import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@usher/contract'
import type { Passkey } from '../../store/queries/passkeys.js'
import type { RelyingParty } from '../databases/relying-party.js'
import {
  type AuthenticatorData,
  type ClientData,
  RefusedResponse,
  readAuthenticatorData,
} from './signed-data.js'

/** The accepted algorithms (RFC 9053): ECDSA with P-256, Ed25519, RSA with SHA-256. */
export const algorithms = [-7, -8, -257]

/** The longest ID of a credential (WebAuthn, section 4). */
const maxCredentialIdBytes = 1023
/** A key of RSA with 4,096 bits has 529. A longer one costs more time to verify. */
const maxPublicKeyBytes = 600

interface Signed {
  rp: RelyingParty
  clientData: ClientData
}

/**
 * Verifies the signature of a passkey (WebAuthn, section 7.2). Whether the counter has risen is decided where it is stored.
 *
 * @throws {RefusedResponse}
 */
export async function verifyAssertion(
  { id, response }: AuthenticationResponseJSON,
  passkey: Pick<Passkey, 'publicKey' | 'isSynced'>,
  { rp, clientData, needsVerification }: Signed & { needsVerification: boolean },
): Promise<AuthenticatorData> {
  const data = Buffer.from(response.authenticatorData, 'base64url')
  const said = readAuthenticatorData(data, { domain: rp.domain, needsVerification })
  if (said.isSynced !== passkey.isSynced)
    throw new RefusedResponse('The authenticator contradicts what it said when the passkey was created.')
  // Loaded at the first use, because it takes a third of a second, and most servers start without it.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: response.clientDataJSON,
        authenticatorData: response.authenticatorData,
        signature: response.signature,
      },
    },
    expectedChallenge: clientData.challenge,
    expectedOrigin: clientData.origin,
    expectedRPID: rp.domain,
    requireUserVerification: needsVerification,
    credential: { id, publicKey: Uint8Array.from(passkey.publicKey), counter: 0 },
  }).catch(refused)
  if (!verified) throw new RefusedResponse('The signature is wrong.')
  return said
}

/** A passkey that an authenticator has created. */
export type CreatedPasskey = AuthenticatorData & { credentialId: Uint8Array; publicKey: Uint8Array }

/**
 * Reads a new passkey (WebAuthn, section 7.1). Ignores the attestation: its certificates are chosen by the client, and their
 * verification would request URLs in them.
 *
 * @throws {RefusedResponse}
 */
export async function verifyRegistration(
  { id, response }: RegistrationResponseJSON,
  { rp, clientData }: Signed,
): Promise<CreatedPasskey> {
  const { authData, attestationObject } = await withoutAttestation(response.attestationObject)
  const said = readAuthenticatorData(authData, { domain: rp.domain, needsVerification: false })
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: response.clientDataJSON, attestationObject },
    },
    expectedChallenge: clientData.challenge,
    expectedOrigin: clientData.origin,
    expectedRPID: rp.domain,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch(refused)
  if (!registrationInfo) throw new RefusedResponse('The authenticator has created no passkey.')
  const { credential } = registrationInfo
  const credentialId = Buffer.from(credential.id, 'base64url')
  if (!credentialId.equals(Buffer.from(id, 'base64url')) || credentialId.length > maxCredentialIdBytes)
    throw new RefusedResponse('The ID of the credential is not that of the passkey.')
  if (credential.publicKey.length > maxPublicKeyBytes)
    throw new RefusedResponse('The public key is too long.')
  return { ...said, credentialId, publicKey: credential.publicKey }
}

/** Returns whether a COSE key is one that a registration accepts. */
export async function isAcceptedKey(publicKey: Uint8Array) {
  const { decodeCredentialPublicKey, cose } = await import('@simplewebauthn/server/helpers')
  try {
    const algorithm = decodeCredentialPublicKey(Uint8Array.from(publicKey)).get(cose.COSEKEYS.alg)
    return publicKey.length <= maxPublicKeyBytes && algorithms.includes(Number(algorithm))
  } catch {
    return false
  }
}

async function withoutAttestation(attestationObject: string) {
  const { decodeAttestationObject, isoCBOR, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  try {
    const bytes = Uint8Array.from(Buffer.from(attestationObject, 'base64url'))
    const authData = Uint8Array.from(decodeAttestationObject(bytes).get('authData'))
    const none = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return { authData, attestationObject: isoBase64URL.fromBuffer(isoCBOR.encode(none as never)) }
  } catch (error) {
    return refused(error)
  }
}

function refused(error: unknown): never {
  throw new RefusedResponse('The response of the authenticator is not valid.', { cause: error })
}
