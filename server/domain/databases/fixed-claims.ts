import { hasExactNumbers, inexact } from '@usher/contract'
import { z } from 'zod'
import type { JsonObject } from '../../store/store.js'

/**
 * Claims that only Usher sets: those that RFC 7519 §4.1 registers, its own, and those of OAuth and OpenID Connect that it may set later
 * (RFC 8693 §4, RFC 7800 §3.1, OpenID Connect Core §2). A fixed claim with such a name would then change its meaning.
 */
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
  'tenant_roles',
  'tenants_version',
  'sid',
  'auth_time',
  'acr',
  'amr',
  'email_verified',
  'scope',
  'act',
  'nonce',
  'azp',
  'cnf',
]

/** Every request carries the claims in a header, of which servers accept 8 to 16 KiB. */
const maxBytes = 1_024

/** Claims of every token of a database. */
export const fixedClaims = z
  .looseObject({}, 'must be a JSON object, such as {"role":"authenticated"}')
  .transform((claims, { addIssue }) => {
    const problem = problemOf(claims)
    if (problem) addIssue(problem)
    return claims as JsonObject
  })

function problemOf(claims: object) {
  const reserved = Object.keys(claims).find((name) => reservedClaims.includes(name))
  if (reserved) return `must not contain ${reserved}, which is reserved for Usher`
  const json = JSON.stringify(claims)
  if (Buffer.byteLength(json) > maxBytes) return `must have at most ${maxBytes} bytes`
  if (!hasExactNumbers(claims)) return inexact
  // Postgres stores neither NUL nor lone surrogates.
  return /\\u(?:0000|d[89a-f])/.test(json) ? 'must not contain NUL or lone surrogates' : undefined
}
