const catalogue = {
  token_missing: { status: 401, message: 'No Bearer token was sent' },
  token_expired: { status: 401, message: 'The access token has expired' },
  token_invalid: { status: 401, message: 'The access token is invalid' },
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
 * - `database_not_found`: `workspace` or `database` is wrong, or the database was deleted
 * - `unavailable`: the keys that would verify the token cannot be read. The token may be valid
 * - `revocations_stale`: the token may have been revoked, because revocations cannot be read. Only with `onStale: 'refuse'`
 */
export type VerifyErrorCode = keyof typeof catalogue

/** The error of a token that was not accepted. `cause` is the reason, for logs only. */
export class VerifyError extends Error {
  override name = 'VerifyError'
  readonly code: VerifyErrorCode

  constructor(code: VerifyErrorCode, options?: { cause?: unknown }) {
    super(catalogue[code].message, options)
    this.code = code
  }

  /** HTTP status of a response to the client. */
  get status() {
    return catalogue[this.code].status
  }

  /** Headers of a response to the client: a challenge (RFC 6750 §3) or Retry-After. */
  get headers(): Record<string, string> {
    if (this.status === 503) return { 'Retry-After': '5' }
    const reason = `error="invalid_token", error_description="${this.message}"`
    return { 'WWW-Authenticate': this.code === 'token_missing' ? 'Bearer' : `Bearer ${reason}` }
  }

  /** Returns the problem document (RFC 9457) of a response to the client, without `cause`. */
  toJSON() {
    const { status, code, message } = this
    const title = status === 401 ? 'Unauthorized' : 'Service Unavailable'
    return { type: 'about:blank', title, status, detail: message, code }
  }
}
