import type { Secrets } from '../keys/database-secrets.js'

/** Bytes of a secret: those of a key of SHA-1 (RFC 4226, section 4). */
const secretBytes = 20
const periodSeconds = 30
/** Steps before and after the current one whose codes are accepted, because clocks of phones differ. */
const window = 1

const digits = 6
const parameters = { algorithm: 'SHA1', digits, period: periodSeconds }

/** The chance that a guess is one of the codes that an app shows in the accepted steps. */
export const chanceOfGuess = (1 + 2 * window) / 10 ** digits

/**
 * Returns the secret of an enrolment. It is derived from a secret of the database, so that nothing is stored until the user has
 * proven to have it.
 *
 * @param place that of the secret of the database among those that are accepted
 */
export function secretOfEnrolment({ signAll }: Pick<Secrets, 'signAll'>, id: string, place = 0) {
  const mac = signAll('totp_secret', id)[place]
  if (mac === undefined) throw new Error('the secret of the database was retired')
  return Buffer.from(mac, 'base64url').subarray(0, secretBytes)
}

/** A label has a colon between the issuer and the account, so apps would cut an issuer at its own. */
const withoutColon = (text: string) =>
  text
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' - ')

/** Returns the secret in base32, and as a URI for a QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export async function describeSecret(secret: Buffer, { issuer, label }: { issuer: string; label: string }) {
  const totp = await totpOf(secret, { issuer: withoutColon(issuer), label })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Returns the time step of a code (RFC 6238, section 4.2), or undefined if it is not one of now. */
export async function stepOf(secret: Buffer, code: string, now: number): Promise<number | undefined> {
  const totp = await totpOf(secret)
  const delta = totp.validate({ token: code, timestamp: now, window })
  return delta === null ? undefined : Math.floor(now / 1000 / periodSeconds) + delta
}

/** Returns a secret in base32 (RFC 4648, section 6). */
export async function base32Of(secret: Buffer) {
  const { Secret } = await import('otpauth')
  return new Secret({ buffer: Uint8Array.from(secret).buffer }).base32
}

/** Returns the secret of a text in base32 without padding. */
export async function secretOfBase32(text: string) {
  const { Secret } = await import('otpauth')
  return Buffer.from(Secret.fromBase32(text).bytes)
}

async function totpOf(secret: Buffer, names: { issuer?: string; label?: string } = {}) {
  // Loaded at the first use, because most servers start without it.
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ ...parameters, ...names, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) })
}
