// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type { CallOptions, Endpoint, Result } from './operation.js'

/** Access token for later requests of the user. */
export interface AccessToken {
  /** JWT (RFC 9068) to send as `Authorization: Bearer …`. */
  jwt: string
  /**
   * Lifetime of the token in seconds.
   *
   * @example 3600
   */
  maxAge: number
  /** Always `ACCESS_TOKEN`. */
  type: 'ACCESS_TOKEN'
}

/** The user to sign up. */
export interface CreateUserBody {
  /**
   * Unique within the database. Compared case-insensitively, stored as entered.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  password: string
  /**
   * Display name. Null means none.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Name of a tenant to create for the user in the same request. Null means none.
   *
   * @example Analytical Engines
   */
  newTenant?: string | null | undefined
}

/** What is wrong with one field of a request. */
export interface FieldError {
  /** Name of the field. Empty if the error concerns the whole body. */
  path: string
  code: FieldErrorCode
  /** Human-readable explanation of the error. */
  detail: string
  /** Smallest number of characters. Present if `code` is `too_short`. */
  min?: number | undefined
  /** Largest number of characters. Present if `code` is `too_long`. */
  max?: number | undefined
}

/** Stable code of a field error. Treat an unknown code as an invalid field. */
export type FieldErrorCode =
  | 'required'
  | 'invalid_type'
  | 'blank'
  | 'too_short'
  | 'too_long'
  | 'invalid_character'
  | 'email_invalid'
  | 'password_too_common'
  | 'password_is_email'

/** The email and the password given at sign-up. */
export interface LoginBody {
  /**
   * Unique within the database. Compared case-insensitively, stored as entered.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Compared after Unicode NFKC normalization.
   *
   * @example correct horse battery
   */
  password: string
}

/** Slug of a workspace or name of a database. */
export type PathName = string

/** Problem details (RFC 9457). */
export interface Problem {
  /** URL of a page that describes the problem type. */
  type: string
  /** Summary of the problem type. Always the same for a `code`. */
  title: string
  /** HTTP status of the response. */
  status: number
  /** Human-readable explanation of this occurrence. */
  detail: string
  /** Path of the request. */
  instance: string
  code: ProblemCode
  /** ID of the request, as in the `X-Request-Id` header and in the server’s log. */
  requestId: string
  /** The errors of each field. Present if `code` is `validation_failed`. */
  errors?: FieldError[] | undefined
}

/**
 * Stable, machine-readable code of the problem. Treat an unknown code by its status.
 *
 * @example email_taken
 */
export type ProblemCode =
  | 'malformed_request'
  | 'malformed_json'
  | 'validation_failed'
  | 'invalid_credentials'
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'database_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'email_taken'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'too_many_attempts'
  | 'headers_too_large'
  | 'internal_error'
  | 'unavailable'

/** The user who signed up or logged in, with a new access token. */
export interface SignedInUser {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
}

/** The user as currently stored. */
export interface User {
  /** ID of the user. */
  id: string
  /**
   * Email address as entered at sign-up.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name, or null if none was given.
   *
   * @example Ada
   */
  preferredName: string | null
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
}

/** Endpoints of the router `users`. */
export const users = {
  createUser: {
    method: 'POST',
    path: '/workspaces/{workspaceSlug}/databases/{databaseName}/users',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'email_taken',
      'idempotency_key_reused',
    ],
  },
  login: {
    method: 'POST',
    path: '/workspaces/{workspaceSlug}/databases/{databaseName}/users/login',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'invalid_credentials',
    ],
  },
  me: {
    method: 'GET',
    path: '/workspaces/{workspaceSlug}/databases/{databaseName}/users/me',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'email',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'token_missing',
      'token_invalid',
      'token_expired',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Every `error.code` of `createUser`. */
export type CreateUserErrorCode = (typeof users.createUser.codes)[number] | 'no_answer'

/** Every `error.code` of `login`. */
export type LoginErrorCode = (typeof users.login.codes)[number] | 'no_answer'

/** Every `error.code` of `me`. */
export type MeErrorCode = (typeof users.me.codes)[number] | 'no_answer'

/** A message for each `error.code`, such as a translation. */
export interface ErrorMessages {
  /** Request body is not valid JSON. Send one JSON document, encoded as UTF-8. */
  malformed_json: string
  /** Request body validation failed. Fix each field listed in `errors` and send the request again. */
  validation_failed: string
  /** Malformed HTTP request. Send the request with an HTTP client library. */
  malformed_request: string
  /** Database not found. Check the workspace slug and the database name in the path. Both are case-sensitive. */
  database_not_found: string
  /** Request timed out. The server did not receive the whole request in time. Send the request again. */
  request_timeout: string
  /** Email address is already in use. Log in, or sign up with another email address. */
  email_taken: string
  /** Request body is too large. Send at most 16 KiB. */
  payload_too_large: string
  /** Unsupported media type. Send JSON with `Content-Type: application/json` and without `Content-Encoding`. */
  unsupported_media_type: string
  /** Idempotency-Key was already used for a different sign-up. Generate a new key for each sign-up. Reuse a key only to retry the same sign-up. */
  idempotency_key_reused: string
  /** Too many failed attempts. Wait for the number of seconds in `Retry-After` before the next attempt. */
  too_many_attempts: string
  /** Request headers are too large. Send less than 16 KiB of headers. */
  headers_too_large: string
  /** Internal server error. Report the `requestId` to the operator of the service. */
  internal_error: string
  /** Service temporarily unavailable. Wait for the number of seconds in `Retry-After`, then send the request again. */
  unavailable: string
  /** Invalid email or password. Ask the user for both again. The response does not reveal which one is wrong or whether the account exists. */
  invalid_credentials: string
  /** Access token is missing. Log in, and send `token.jwt` from the response as a Bearer token in the `Authorization` header. */
  token_missing: string
  /** Access token is invalid. Log in again. The token was altered, revoked or issued by another database, or its user was disabled or deleted. */
  token_invalid: string
  /** Access token has expired. Log in again. A token is valid for `maxAge` seconds. */
  token_expired: string
  /** There was no response from Usher. `cause` has the reason. Try again later. */
  no_answer: string
}

/** Every `error.code` of every operation. */
export type ErrorCode = keyof ErrorMessages

/** The operations of the API as functions. */
export interface Operations {
  /** Signs up a user in the database. With `newTenant`, also creates a tenant for the user: both are created or neither is. Requires no authentication. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<Result<SignedInUser, CreateUserErrorCode>>
  /** Returns the user with all tenants and a new access token. The response is the same for an unknown email, a wrong password and a disabled user. */
  login(body: LoginBody, options?: CallOptions): Promise<Result<SignedInUser, LoginErrorCode>>
  /** Returns the user of the access token as currently stored. If the status is 401, log in again. */
  me(options?: CallOptions): Promise<Result<User, MeErrorCode>>
}
