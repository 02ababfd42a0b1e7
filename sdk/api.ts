// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api); not for editing.

/** The token that carries a user’s later requests. */
export interface AccessToken {
  /**
   * JWT (RFC 9068) to send as `Authorization: Bearer …`.
   *
   * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.c2ln
   */
  jwt: string
  /**
   * Lifetime of the token in seconds, from now.
   *
   * @example 3600
   */
  maxAge: number
  /** The only kind there is. */
  type: 'ACCESS_TOKEN'
}

/** A sign-up. */
export interface CreateUserBody {
  /**
   * Unique within the database; letter case is kept but makes no difference.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Compared after Unicode NFKC. At sign-up 8 to 256 characters unless the database says otherwise, not a common password, not the email address; no rules of composition.
   *
   * @example correct horse battery
   */
  password: string
  /**
   * Display name.
   *
   * @example Ada
   */
  preferredName?: string | undefined
  /**
   * When present, a tenant of this name is created for the user in the same request.
   *
   * @example Analytical Engines
   */
  newTenant?: string | undefined
}

/** One fault of one field of a body. */
export interface FieldError {
  /** Name of the field; empty for the body as a whole. */
  path: string
  code: FieldErrorCode
  /** The fault in words, for people. */
  detail: string
}

/** Stable code of a fault in one field. */
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

/** The credentials given at sign-up. */
export interface LoginBody {
  /**
   * Unique within the database; letter case is kept but makes no difference.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Compared after Unicode NFKC. At sign-up 8 to 256 characters unless the database says otherwise, not a common password, not the email address; no rules of composition.
   *
   * @example correct horse battery
   */
  password: string
}

/** RFC 9457 problem details. */
export interface Problem {
  /** Address of a page about this kind of problem. */
  type: string
  /** The kind of problem in words; the same for each code. */
  title: string
  /** The HTTP status of this answer. */
  status: number
  /** This occurrence in words, for people. */
  detail: string
  /** Path of the request that met the problem. */
  instance: string
  code: ProblemCode
  /** The request’s id, as in X-Request-Id and in the log. */
  requestId: string
  /** Every fault of the body, by field. */
  errors?: FieldError[] | undefined
}

/**
 * Stable code of the problem: what a client switches on.
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

/** The user who signed up or logged in, and a fresh token. */
export interface SignedInUser {
  /** Identifier of the user. */
  id: string
  /** Identifiers of the user’s tenants, in the order of joining. */
  tenants: string[]
  token: AccessToken
}

/** The user as the store has it now. */
export interface User {
  /** Identifier of the user. */
  id: string
  /**
   * As entered at sign-up.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name; null where none was given.
   *
   * @example Ada
   */
  preferredName: string | null
  /** Identifiers of the user’s tenants, in the order of joining. */
  tenants: string[]
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
}

/** The problem codes that each operation can answer with. */
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
