// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type { CallOptions, Endpoint, Result } from './operation.js'

/** Empty. It says nothing about whether a mail is sent. */
export type Accepted = { [field: string]: never }

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

/** The present password and the new one. */
export interface ChangePasswordBody {
  /**
   * The present password.
   *
   * @example correct horse battery
   */
  password: string
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  newPassword: string
}

/** The user to sign up. */
export interface CreateUserBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
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

/** The password, as confirmation. */
export interface DeleteMeBody {
  /**
   * The present password.
   *
   * @example correct horse battery
   */
  password: string
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
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
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

/** A user’s membership of a tenant. */
export interface Membership {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant. Names are not unique.
   *
   * @example Analytical Engines
   */
  name: string
  /** When the user joined the tenant (RFC 3339, UTC). */
  joinedAt: string
}

/** What is known about the session to open. */
export interface OpenSessionBody {
  /**
   * What the app calls the session in the list of sessions, such as the name of the device. Null means none.
   *
   * @example Ada’s phone
   */
  label?: string | null | undefined
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
  | 'code_invalid'
  | 'invalid_credentials'
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'session_ended'
  | 'database_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'email_taken'
  | 'session_not_opened'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'too_many_attempts'
  | 'headers_too_large'
  | 'internal_error'
  | 'unavailable'

/** Credential of a session. Never send it to any other server. */
export interface RefreshToken {
  /** Send it in the body of `refreshSession`, once: each response has the next one. */
  value: string
  /**
   * Seconds until the session ends if it is not refreshed.
   *
   * @example 1209600
   */
  maxAge: number
  /** Always `REFRESH_TOKEN`. */
  type: 'REFRESH_TOKEN'
}

/** The refresh token of a session. */
export interface RefreshTokenBody {
  /**
   * `refreshToken.value` of the last response.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  refreshToken: string
}

/** The address of the account. */
export interface RequestPasswordResetBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
}

/** The code in the mail, and the new password. */
export interface ResetPasswordBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  newPassword: string
}

/** The user, with a new access token and the next refresh token of the session. */
export interface Session {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
  refreshToken: RefreshToken
}

/** A session that has not ended. */
export interface SessionInfo {
  /** ID of the session: the `sid` claim of its tokens. */
  id: string
  /** Time of the login (RFC 3339, UTC). */
  createdAt: string
  /** Time of the last refresh (RFC 3339, UTC). */
  refreshedAt: string
  /**
   * The label given to `openSession`. Null if there was none.
   *
   * @example Ada’s phone
   */
  label: string | null
  /** Whether the token of this request belongs to it, or is that of its login. */
  current: boolean
}

/** The sessions of the user that have not ended. */
export interface SessionList {
  /** At most 100: the current one first, then the most recently refreshed. */
  sessions: SessionInfo[]
}

/** The user who signed up or logged in, with a new access token. */
export interface SignedInUser {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
}

/** The fields to change. */
export interface UpdateMeBody {
  /**
   * Display name. Null removes it; it stays as it is if this field is absent.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
}

/** The user as currently stored. */
export interface User {
  /** ID of the user. */
  id: string
  /**
   * Email address of the sign-up, in Unicode NFC.
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
  /** Whether the user has proved to receive mail at this address. */
  emailVerified: boolean
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  /** The user’s tenants, in the order of `tenants`. */
  memberships: Membership[]
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
}

/** The address that is verified now. */
export interface VerifiedEmail {
  /**
   * The verified address, as `getMe` returns it.
   *
   * @example ada@example.com
   */
  email: string
}

/** The code in the mail. */
export interface VerifyEmailBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** Endpoints of the router `users`. */
export const users = {
  createUser: {
    method: 'POST',
    path: '/users',
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
    path: '/users/login',
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
    path: '/users/me',
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

/** Endpoints of the router `sessions`. */
export const sessions = {
  openSession: {
    method: 'POST',
    path: '/users/me/session',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'session_not_opened',
    ],
  },
  refreshSession: {
    method: 'POST',
    path: '/users/session/refresh',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
      'session_ended',
    ],
  },
  endSession: {
    method: 'POST',
    path: '/users/session/end',
    hasBody: true,
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
    ],
  },
  listSessions: {
    method: 'GET',
    path: '/users/me/sessions',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'sessions',
    codes: [
      'malformed_request',
      'route_not_found',
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
  endAllSessions: {
    method: 'DELETE',
    path: '/users/me/sessions',
    needsToken: true,
    status: 204,
    signsOut: true,
    codes: [
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
    ],
  },
  endSessionById: {
    method: 'DELETE',
    path: '/users/me/sessions/',
    hasId: true,
    needsToken: true,
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `me`. */
export const me = {
  updateMe: {
    method: 'PATCH',
    path: '/users/me',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'email',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'token_missing',
      'token_invalid',
      'token_expired',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  changePassword: {
    method: 'PUT',
    path: '/users/me/password',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'token_missing',
      'token_invalid',
      'token_expired',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'invalid_credentials',
      'too_many_attempts',
    ],
  },
  deleteMe: {
    method: 'POST',
    path: '/users/me/deletion',
    hasBody: true,
    needsToken: true,
    status: 204,
    signsOut: true,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'token_missing',
      'token_invalid',
      'token_expired',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'invalid_credentials',
      'too_many_attempts',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `codes`. */
export const codes = {
  requestPasswordReset: {
    method: 'POST',
    path: '/users/password-reset',
    hasBody: true,
    status: 202,
    codes: [
      'malformed_json',
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'validation_failed',
    ],
  },
  resetPassword: {
    method: 'POST',
    path: '/users/password-reset/confirm',
    hasBody: true,
    status: 200,
    field: 'tenants',
    signsIn: true,
    codes: [
      'malformed_json',
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'validation_failed',
      'code_invalid',
    ],
  },
  requestEmailVerification: {
    method: 'POST',
    path: '/users/me/email-verification',
    needsToken: true,
    status: 202,
    codes: [
      'malformed_json',
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'token_missing',
      'token_invalid',
      'token_expired',
    ],
  },
  verifyEmail: {
    method: 'POST',
    path: '/users/email-verification',
    hasBody: true,
    needsToken: 'optional',
    status: 200,
    field: 'email',
    codes: [
      'malformed_json',
      'malformed_request',
      'route_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'validation_failed',
      'code_invalid',
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

/** Every `error.code` of `openSession`. */
export type OpenSessionErrorCode = (typeof sessions.openSession.codes)[number] | 'no_answer'

/** Every `error.code` of `refreshSession`. */
export type RefreshSessionErrorCode = (typeof sessions.refreshSession.codes)[number] | 'no_answer'

/** Every `error.code` of `endSession`. */
export type EndSessionErrorCode = (typeof sessions.endSession.codes)[number] | 'no_answer'

/** Every `error.code` of `listSessions`. */
export type ListSessionsErrorCode = (typeof sessions.listSessions.codes)[number] | 'no_answer'

/** Every `error.code` of `endAllSessions`. */
export type EndAllSessionsErrorCode = (typeof sessions.endAllSessions.codes)[number] | 'no_answer'

/** Every `error.code` of `endSessionById`. */
export type EndSessionByIdErrorCode = (typeof sessions.endSessionById.codes)[number] | 'no_answer'

/** Every `error.code` of `updateMe`. */
export type UpdateMeErrorCode = (typeof me.updateMe.codes)[number] | 'no_answer'

/** Every `error.code` of `changePassword`. */
export type ChangePasswordErrorCode = (typeof me.changePassword.codes)[number] | 'no_answer'

/** Every `error.code` of `deleteMe`. */
export type DeleteMeErrorCode = (typeof me.deleteMe.codes)[number] | 'no_answer'

/** Every `error.code` of `requestPasswordReset`. */
export type RequestPasswordResetErrorCode = (typeof codes.requestPasswordReset.codes)[number] | 'no_answer'

/** Every `error.code` of `resetPassword`. */
export type ResetPasswordErrorCode = (typeof codes.resetPassword.codes)[number] | 'no_answer'

/** Every `error.code` of `requestEmailVerification`. */
export type RequestEmailVerificationErrorCode =
  | (typeof codes.requestEmailVerification.codes)[number]
  | 'no_answer'

/** Every `error.code` of `verifyEmail`. */
export type VerifyEmailErrorCode = (typeof codes.verifyEmail.codes)[number] | 'no_answer'

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
  /** Access token is invalid. Log in again. The token was altered, revoked or issued by another database, its session has ended, or its user was disabled or deleted. */
  token_invalid: string
  /** Access token has expired. Log in again. A token is valid for `maxAge` seconds. */
  token_expired: string
  /** Route not found. Check the path against the API reference. */
  route_not_found: string
  /** No session can be opened with this token. Log in again and open the session within 120 seconds. A login opens one session. */
  session_not_opened: string
  /** Session has ended. Log in again. The refresh token is unknown, was used before, or its session was ended or has expired. */
  session_ended: string
  /** Code is invalid. The code is unknown, used, expired or of another user. Request a new one. */
  code_invalid: string
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
  /** Send the token of a sign-up or login within 120 seconds, before anyone else gets it. A login opens one session. A user has at most 100 unless the operator allows fewer: opening another one ends the longest unused one. Its access tokens are refused by this service once the session has ended. */
  openSession(
    body?: OpenSessionBody | undefined,
    options?: CallOptions,
  ): Promise<Result<Session, OpenSessionErrorCode>>
  /** Returns a new access token and the next refresh token. Repeating the request within 30 seconds returns the same refresh token. Using a refresh token again later ends the session for everyone who has it. */
  refreshSession(
    body: RefreshTokenBody,
    options?: CallOptions,
  ): Promise<Result<Session, RefreshSessionErrorCode>>
  /** Succeeds also if the session has ended or never existed. */
  endSession(body: RefreshTokenBody, options?: CallOptions): Promise<Result<undefined, EndSessionErrorCode>>
  /** Returns the sessions that have not ended. */
  listSessions(options?: CallOptions): Promise<Result<SessionList, ListSessionsErrorCode>>
  /** Also refuses all access tokens that the user has, including that of this request. */
  endAllSessions(options?: CallOptions): Promise<Result<undefined, EndAllSessionsErrorCode>>
  /** Succeeds also if the session has ended. Does nothing to a session of another user. The current session may end too, which refuses the token of this request. */
  endSessionById(
    sessionId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, EndSessionByIdErrorCode>>
  /** Changes the fields that the body has, and returns the user. */
  updateMe(body: UpdateMeBody, options?: CallOptions): Promise<Result<User, UpdateMeErrorCode>>
  /** Ends every session, also that of the request, and refuses all earlier access tokens. Use the returned one, which belongs to no session: it can open a new one. */
  changePassword(
    body: ChangePasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ChangePasswordErrorCode>>
  /** Also deletes those of the user’s tenants that have no other user. This cannot be undone. */
  deleteMe(body: DeleteMeBody, options?: CallOptions): Promise<Result<undefined, DeleteMeErrorCode>>
  /** Sends a mail with a code that is valid for one hour, if an account has the address. The response is the same in any case. An address gets at most one mail a minute and five an hour; its client network and its database have limits too. */
  requestPasswordReset(
    body: RequestPasswordResetBody,
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestPasswordResetErrorCode>>
  /** Ends all sessions of the user, refuses all earlier access tokens and clears the failed logins. The address counts as verified. A code can be used once, and a newer one replaces it. */
  resetPassword(
    body: ResetPasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ResetPasswordErrorCode>>
  /** Sends a mail with a code that is valid for 24 hours, unless the address is verified. An address gets at most one mail a minute and five an hour; its client network and its database have limits too. The response is the same in any case. */
  requestEmailVerification(
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestEmailVerificationErrorCode>>
  /** Needs no token, because the mail may be opened in another browser than the one that signed up, unless the database demands one. A token that is sent must be of the user of the code. A refused request does not use the code up. */
  verifyEmail(
    body: VerifyEmailBody,
    options?: CallOptions,
  ): Promise<Result<VerifiedEmail, VerifyEmailErrorCode>>
}
