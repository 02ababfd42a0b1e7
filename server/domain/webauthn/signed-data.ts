import { createHash } from 'node:crypto'
import type { RelyingParty } from '../databases/relying-party.js'
import { Problem } from '../problem.js'

// The checks that decide, before a library verifies the signature: WebAuthn Level 3, sections 7.1 and 7.2.

/** A response of an authenticator breaks a rule. Its message is shown to the client. */
export class RefusedResponse extends Error {}

/** What the browser has signed. */
export interface ClientData {
  challenge: string
  origin: string
}

/**
 * Returns what the browser has signed, after checking what it was asked to do, its origin, and that the page was in no frame of
 * another site.
 *
 * @param text `clientDataJSON` as base64url
 * @throws {RefusedResponse}
 */
export function readClientData(
  text: string,
  { type, origins }: Pick<RelyingParty, 'origins'> & { type: 'webauthn.create' | 'webauthn.get' },
): ClientData {
  const data = objectOf(Buffer.from(text, 'base64url'))
  const { challenge, origin } = data
  if (data.type !== type) throw new RefusedResponse(`The browser has not signed for ${type}.`)
  if (typeof challenge !== 'string' || typeof origin !== 'string')
    throw new RefusedResponse('The client data has no challenge or no origin.')
  if (!origins.includes(origin))
    throw new RefusedResponse(
      `The origin ${quoted(origin)} is not one of the passkey origins of the database.`,
    )
  // A browser that omits it does not know frames of other sites.
  if ((data.crossOrigin !== undefined && data.crossOrigin !== false) || data.topOrigin !== undefined)
    throw new RefusedResponse('The page was in a frame of another site.')
  return { challenge, origin }
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200))

function objectOf(bytes: Buffer): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Below.
  }
  throw new RefusedResponse('The client data is no JSON object.')
}

const flags = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10 }

/** What the authenticator says of itself. */
export interface AuthenticatorData {
  isUserVerified: boolean
  /** Whether other devices can have the passkey. */
  isSynced: boolean
  signCount: number
}

/**
 * Returns what the authenticator says of itself, after checking the domain, and that somebody was there (WebAuthn, section 6.1).
 *
 * @throws {RefusedResponse}
 */
export function readAuthenticatorData(
  data: Uint8Array,
  { domain, needsVerification }: Pick<RelyingParty, 'domain'> & { needsVerification: boolean },
): AuthenticatorData {
  const bytes = Buffer.from(data)
  if (bytes.length < 37) throw new RefusedResponse('The authenticator data is too short.')
  if (!createHash('sha256').update(domain).digest().equals(bytes.subarray(0, 32)))
    throw new RefusedResponse('The passkey is of another domain.')
  const has = (flag: number) => ((bytes[32] as number) & flag) !== 0
  if (!has(flags.userPresent)) throw new RefusedResponse('Nobody was at the authenticator.')
  if (needsVerification && !has(flags.userVerified))
    throw new RefusedResponse('The authenticator has not verified its user.')
  if (has(flags.backedUp) && !has(flags.backupEligible))
    throw new RefusedResponse('The flags of the authenticator contradict each other.')
  return {
    isUserVerified: has(flags.userVerified),
    isSynced: has(flags.backupEligible),
    signCount: bytes.readUInt32BE(33),
  }
}

/** Returns a handler that turns a refused response of an authenticator into a problem. */
export const ifRefused =
  (code: 'passkey_invalid' | 'second_factor_invalid' = 'passkey_invalid') =>
  (error: unknown): never => {
    throw error instanceof RefusedResponse
      ? new Problem(code, { cause: error, detail: error.message })
      : error
  }
