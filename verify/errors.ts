import type { Requirement } from './requirement.js'

const catalogue = {
  token_missing: { status: 401, message: 'No Bearer token was sent' },
  token_expired: { status: 401, message: 'The access token has expired' },
  token_invalid: { status: 401, message: 'The access token is invalid' },
  step_up_required: { status: 401, message: 'A more recent or stronger login is required' },
  own_login_required: { status: 403, message: 'The token opens only a tenant, and not the account' },
  database_not_found: { status: 503, message: 'The server that issues tokens has no such database' },
  unavailable: { status: 503, message: 'The server that issues tokens is unavailable' },
  revocations_stale: { status: 503, message: 'It is unknown whether the token was revoked' },
} as const

/**
 * Why a token was not accepted:
 *
 * - `token_missing`: no token was passed, or a header of another scheme than Bearer
 * - `token_expired`: the token was valid. The user must log in again
 * - `token_invalid`: any other token. The user must log in again
 * - `step_up_required`: the token is valid, but does not meet the options of `verify`. The user must prove again to be that user
 * - `own_login_required`: the token is valid, but single sign-on of a tenant has opened it, and the verifier does not accept such tokens
 * - `database_not_found`: `workspace` or `database` is wrong, or the database was deleted
 * - `unavailable`: the keys that would verify the token cannot be read. The token may be valid
 * - `revocations_stale`: the token may have been revoked, because revocations cannot be read. Only with `onStale: 'refuse'`
 */
export type VerifyErrorCode = keyof typeof catalogue

/** The error of a token that was not accepted. `cause` is the reason, for logs only. */
export class VerifyError extends Error {
  override name = 'VerifyError'
  readonly code: VerifyErrorCode
  /** What the token does not meet. Only of `step_up_required`. */
  readonly requirement: Requirement | undefined

  constructor(code: VerifyErrorCode, options: { cause?: unknown; requirement?: Requirement } = {}) {
    super(catalogue[code].message, options)
    this.code = code
    this.requirement = options.requirement
  }

  /** HTTP status of a response to the client. */
  get status() {
    return catalogue[this.code].status
  }

  /** Headers of a response to the client: a challenge (RFC 6750 §3, RFC 9470 §3) or Retry-After. */
  get headers(): Record<string, string> {
    if (this.status === 503) return { 'Retry-After': '5' }
    if (this.status === 403) return {}
    if (this.code === 'token_missing') return { 'WWW-Authenticate': 'Bearer' }
    const { acr, maxAuthAgeSeconds } = this.requirement ?? {}
    const isStepUp = this.code === 'step_up_required'
    const parameters = {
      error: isStepUp ? 'insufficient_user_authentication' : 'invalid_token',
      error_description: this.message,
      acr_values: acr,
      max_age: maxAuthAgeSeconds,
    }
    const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
    return { 'WWW-Authenticate': `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}` }
  }

  /** Returns the problem document (RFC 9457) of a response to the client, without `cause`. */
  toJSON() {
    const { status, code, message } = this
    const title = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Service Unavailable' }[status]
    return { type: 'about:blank', title, status, detail: message, code }
  }
}
