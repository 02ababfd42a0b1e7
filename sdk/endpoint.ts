import type { FetchInit } from './fetch.js'
import type { ErrorCode } from './schemas.js'

/** How to send the requests of an operation, and how to read their responses. */
export interface Endpoint<Code extends string = ErrorCode> {
  method: FetchInit['method']
  /** Path below that of the database, with parameters such as `{tenantId}`, which are the first arguments. */
  path: string
  hasBody?: true
  hasQuery?: true
  /** `optional`: the request is sent without a token if there is none, or if the server has rejected it. */
  needsToken?: true | 'optional'
  acceptsIdempotencyKey?: true
  /** Whether the request may be sent again after status 503 or without a response, although the server may have processed it. */
  isRepeatable?: true
  /** HTTP status of success. */
  status: number
  /** A field of every successful response, because a response may come from another service. */
  field?: string
  /**
   * Whose token the response has: that of a `login`, a `renewal` for the same user, whose sessions have ended, or that of a
   * `session`, which continues a login.
   */
  signsIn?: 'login' | 'renewal' | 'session'
  /** Which sessions of the user end: `all`, all `others`, or the `one` of the first argument. Its tokens are revoked. */
  signsOut?: 'all' | 'others' | 'one'
  codes: readonly Code[]
}
