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
  /** Whether the response has a new access token. */
  signsIn?: true
  /** Whether no token of the user is valid after a success. */
  signsOut?: true
  codes: readonly Code[]
}
