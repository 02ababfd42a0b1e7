import type { ErrorCode } from './api.js'
import type { UsherError } from './errors.js'
import type { FetchInit } from './fetch.js'

/** How to send the requests of an operation, and how to read their responses. */
export interface Endpoint {
  method: FetchInit['method']
  /** Path template with `{workspaceSlug}` and `{databaseName}`. */
  path: string
  hasBody?: true
  needsToken?: true
  acceptsIdempotencyKey?: true
  /** Whether the request may be sent again if there was no response. */
  isRepeatable?: true
  /** HTTP status of success. */
  status: number
  /** A field of every successful response, because a response may come from another service. */
  field?: string
  /** Whether the response has a new access token. */
  signsIn?: true
  codes: readonly ErrorCode[]
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, including the waits before its retries. */
  signal?: AbortSignal | undefined
}

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type Result<Data, Code extends ErrorCode> =
  | { data: Data; error: undefined }
  | { data: undefined; error: UsherError<Code> }
