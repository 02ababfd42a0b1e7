// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type { Endpoint } from './endpoint.js'
import type { Result } from './result.js'
import type {
  Accepted,
  ChangePasswordBody,
  CreateUserBody,
  DeleteMeBody,
  LoginBody,
  OpenSessionBody,
  RefreshTokenBody,
  RequestPasswordResetBody,
  ResetPasswordBody,
  Session,
  SessionList,
  SignedInUser,
  UpdateMeBody,
  User,
  VerifiedEmail,
  VerifyEmailBody,
} from './schemas.js'
import type { CallOptions } from './send.js'

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
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
      'too_many_attempts',
      'sign_up_closed',
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
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'too_many_attempts',
      'invalid_credentials',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'too_many_attempts',
      'invalid_credentials',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
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
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'code_invalid',
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

/** The operations of the API as functions. */
export interface Operations {
  /** Signs up a user in the database. With `newTenant`, also creates a tenant for the user: both are created or neither is. Requires no authentication. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<Result<SignedInUser, CreateUserErrorCode>>
  /** Returns the user with all tenants and a new access token. The response is the same for an unknown email, a wrong password and a disabled user. */
  login(body: LoginBody, options?: CallOptions): Promise<Result<SignedInUser, LoginErrorCode>>
  /** Returns the user of the access token as currently stored. If the status is 401, log in again. */
  me(options?: CallOptions): Promise<Result<User, MeErrorCode>>
  /** Send the token of a sign-up or login within 120 seconds, before you send it to any other service. A login opens one session. A user has at most 100 sessions, or fewer if the operator lowers the limit. Opening one more ends the longest unused one. This service rejects the access tokens of a session that has ended. */
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
  /** Also revokes all access tokens of the user, including that of this request. */
  endAllSessions(options?: CallOptions): Promise<Result<undefined, EndAllSessionsErrorCode>>
  /** Succeeds also if the session has ended. Does nothing to a session of another user. If it is the current session, the token of this request is rejected from then on. */
  endSessionById(
    sessionId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, EndSessionByIdErrorCode>>
  /** Changes the fields that are in the body, and returns the user. */
  updateMe(body: UpdateMeBody, options?: CallOptions): Promise<Result<User, UpdateMeErrorCode>>
  /** Ends all sessions of the user, including that of this request, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. */
  changePassword(
    body: ChangePasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ChangePasswordErrorCode>>
  /** Also deletes the user’s tenants that have no other user. This cannot be undone. */
  deleteMe(body: DeleteMeBody, options?: CallOptions): Promise<Result<undefined, DeleteMeErrorCode>>
  /** Sends a mail with a code that is valid for one hour, if an account has the address. The response is the same in any case. An address gets at most one mail a minute and five an hour. The client network and the database have limits too. */
  requestPasswordReset(
    body: RequestPasswordResetBody,
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestPasswordResetErrorCode>>
  /** Ends all sessions of the user, revokes all earlier access tokens and clears the failed logins. The address counts as verified. A code can be used once. A newer code replaces it. */
  resetPassword(
    body: ResetPasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ResetPasswordErrorCode>>
  /** Sends a mail with a code that is valid for 24 hours, unless the address is verified. The response is the same in any case. An address gets at most one mail a minute and five an hour. The client network and the database have limits too. */
  requestEmailVerification(
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestEmailVerificationErrorCode>>
  /** Needs no token unless the database requires one, because users may open the mail in another browser. If a token is sent, it must belong to the user of the code. A rejected request does not use up the code. */
  verifyEmail(
    body: VerifyEmailBody,
    options?: CallOptions,
  ): Promise<Result<VerifiedEmail, VerifyEmailErrorCode>>
}
