import type { JsonObject } from '../../../store/store.js'
import { UsageError } from '../operator-error.js'

/** Claims that only Usher sets: those that RFC 7519 §4.1 registers, and its own. */
const reservedClaims = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'gen',
  'client_id',
  'tenants',
  'sid',
  'auth_time',
  'email_verified',
]

/** Every request carries the claims in a header, of which servers accept 8 to 16 KiB. */
const maxBytes = 1_024

/** Returns the fixed claims of a JSON object. @throws {UsageError} if it is not one, or has a claim that Usher sets */
export function parseFixedClaims(text: string): JsonObject {
  const claims = parseJson(text)
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new UsageError('--claims must be a JSON object, such as {"role":"authenticated"}')
  }
  const reserved = Object.keys(claims).find((name) => reservedClaims.includes(name))
  if (reserved) throw new UsageError(`--claims must not contain ${reserved}, which Usher sets`)
  const json = JSON.stringify(claims)
  if (Buffer.byteLength(json) > maxBytes) throw new UsageError(`--claims must have at most ${maxBytes} bytes`)
  // Postgres stores neither NUL nor lone surrogates.
  if (/\\u(?:0000|d[89a-f])/.test(json))
    throw new UsageError('--claims must not contain NUL or lone surrogates')
  return claims as JsonObject
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
