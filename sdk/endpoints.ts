// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type { Endpoint } from './endpoint.js'
import type { Result } from './result.js'
import type {
  Accepted,
  AcceptedInvitation,
  AcceptInvitationBody,
  AddedFactor,
  AddPasskeyBody,
  AddSsoConnectionBody,
  AddSsoDomainBody,
  AddTenantProofBody,
  AddTotpBody,
  BegunPasskeyLogin,
  BegunStepUp,
  ChangedEmail,
  ChangeEmailBody,
  ChangeMemberBody,
  ChangePasswordBody,
  ChangeSsoBody,
  ChangeSsoConnectionBody,
  ConfirmationBody,
  ConfirmedUser,
  ConnectionList,
  CreateTenantBody,
  CreateUserBody,
  DeleteMeBody,
  EnrolledPasskey,
  EnrolledTotp,
  EnrolPasskeyBody,
  EnrolTotpBody,
  ExternalLogin,
  Factor,
  FactorList,
  Features,
  FinishedLogin,
  FinishLoginBody,
  Identity,
  IdentityList,
  Invitation,
  InvitationDetails,
  InviteMemberBody,
  LinkIdentityBody,
  ListMembersQuery,
  ListSsoEntriesQuery,
  LoginBody,
  LoginRoute,
  LoginWithIdTokenBody,
  LoginWithPasskeyBody,
  Member,
  MemberList,
  OpenedSsoPortal,
  OpenSessionBody,
  OpenSsoPortalBody,
  PendingInvitations,
  ReadInvitationBody,
  RecoveryCodes,
  RefreshTokenBody,
  RenameFactorBody,
  RequestEmailChangeBody,
  RequestLoginCodeBody,
  RequestPasswordResetBody,
  ResetPasswordBody,
  RouteLoginBody,
  Session,
  SessionList,
  SetSecondFactorBody,
  SignedInUser,
  Sso,
  SsoConnection,
  SsoDomain,
  SsoEntryList,
  StartedLogin,
  StartLoginBody,
  StepUpBody,
  Tenant,
  UndoEmailChangeBody,
  UnlinkIdentityBody,
  UpdateMeBody,
  UpdateTenantBody,
  User,
  VerifiedEmail,
  VerifyEmailBody,
  VerifySecondFactorBody,
} from './schemas.js'
import type { CallOptions, ConfirmOptions } from './send.js'

/** Endpoints of the router `users`. */
export const users = {
  createUser: {
    method: 'POST',
    path: '/users',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'tenants',
    signsIn: 'login',
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
      'code_invalid',
      'second_factor_required',
      'enrolment_required',
      'email_taken',
      'invitation_for_other_address',
      'seats_full',
      'sign_up_closed',
      'sign_up_refused',
      'too_many_sign_ups',
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
    signsIn: 'login',
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
      'second_factor_required',
      'enrolment_required',
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

/** Endpoints of the router `logins`. */
export const logins = {
  requestLoginCode: {
    method: 'POST',
    path: '/users/login/code',
    hasBody: true,
    isRepeatable: true,
    status: 202,
    field: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  finishLogin: {
    method: 'POST',
    path: '/users/login/finish',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    signsIn: 'login',
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
      'code_invalid',
      'email_not_verified',
      'second_factor_invalid',
      'second_factor_required',
      'enrolment_required',
      'email_taken',
      'invitation_for_other_address',
      'seats_full',
      'sign_up_closed',
      'sign_up_refused',
      'login_refused',
      'not_member',
      'account_exists',
      'too_many_sign_ups',
      'membership_ended',
      'second_factor_missing',
      'account_missing',
      'email_not_proven',
    ],
  },
  addTenantProof: {
    method: 'POST',
    path: '/users/me/tenant-proofs',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    signsIn: 'session',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'step_up_required',
      'code_invalid',
      'not_member',
      'account_exists',
      'identity_taken',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `connections`. */
export const connections = {
  listConnections: {
    method: 'GET',
    path: '/connections',
    isRepeatable: true,
    status: 200,
    field: 'connections',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  startLogin: {
    method: 'POST',
    path: '/users/login/start',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'login',
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
      'connection_not_found',
      'provider_unavailable',
    ],
  },
  loginWithIdToken: {
    method: 'POST',
    path: '/users/login/id-token',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    signsIn: 'login',
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
      'code_invalid',
      'email_not_verified',
      'second_factor_invalid',
      'second_factor_required',
      'enrolment_required',
      'connection_not_found',
      'email_taken',
      'invitation_for_other_address',
      'seats_full',
      'sign_up_closed',
      'sign_up_refused',
      'login_refused',
      'not_member',
      'account_exists',
      'too_many_sign_ups',
      'membership_ended',
      'second_factor_missing',
      'account_missing',
      'email_not_proven',
      'provider_unavailable',
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
    signsIn: 'session',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
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
    signsIn: 'session',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
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
      'own_login_required',
    ],
  },
  endAllSessions: {
    method: 'DELETE',
    path: '/users/me/sessions',
    needsToken: true,
    status: 204,
    signsOut: 'all',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
    ],
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/users/me/sessions/others',
    needsToken: true,
    status: 204,
    signsOut: 'others',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'session_required',
    ],
  },
  endSessionById: {
    method: 'DELETE',
    path: '/users/me/sessions/{sessionId}',
    needsToken: true,
    isRepeatable: true,
    status: 204,
    signsOut: 'one',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
    ],
  },
  changePassword: {
    method: 'PUT',
    path: '/users/me/password',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: 'renewal',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
    ],
  },
  deleteMe: {
    method: 'POST',
    path: '/users/me/deletion',
    hasBody: true,
    needsToken: true,
    status: 204,
    signsOut: 'all',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
      'last_owner',
      'email_recently_changed',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `identities`. */
export const identities = {
  listIdentities: {
    method: 'GET',
    path: '/users/me/identities',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'identities',
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
      'own_login_required',
    ],
  },
  linkIdentity: {
    method: 'POST',
    path: '/users/me/identities',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'connection',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'code_invalid',
      'recent_login_required',
      'identity_taken',
      'already_linked',
    ],
  },
  unlinkIdentity: {
    method: 'POST',
    path: '/users/me/identities/{identityId}/removal',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: 'renewal',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
      'last_login_method',
      'identity_not_found',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `factors`. */
export const factors = {
  verifySecondFactor: {
    method: 'POST',
    path: '/users/login/second-factor',
    hasBody: true,
    status: 200,
    field: 'tenants',
    signsIn: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'challenge_invalid',
      'second_factor_invalid',
    ],
  },
  beginStepUp: {
    method: 'POST',
    path: '/users/me/step-up/begin',
    needsToken: true,
    status: 200,
    field: 'methods',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
    ],
  },
  stepUp: {
    method: 'POST',
    path: '/users/me/step-up',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: 'session',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'recent_login_required',
      'second_factor_invalid',
    ],
  },
  listFactors: {
    method: 'GET',
    path: '/users/me/factors',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'factors',
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
      'own_login_required',
    ],
  },
  enrolTotp: {
    method: 'POST',
    path: '/users/me/factors/totp',
    hasBody: true,
    needsToken: 'optional',
    status: 200,
    field: 'challenge',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
      'email_not_verified',
      'challenge_invalid',
      'factors_full',
    ],
  },
  addTotp: {
    method: 'POST',
    path: '/users/me/factors/totp/confirm',
    hasBody: true,
    needsToken: 'optional',
    status: 201,
    field: 'tenants',
    signsIn: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'email_not_verified',
      'challenge_invalid',
      'second_factor_invalid',
    ],
  },
  renameFactor: {
    method: 'PATCH',
    path: '/users/me/factors/{factorId}',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'kind',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'factor_not_found',
    ],
  },
  removeFactor: {
    method: 'POST',
    path: '/users/me/factors/{factorId}/removal',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: 'renewal',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'step_up_required',
      'factor_needed',
      'factor_not_found',
      'last_login_method',
    ],
  },
  setSecondFactor: {
    method: 'PUT',
    path: '/users/me/second-factor',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenants',
    signsIn: 'renewal',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'step_up_required',
      'factor_needed',
    ],
  },
  createRecoveryCodes: {
    method: 'POST',
    path: '/users/me/recovery-codes',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'codes',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'step_up_required',
      'factor_needed',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `passkeys`. */
export const passkeys = {
  beginPasskeyLogin: {
    method: 'POST',
    path: '/users/login/passkey',
    status: 200,
    field: 'options',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  loginWithPasskey: {
    method: 'POST',
    path: '/users/login/passkey/confirm',
    hasBody: true,
    status: 200,
    field: 'tenants',
    signsIn: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'challenge_invalid',
      'login_refused',
      'passkey_invalid',
      'passkey_unknown',
    ],
  },
  enrolPasskey: {
    method: 'POST',
    path: '/users/me/factors/passkey',
    hasBody: true,
    needsToken: 'optional',
    status: 200,
    field: 'options',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
      'email_not_verified',
      'challenge_invalid',
      'factors_full',
    ],
  },
  addPasskey: {
    method: 'POST',
    path: '/users/me/factors/passkey/confirm',
    hasBody: true,
    needsToken: 'optional',
    status: 201,
    field: 'tenants',
    signsIn: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'email_not_verified',
      'challenge_invalid',
      'passkey_invalid',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `codes`. */
export const codes = {
  requestPasswordReset: {
    method: 'POST',
    path: '/users/password-reset',
    hasBody: true,
    isRepeatable: true,
    status: 202,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  resetPassword: {
    method: 'POST',
    path: '/users/password-reset/confirm',
    hasBody: true,
    status: 200,
    field: 'tenants',
    signsIn: 'login',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'code_invalid',
      'second_factor_invalid',
      'second_factor_required',
      'enrolment_required',
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
      'route_not_found',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_mails',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'code_invalid',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `emailChange`. */
export const emailChange = {
  requestEmailChange: {
    method: 'POST',
    path: '/users/me/email',
    hasBody: true,
    needsToken: true,
    status: 202,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'step_up_required',
      'recent_login_required',
      'too_many_mails',
    ],
  },
  changeEmail: {
    method: 'POST',
    path: '/users/email-change/confirm',
    hasBody: true,
    status: 200,
    field: 'email',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'code_invalid',
      'email_taken',
    ],
  },
  undoEmailChange: {
    method: 'POST',
    path: '/users/email-change/undo',
    hasBody: true,
    status: 200,
    field: 'email',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'code_invalid',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `tenants`. */
export const tenants = {
  createTenant: {
    method: 'POST',
    path: '/tenants',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'name',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'tenants_full',
    ],
  },
  tenant: {
    method: 'GET',
    path: '/tenants/{tenantId}',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
    ],
  },
  updateTenant: {
    method: 'PATCH',
    path: '/tenants/{tenantId}',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
    ],
  },
  deleteTenant: {
    method: 'DELETE',
    path: '/tenants/{tenantId}',
    needsToken: true,
    status: 204,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
      'too_many_changes',
    ],
  },
  listMembers: {
    method: 'GET',
    path: '/tenants/{tenantId}/members',
    hasQuery: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'members',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
    ],
  },
  changeMember: {
    method: 'PATCH',
    path: '/tenants/{tenantId}/members/{userId}',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
      'too_many_changes',
      'last_owner',
      'member_not_found',
    ],
  },
  removeMember: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/members/{userId}',
    needsToken: true,
    status: 204,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
      'too_many_changes',
      'last_owner',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `invitations`. */
export const invitations = {
  inviteMember: {
    method: 'POST',
    path: '/tenants/{tenantId}/invitations',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'email',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
      'email_not_verified',
      'already_member',
      'invitations_full',
      'too_many_invitations',
    ],
  },
  listInvitations: {
    method: 'GET',
    path: '/tenants/{tenantId}/invitations',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'invitations',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
    ],
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/invitations/{invitationId}',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'tenant_not_found',
      'role_insufficient',
    ],
  },
  readInvitation: {
    method: 'POST',
    path: '/invitations/read',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'tenantName',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'code_invalid',
    ],
  },
  acceptInvitation: {
    method: 'POST',
    path: '/invitations/accept',
    hasBody: true,
    needsToken: true,
    status: 200,
    field: 'tenantId',
    signsIn: 'renewal',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'code_invalid',
      'email_not_verified',
      'invitation_for_other_address',
      'seats_full',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `sso`. */
export const sso = {
  sso: {
    method: 'GET',
    path: '/tenants/{tenantId}/sso',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'required',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'role_insufficient',
    ],
  },
  changeSso: {
    method: 'PATCH',
    path: '/tenants/{tenantId}/sso',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'required',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'too_many_changes',
      'sso_untested',
      'no_exempt_owner',
    ],
  },
  addSsoConnection: {
    method: 'POST',
    path: '/tenants/{tenantId}/sso/connections',
    hasBody: true,
    needsToken: true,
    status: 201,
    field: 'title',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'connection_invalid',
      'issuer_shared',
      'sso_full',
    ],
  },
  changeSsoConnection: {
    method: 'PATCH',
    path: '/tenants/{tenantId}/sso/connections/{connectionId}',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'title',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'connection_not_found',
      'connection_invalid',
      'connection_needed',
      'issuer_shared',
    ],
  },
  removeSsoConnection: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/sso/connections/{connectionId}',
    needsToken: true,
    status: 204,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'connection_needed',
    ],
  },
  checkSsoConnection: {
    method: 'POST',
    path: '/tenants/{tenantId}/sso/connections/{connectionId}/check',
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
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'role_insufficient',
      'connection_not_found',
      'connection_invalid',
    ],
  },
  addSsoDomain: {
    method: 'POST',
    path: '/tenants/{tenantId}/sso/domains',
    hasBody: true,
    needsToken: true,
    isRepeatable: true,
    status: 201,
    field: 'domain',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'sso_full',
    ],
  },
  removeSsoDomain: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/sso/domains/{domain}',
    needsToken: true,
    status: 204,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
    ],
  },
  checkSsoDomain: {
    method: 'POST',
    path: '/tenants/{tenantId}/sso/domains/{domain}/check',
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'domain',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
      'domain_not_found',
      'domain_unproven',
      'domain_taken',
    ],
  },
  listSsoEntries: {
    method: 'GET',
    path: '/tenants/{tenantId}/sso/entries',
    hasQuery: true,
    needsToken: true,
    isRepeatable: true,
    status: 200,
    field: 'entries',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'validation_failed',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'role_insufficient',
    ],
  },
  removeSsoEntry: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/sso/entries/{entryId}',
    needsToken: true,
    status: 204,
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'token_missing',
      'token_invalid',
      'token_expired',
      'own_login_required',
      'too_many_attempts',
      'tenant_not_found',
      'step_up_required',
      'role_insufficient',
    ],
  },
  openSsoPortal: {
    method: 'POST',
    path: '/sso/portal',
    hasBody: true,
    status: 200,
    field: 'token',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
      'code_invalid',
    ],
  },
  routeLogin: {
    method: 'POST',
    path: '/users/login/route',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'connection',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'route_not_found',
      'malformed_json',
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'too_many_attempts',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Endpoints of the router `features`. */
export const features = {
  features: {
    method: 'GET',
    path: '/features',
    isRepeatable: true,
    status: 200,
    field: 'signUp',
    codes: [
      'malformed_request',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
} as const satisfies Record<string, Endpoint>

/** Every `error.code` of `createUser`. */
export type CreateUserErrorCode = (typeof users.createUser.codes)[number] | 'no_answer'

/** Every `error.code` of `login`. */
export type LoginErrorCode = (typeof users.login.codes)[number] | 'no_answer'

/** Every `error.code` of `me`. */
export type MeErrorCode = (typeof users.me.codes)[number] | 'no_answer'

/** Every `error.code` of `requestLoginCode`. */
export type RequestLoginCodeErrorCode = (typeof logins.requestLoginCode.codes)[number] | 'no_answer'

/** Every `error.code` of `finishLogin`. */
export type FinishLoginErrorCode = (typeof logins.finishLogin.codes)[number] | 'no_answer'

/** Every `error.code` of `addTenantProof`. */
export type AddTenantProofErrorCode = (typeof logins.addTenantProof.codes)[number] | 'no_answer'

/** Every `error.code` of `listConnections`. */
export type ListConnectionsErrorCode = (typeof connections.listConnections.codes)[number] | 'no_answer'

/** Every `error.code` of `startLogin`. */
export type StartLoginErrorCode = (typeof connections.startLogin.codes)[number] | 'no_answer'

/** Every `error.code` of `loginWithIdToken`. */
export type LoginWithIdTokenErrorCode = (typeof connections.loginWithIdToken.codes)[number] | 'no_answer'

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

/** Every `error.code` of `endOtherSessions`. */
export type EndOtherSessionsErrorCode = (typeof sessions.endOtherSessions.codes)[number] | 'no_answer'

/** Every `error.code` of `endSessionById`. */
export type EndSessionByIdErrorCode = (typeof sessions.endSessionById.codes)[number] | 'no_answer'

/** Every `error.code` of `updateMe`. */
export type UpdateMeErrorCode = (typeof me.updateMe.codes)[number] | 'no_answer'

/** Every `error.code` of `changePassword`. */
export type ChangePasswordErrorCode = (typeof me.changePassword.codes)[number] | 'no_answer'

/** Every `error.code` of `deleteMe`. */
export type DeleteMeErrorCode = (typeof me.deleteMe.codes)[number] | 'no_answer'

/** Every `error.code` of `listIdentities`. */
export type ListIdentitiesErrorCode = (typeof identities.listIdentities.codes)[number] | 'no_answer'

/** Every `error.code` of `linkIdentity`. */
export type LinkIdentityErrorCode = (typeof identities.linkIdentity.codes)[number] | 'no_answer'

/** Every `error.code` of `unlinkIdentity`. */
export type UnlinkIdentityErrorCode = (typeof identities.unlinkIdentity.codes)[number] | 'no_answer'

/** Every `error.code` of `verifySecondFactor`. */
export type VerifySecondFactorErrorCode = (typeof factors.verifySecondFactor.codes)[number] | 'no_answer'

/** Every `error.code` of `beginStepUp`. */
export type BeginStepUpErrorCode = (typeof factors.beginStepUp.codes)[number] | 'no_answer'

/** Every `error.code` of `stepUp`. */
export type StepUpErrorCode = (typeof factors.stepUp.codes)[number] | 'no_answer'

/** Every `error.code` of `listFactors`. */
export type ListFactorsErrorCode = (typeof factors.listFactors.codes)[number] | 'no_answer'

/** Every `error.code` of `enrolTotp`. */
export type EnrolTotpErrorCode = (typeof factors.enrolTotp.codes)[number] | 'no_answer'

/** Every `error.code` of `addTotp`. */
export type AddTotpErrorCode = (typeof factors.addTotp.codes)[number] | 'no_answer'

/** Every `error.code` of `renameFactor`. */
export type RenameFactorErrorCode = (typeof factors.renameFactor.codes)[number] | 'no_answer'

/** Every `error.code` of `removeFactor`. */
export type RemoveFactorErrorCode = (typeof factors.removeFactor.codes)[number] | 'no_answer'

/** Every `error.code` of `setSecondFactor`. */
export type SetSecondFactorErrorCode = (typeof factors.setSecondFactor.codes)[number] | 'no_answer'

/** Every `error.code` of `createRecoveryCodes`. */
export type CreateRecoveryCodesErrorCode = (typeof factors.createRecoveryCodes.codes)[number] | 'no_answer'

/** Every `error.code` of `beginPasskeyLogin`. */
export type BeginPasskeyLoginErrorCode = (typeof passkeys.beginPasskeyLogin.codes)[number] | 'no_answer'

/** Every `error.code` of `loginWithPasskey`. */
export type LoginWithPasskeyErrorCode = (typeof passkeys.loginWithPasskey.codes)[number] | 'no_answer'

/** Every `error.code` of `enrolPasskey`. */
export type EnrolPasskeyErrorCode = (typeof passkeys.enrolPasskey.codes)[number] | 'no_answer'

/** Every `error.code` of `addPasskey`. */
export type AddPasskeyErrorCode = (typeof passkeys.addPasskey.codes)[number] | 'no_answer'

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

/** Every `error.code` of `requestEmailChange`. */
export type RequestEmailChangeErrorCode = (typeof emailChange.requestEmailChange.codes)[number] | 'no_answer'

/** Every `error.code` of `changeEmail`. */
export type ChangeEmailErrorCode = (typeof emailChange.changeEmail.codes)[number] | 'no_answer'

/** Every `error.code` of `undoEmailChange`. */
export type UndoEmailChangeErrorCode = (typeof emailChange.undoEmailChange.codes)[number] | 'no_answer'

/** Every `error.code` of `createTenant`. */
export type CreateTenantErrorCode = (typeof tenants.createTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `tenant`. */
export type TenantErrorCode = (typeof tenants.tenant.codes)[number] | 'no_answer'

/** Every `error.code` of `updateTenant`. */
export type UpdateTenantErrorCode = (typeof tenants.updateTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `deleteTenant`. */
export type DeleteTenantErrorCode = (typeof tenants.deleteTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `listMembers`. */
export type ListMembersErrorCode = (typeof tenants.listMembers.codes)[number] | 'no_answer'

/** Every `error.code` of `changeMember`. */
export type ChangeMemberErrorCode = (typeof tenants.changeMember.codes)[number] | 'no_answer'

/** Every `error.code` of `removeMember`. */
export type RemoveMemberErrorCode = (typeof tenants.removeMember.codes)[number] | 'no_answer'

/** Every `error.code` of `inviteMember`. */
export type InviteMemberErrorCode = (typeof invitations.inviteMember.codes)[number] | 'no_answer'

/** Every `error.code` of `listInvitations`. */
export type ListInvitationsErrorCode = (typeof invitations.listInvitations.codes)[number] | 'no_answer'

/** Every `error.code` of `revokeInvitation`. */
export type RevokeInvitationErrorCode = (typeof invitations.revokeInvitation.codes)[number] | 'no_answer'

/** Every `error.code` of `readInvitation`. */
export type ReadInvitationErrorCode = (typeof invitations.readInvitation.codes)[number] | 'no_answer'

/** Every `error.code` of `acceptInvitation`. */
export type AcceptInvitationErrorCode = (typeof invitations.acceptInvitation.codes)[number] | 'no_answer'

/** Every `error.code` of `sso`. */
export type SsoErrorCode = (typeof sso.sso.codes)[number] | 'no_answer'

/** Every `error.code` of `changeSso`. */
export type ChangeSsoErrorCode = (typeof sso.changeSso.codes)[number] | 'no_answer'

/** Every `error.code` of `addSsoConnection`. */
export type AddSsoConnectionErrorCode = (typeof sso.addSsoConnection.codes)[number] | 'no_answer'

/** Every `error.code` of `changeSsoConnection`. */
export type ChangeSsoConnectionErrorCode = (typeof sso.changeSsoConnection.codes)[number] | 'no_answer'

/** Every `error.code` of `removeSsoConnection`. */
export type RemoveSsoConnectionErrorCode = (typeof sso.removeSsoConnection.codes)[number] | 'no_answer'

/** Every `error.code` of `checkSsoConnection`. */
export type CheckSsoConnectionErrorCode = (typeof sso.checkSsoConnection.codes)[number] | 'no_answer'

/** Every `error.code` of `addSsoDomain`. */
export type AddSsoDomainErrorCode = (typeof sso.addSsoDomain.codes)[number] | 'no_answer'

/** Every `error.code` of `removeSsoDomain`. */
export type RemoveSsoDomainErrorCode = (typeof sso.removeSsoDomain.codes)[number] | 'no_answer'

/** Every `error.code` of `checkSsoDomain`. */
export type CheckSsoDomainErrorCode = (typeof sso.checkSsoDomain.codes)[number] | 'no_answer'

/** Every `error.code` of `listSsoEntries`. */
export type ListSsoEntriesErrorCode = (typeof sso.listSsoEntries.codes)[number] | 'no_answer'

/** Every `error.code` of `removeSsoEntry`. */
export type RemoveSsoEntryErrorCode = (typeof sso.removeSsoEntry.codes)[number] | 'no_answer'

/** Every `error.code` of `openSsoPortal`. */
export type OpenSsoPortalErrorCode = (typeof sso.openSsoPortal.codes)[number] | 'no_answer'

/** Every `error.code` of `routeLogin`. */
export type RouteLoginErrorCode = (typeof sso.routeLogin.codes)[number] | 'no_answer'

/** Every `error.code` of `features`. */
export type FeaturesErrorCode = (typeof features.features.codes)[number] | 'no_answer'

/** The operations of the API as functions. */
export interface Operations {
  /** Signs up a user in the database. With `newTenant`, also creates a tenant for the user: both are created or neither is. With `invitationCode`, the user also joins a tenant, even if sign-up is closed. Requires no authentication. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<Result<SignedInUser, CreateUserErrorCode>>
  /** Returns the user with all tenants and a new access token. The response is the same for an unknown email, a wrong password and a disabled user. */
  login(body: LoginBody, options?: CallOptions): Promise<Result<SignedInUser, LoginErrorCode>>
  /** Returns the user of the access token as currently stored. If the status is 401, log in again. */
  me(options?: CallOptions): Promise<Result<User, MeErrorCode>>
  /** Sends a mail with a link, six digits or both, which are valid for 10 minutes. `getFeatures` says which. The response is the same for every address. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too. If sign-up is closed, only accounts and invited addresses get a mail. */
  requestLoginCode(
    body: RequestLoginCodeBody,
    options?: CallOptions,
  ): Promise<Result<StartedLogin, RequestLoginCodeErrorCode>>
  /** Needs the verifier of the client that started the login, so that a forwarded link logs nobody in. A person without an account signs up, with a verified address and without a password. `preferredName`, `locale` and `newTenant` are those of a new user. With `invitationCode`, the user joins the tenant. If the address of an account was never verified, its password, sessions, tokens and codes are removed first. The digits can be tried three times. An identity of a provider is linked to the account with its address if the provider is authoritative for the address, or with `mail`. A refused request does not use up the code. The same success can be repeated for 30 seconds, and opens one session. */
  finishLogin(
    body: FinishLoginBody,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, FinishLoginErrorCode>>
  /** Adds the tenant to the session of the current user, after a login at its identity provider that `startLogin` began with the ID of the connection. The first such login links the person at the provider to the user, who must be a member. The response has a token with the tenant. A session of a tenant can only add tenants to which the user is linked. */
  addTenantProof(
    body: AddTenantProofBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, AddTenantProofErrorCode>>
  /** For the buttons of a page. Needs no token. */
  listConnections(options?: CallOptions): Promise<Result<ConnectionList, ListConnectionsErrorCode>>
  /** Returns the URL to which to lead the browser. The provider returns to the server, which leads the browser to `redirectUrl` with `#code=…` for `finishLogin`, or with `#error=…&login=…`. The error is `access_denied` if the person has cancelled, `code_invalid` if the login has expired or has returned before, `connection_not_found`, `provider_invalid`, `provider_unavailable` or `too_many_attempts`. Nothing is stored. */
  startLogin(body: StartLoginBody, options?: CallOptions): Promise<Result<ExternalLogin, StartLoginErrorCode>>
  /** For apps on phones and for One Tap, which have an ID token from the provider without a redirect. Otherwise as `finishLogin`. A token is used once. `code_invalid`: the token or the state is invalid, expired, or was used. */
  loginWithIdToken(
    body: LoginWithIdTokenBody,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, LoginWithIdTokenErrorCode>>
  /** Send the token of a sign-up or login within 120 seconds, before you send it to any other service. Each login can open one session. A user has at most 100 sessions, or fewer if the operator lowers the limit. Opening another one ends the one that has been unused for the longest time. This service rejects the access tokens of ended sessions. */
  openSession(
    body?: OpenSessionBody | undefined,
    options?: CallOptions,
  ): Promise<Result<Session, OpenSessionErrorCode>>
  /** Returns a new access token and the next refresh token. Repeating the request within 30 seconds returns the same refresh token, and later another one, until one of them is used. Then using the repeated one, or another one that it returned, ends the session for everyone who has it. */
  refreshSession(
    body: RefreshTokenBody,
    options?: CallOptions,
  ): Promise<Result<Session, RefreshSessionErrorCode>>
  /** Also succeeds if the session has ended or never existed. */
  endSession(body: RefreshTokenBody, options?: CallOptions): Promise<Result<undefined, EndSessionErrorCode>>
  /** Returns the sessions that have not ended. */
  listSessions(options?: CallOptions): Promise<Result<SessionList, ListSessionsErrorCode>>
  /** Also revokes all access tokens of the user, including that of this request. */
  endAllSessions(options?: CallOptions): Promise<Result<undefined, EndAllSessionsErrorCode>>
  /** Keeps the session of the token, and revokes all access tokens of the user, also those of logins without a session and that of this request. Refresh the session to get a valid token. */
  endOtherSessions(options?: CallOptions): Promise<Result<undefined, EndOtherSessionsErrorCode>>
  /** Also succeeds if the session has ended. Does not affect sessions of other users. If it is the current session, the token of this request is rejected from then on. */
  endSessionById(
    sessionId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, EndSessionByIdErrorCode>>
  /** Changes the fields that are in the body, and returns the user. */
  updateMe(body: UpdateMeBody, options?: CallOptions): Promise<Result<User, UpdateMeErrorCode>>
  /** Also sets the first password of a user without one. Ends all sessions of the user, including that of this request, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. */
  changePassword(
    body: ChangePasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ChangePasswordErrorCode>>
  /** Also deletes the user’s tenants that have no other user. This cannot be undone. A tenant with other users must keep an owner. While the former address can undo a change of the address, the account cannot be deleted. */
  deleteMe(body: DeleteMeBody, options?: CallOptions): Promise<Result<undefined, DeleteMeErrorCode>>
  /** Returns the accounts at providers with which the user logs in. */
  listIdentities(options?: CallOptions): Promise<Result<IdentityList, ListIdentitiesErrorCode>>
  /** Start as for a login, with `startLogin`, and use the code here instead of `finishLogin`. The user logs in with the identity from then on. Its address can differ from that of the user, which does not change. */
  linkIdentity(
    body: LinkIdentityBody,
    options?: CallOptions,
  ): Promise<Result<Identity, LinkIdentityErrorCode>>
  /** Ends all sessions of the user, including that of this request, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. The user must keep a way to log in: a password, another identity, or a login by mail. */
  unlinkIdentity(
    identityId: string,
    body: UnlinkIdentityBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, UnlinkIdentityErrorCode>>
  /** Finishes a login that was answered with `second_factor_required`. The challenge is valid for 300 seconds. A code of an app is accepted once. After ten wrong ones, each further attempt takes 4.8 hours. */
  verifySecondFactor(
    body: VerifySecondFactorBody,
    options?: CallOptions,
  ): Promise<Result<ConfirmedUser, VerifySecondFactorErrorCode>>
  /** For `stepUp`. A passkey needs the options. Stores nothing. The challenge is valid for 300 seconds. */
  beginStepUp(options?: CallOptions): Promise<Result<BegunStepUp, BeginStepUpErrorCode>>
  /** Returns a confirmation for sensitive changes, and a token whose `acr` and `auth_time` say that the user was there. The session of the request keeps them when it is refreshed. The token belongs to the same session. A user with neither a second factor nor a password has nothing to prove, and logs in again: `recent_login_required`. */
  stepUp(body: StepUpBody, options?: CallOptions): Promise<Result<ConfirmedUser, StepUpErrorCode>>
  /** Returns the factors, how many recovery codes are left, and whether there is a password. */
  listFactors(options?: CallOptions): Promise<Result<FactorList, ListFactorsErrorCode>>
  /** Show `uri` as a QR code. The factor exists only after `addTotp`. A user who has a second factor sends a confirmation. A user who has a password sends the password, too, unless the confirmation is that of a login with the password. A user with neither must have logged in within 10 minutes. The address must be verified if a mail to it could log in or reset the password. */
  enrolTotp(body: EnrolTotpBody, options?: CallOptions): Promise<Result<EnrolledTotp, EnrolTotpErrorCode>>
  /** Logins need a code of it from then on. Ends all sessions of the user, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. The first factor also creates recovery codes. */
  addTotp(body: AddTotpBody, options?: CallOptions): Promise<Result<AddedFactor, AddTotpErrorCode>>
  /** Changes the name that the list shows. */
  renameFactor(
    factorId: string,
    body: RenameFactorBody,
    options?: CallOptions,
  ): Promise<Result<Factor, RenameFactorErrorCode>>
  /** Ends all sessions of the user, and revokes all earlier access tokens. The returned token can open a new session. With the last factor, the recovery codes go too, and logins need no second factor. */
  removeFactor(
    factorId: string,
    body: ConfirmationBody,
    options?: CallOptions,
  ): Promise<Result<ConfirmedUser, RemoveFactorErrorCode>>
  /** The factors stay, for `stepUp`. Ends all sessions of the user, and revokes all earlier access tokens. The returned token can open a new session. */
  setSecondFactor(
    body: SetSecondFactorBody,
    options?: CallOptions,
  ): Promise<Result<ConfirmedUser, SetSecondFactorErrorCode>>
  /** Replaces all earlier ones. */
  createRecoveryCodes(
    body: ConfirmationBody,
    options?: CallOptions,
  ): Promise<Result<RecoveryCodes, CreateRecoveryCodesErrorCode>>
  /** Returns what `navigator.credentials.get` needs, also with `mediation: "conditional"` for a list in the field of the email address. Stores nothing. The challenge is valid for 300 seconds, and for one login. */
  beginPasskeyLogin(options?: CallOptions): Promise<Result<BegunPasskeyLogin, BeginPasskeyLoginErrorCode>>
  /** Logs in without an email address and without a password. A passkey that has verified its user counts as two factors, so there is no second step. */
  loginWithPasskey(
    body: LoginWithPasskeyBody,
    options?: CallOptions,
  ): Promise<Result<ConfirmedUser, LoginWithPasskeyErrorCode>>
  /** Returns what `navigator.credentials.create` needs. A user who has a second factor sends a confirmation. A user who has a password sends the password, too, unless the confirmation is that of a login with the password. A user with neither must have logged in within 10 minutes. The address must be verified if a mail to it could log in or reset the password. */
  enrolPasskey(
    body: EnrolPasskeyBody,
    options?: CallOptions,
  ): Promise<Result<EnrolledPasskey, EnrolPasskeyErrorCode>>
  /** The user can log in with it, and prove a second factor with it. Logins with a password stay as they are: see `setSecondFactor`. The returned token can open a new session. Other sessions continue. The first factor also creates recovery codes. */
  addPasskey(body: AddPasskeyBody, options?: CallOptions): Promise<Result<AddedFactor, AddPasskeyErrorCode>>
  /** Sends a mail with a code that is valid for one hour, if an account has the address. The response is always the same. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too. */
  requestPasswordReset(
    body: RequestPasswordResetBody,
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestPasswordResetErrorCode>>
  /** Ends all sessions of the user, revokes all earlier access tokens and clears the failed logins. The address counts as verified. A code can be used once. A newer code replaces it. A user with a second factor must prove it, too: a refused request does not use up the code. */
  resetPassword(
    body: ResetPasswordBody,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ResetPasswordErrorCode>>
  /** Sends a mail with a code that is valid for 24 hours, unless the address is verified. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too. */
  requestEmailVerification(
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestEmailVerificationErrorCode>>
  /** Needs no token unless the database requires one, because users may open the mail in another browser. If a token is sent, it must belong to the user of the code. A rejected request does not use up the code. */
  verifyEmail(
    body: VerifyEmailBody,
    options?: CallOptions,
  ): Promise<Result<VerifiedEmail, VerifyEmailErrorCode>>
  /** Sends a mail with a code to the new address. The code is valid for one hour. Also notifies the current address. If the new address is taken, the response is the same, and the mail has no code. A user can request five changes an hour. The limits of mails also apply. */
  requestEmailChange(
    body: RequestEmailChangeBody,
    options?: CallOptions,
  ): Promise<Result<Accepted, RequestEmailChangeErrorCode>>
  /** Needs no token, because users may open the mail in another browser. Ends all sessions of the user, and revokes all access tokens and codes. The former address gets a mail. If it was verified, the mail has a code to undo the change, and the address stays taken for 7 days. */
  changeEmail(
    body: ChangeEmailBody,
    options?: CallOptions,
  ): Promise<Result<ChangedEmail, ChangeEmailErrorCode>>
  /** Restores the address to which the code was sent. Ends all sessions of the user, revokes all access tokens and codes, and removes the password, all factors and all identities. Sends a mail to choose a new password. Also undoes the changes that followed. The code is valid for 7 days. */
  undoEmailChange(
    body: UndoEmailChangeBody,
    options?: CallOptions,
  ): Promise<Result<ChangedEmail, UndoEmailChangeErrorCode>>
  /** Creates a tenant with the current user as its owner. A user can have created at most 100 tenants that exist. Tokens contain the tenant from the next login or refresh on. */
  createTenant(body: CreateTenantBody, options?: CallOptions): Promise<Result<Tenant, CreateTenantErrorCode>>
  /** Returns a tenant of the current user as currently stored. */
  tenant(tenantId: string, options?: CallOptions): Promise<Result<Tenant, TenantErrorCode>>
  /** Needs the role `admin` or `owner`. */
  updateTenant(
    tenantId: string,
    body: UpdateTenantBody,
    options?: CallOptions,
  ): Promise<Result<Tenant, UpdateTenantErrorCode>>
  /** Deletes a tenant permanently. Its users remain. Needs the role `owner`. The members of a large tenant are removed in several steps, the current user last: repeat the request if it was interrupted. */
  deleteTenant(tenantId: string, options?: CallOptions): Promise<Result<undefined, DeleteTenantErrorCode>>
  /** Returns the users of a tenant ordered by id, all or those that a text finds. */
  listMembers(
    tenantId: string,
    query?: ListMembersQuery | undefined,
    options?: CallOptions,
  ): Promise<Result<MemberList, ListMembersErrorCode>>
  /** Admins and owners can change roles below `admin`. Only owners can give and take `admin` and `owner`. Tokens contain the new role from the next login or refresh on. */
  changeMember(
    tenantId: string,
    userId: string,
    body: ChangeMemberBody,
    options?: CallOptions,
  ): Promise<Result<Member, ChangeMemberErrorCode>>
  /** With the ID of the current user: leaves the tenant. The last member who leaves deletes it. Admins and owners can remove members with a role below `admin`, and owners all others. Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire, and backends that follow revocations ignore it. */
  removeMember(
    tenantId: string,
    userId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, RemoveMemberErrorCode>>
  /** Sends a mail with a code, whether or not an account has the address. Inviting an address again replaces the code and the role. Needs the role `admin` or `owner`; only owners can invite as `admin` or `owner`. Also needs a verified address, unless the database does not require one. A user can send 20 invitations an hour and 100 a day, and an address gets five a day. A tenant has at most 100 invitations. */
  inviteMember(
    tenantId: string,
    body: InviteMemberBody,
    options?: CallOptions,
  ): Promise<Result<Invitation, InviteMemberErrorCode>>
  /** Returns the invitations that can be accepted. Needs the role `admin` or `owner`. */
  listInvitations(
    tenantId: string,
    options?: CallOptions,
  ): Promise<Result<PendingInvitations, ListInvitationsErrorCode>>
  /** Its code cannot be used any more. Needs the role `admin` or `owner`; only owners can revoke an invitation as `admin` or `owner`. Also succeeds if there is no such invitation. */
  revokeInvitation(
    tenantId: string,
    invitationId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, RevokeInvitationErrorCode>>
  /** Returns what the mail of an invitation says, for a page that asks the user to sign up or to log in. Changes nothing, and does not reveal whether an account has the address. Needs no token. */
  readInvitation(
    body: ReadInvitationBody,
    options?: CallOptions,
  ): Promise<Result<InvitationDetails, ReadInvitationErrorCode>>
  /** Adds the current user to the tenant. The user must have the invited address. The code proves it: if the account has never verified it, its password, sessions, tokens and codes are removed first, because a stranger may have signed up with the address, and the response has a new token. A code can be used once. A refused request does not use it up. Tokens contain the tenant from the next login or refresh on. A user without an account signs up with `invitationCode` instead. */
  acceptInvitation(
    body: AcceptInvitationBody,
    options?: CallOptions,
  ): Promise<Result<AcceptedInvitation, AcceptInvitationErrorCode>>
  /** Returns its settings, connections without their secrets, and domains. */
  sso(tenantId: string, options?: CallOptions): Promise<Result<Sso, SsoErrorCode>>
  /** To require it, a login with a connection of the tenant must have succeeded within 10 minutes. The tokens of members then lose the tenant, 250 members at a time: repeat the request if it was interrupted. */
  changeSso(
    tenantId: string,
    body: ChangeSsoBody,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<Sso, ChangeSsoErrorCode>>
  /** First asks the provider whether it knows the client, and adds nothing if not. A tenant has at most five connections. The owners get a mail. */
  addSsoConnection(
    tenantId: string,
    body: AddSsoConnectionBody,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<SsoConnection, AddSsoConnectionErrorCode>>
  /** Asks the provider as `addSsoConnection` does. Servers apply it within 5 seconds. Another issuer ends what logins with the former one have proven. The owners get a mail. */
  changeSsoConnection(
    tenantId: string,
    connectionId: string,
    body: ChangeSsoConnectionBody,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<SsoConnection, ChangeSsoConnectionErrorCode>>
  /** Also succeeds if there is none. The owners get a mail. */
  removeSsoConnection(
    tenantId: string,
    connectionId: string,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<undefined, RemoveSsoConnectionErrorCode>>
  /** Asks the provider whether it knows the client. A problem says what to correct. */
  checkSsoConnection(
    tenantId: string,
    connectionId: string,
    options?: CallOptions,
  ): Promise<Result<undefined, CheckSsoConnectionErrorCode>>
  /** Returns the record to add to DNS. `checkSsoDomain` proves it within 7 days. Also returns a domain that the tenant has. A tenant has at most 20. */
  addSsoDomain(
    tenantId: string,
    body: AddSsoDomainBody,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<SsoDomain, AddSsoDomainErrorCode>>
  /** Also succeeds if the tenant does not have it. Known members can still log in. */
  removeSsoDomain(
    tenantId: string,
    domain: string,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<undefined, RemoveSsoDomainErrorCode>>
  /** Asks DNS for the record. `domain_taken`: another tenant has proven it. It can be proven here when the record of the other tenant is missing for 24 hours. */
  checkSsoDomain(
    tenantId: string,
    domain: string,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<SsoDomain, CheckSsoDomainErrorCode>>
  /** Returns the users whom a login has linked, ordered by id of the entry. */
  listSsoEntries(
    tenantId: string,
    query?: ListSsoEntriesQuery | undefined,
    options?: CallOptions,
  ): Promise<Result<SsoEntryList, ListSsoEntriesErrorCode>>
  /** The user stays a member. Also succeeds if there is no such entry. */
  removeSsoEntry(
    tenantId: string,
    entryId: string,
    options?: CallOptions & ConfirmOptions,
  ): Promise<Result<undefined, RemoveSsoEntryErrorCode>>
  /** Exchanges the code in the URL of the portal for a token, once. */
  openSsoPortal(
    body: OpenSsoPortalBody,
    options?: CallOptions,
  ): Promise<Result<OpenedSsoPortal, OpenSsoPortalErrorCode>>
  /** Reads the domain of the address only, and so does not reveal whether an account exists. */
  routeLogin(body: RouteLoginBody, options?: CallOptions): Promise<Result<LoginRoute, RouteLoginErrorCode>>
  /** The settings that the pages of an app depend on. Needs no token. */
  features(options?: CallOptions): Promise<Result<Features, FeaturesErrorCode>>
}
