// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

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

/** The problem codes of each operation. */
export const problemCodes = {
  createUser: [
    'malformed_json',
    'validation_failed',
    'malformed_request',
    'database_not_found',
    'request_timeout',
    'email_taken',
    'payload_too_large',
    'unsupported_media_type',
    'idempotency_key_reused',
    'too_many_attempts',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ],
  login: [
    'malformed_json',
    'validation_failed',
    'malformed_request',
    'invalid_credentials',
    'database_not_found',
    'request_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'too_many_attempts',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ],
  me: [
    'malformed_request',
    'token_missing',
    'token_invalid',
    'token_expired',
    'database_not_found',
    'request_timeout',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ],
} as const

/** Every `error.code` of `createUser`. */
export type CreateUserErrorCode = (typeof problemCodes.createUser)[number] | 'no_answer'

/** Every `error.code` of `login`. */
export type LoginErrorCode = (typeof problemCodes.login)[number] | 'no_answer'

/** Every `error.code` of `me`. */
export type MeErrorCode = (typeof problemCodes.me)[number] | 'no_answer'
