// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type {
  ChangeOptions,
  ManagementEndpoint,
  ManagementResult,
  PostOptions,
} from './management-operation.js'
import type {
  AddSsoConnectionBody,
  AddSsoDomainBody,
  AddTenantBody,
  AddUserBody,
  ChangeMailSettingsBody,
  ChangeSsoBody,
  ChangeSsoConnectionBody,
  ChangeTenantBody,
  ChangeUserBody,
  CreateCodeBody,
  CreateSsoPortalBody,
  EventList,
  ImportResult,
  Invitation,
  InvitationBody,
  InvitationList,
  ListEventsQuery,
  ListInvitationsQuery,
  ListMembersQuery,
  ListRevocationsQuery,
  ListSsoEntriesQuery,
  ListTenantsQuery,
  ListUserSessionsQuery,
  ListUsersQuery,
  MailSettings,
  ManagedTenant,
  ManagedUser,
  MemberList,
  PutMemberBody,
  RevocationList,
  SetPasswordBody,
  Sso,
  SsoConnection,
  SsoDomain,
  SsoEntryList,
  SsoPortal,
  TenantList,
  TenantQuery,
  UserCode,
  UserFactorList,
  UserIdentityList,
  UserLine,
  UserList,
  UserQuery,
  UserSessionList,
} from './management-schemas.js'
import type { CallOptions } from './send.js'

/** Endpoints of the management API. */
export const managementEndpoints = {
  listUsers: {
    method: 'GET',
    path: '/management/users',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'users',
    items: 'users',
    iterator: 'users',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
    ],
  },
  addUser: {
    method: 'POST',
    path: '/management/users',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'email',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'idempotency_key_reused',
      'external_id_taken',
      'app_url_missing',
      'account_operations_off',
      'email_taken',
    ],
  },
  user: {
    method: 'GET',
    path: '/management/users/{userId}',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'email',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'user_not_found',
    ],
  },
  changeUser: {
    method: 'PATCH',
    path: '/management/users/{userId}',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'email',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
      'external_id_taken',
      'email_taken',
      'precondition_failed',
    ],
  },
  removeUser: {
    method: 'DELETE',
    path: '/management/users/{userId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  setUserPassword: {
    method: 'PUT',
    path: '/management/users/{userId}/password',
    hasBody: true,
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
    ],
  },
  unlockUser: {
    method: 'DELETE',
    path: '/management/users/{userId}/failed-logins',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
    ],
  },
  listUserSessions: {
    method: 'GET',
    path: '/management/users/{userId}/sessions',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'sessions',
    items: 'sessions',
    iterator: 'userSessions',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'user_not_found',
    ],
  },
  endUserSessions: {
    method: 'DELETE',
    path: '/management/users/{userId}/sessions',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
    ],
  },
  listUserIdentities: {
    method: 'GET',
    path: '/management/users/{userId}/identities',
    isRepeatable: true,
    status: 200,
    field: 'identities',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'user_not_found',
    ],
  },
  removeUserIdentity: {
    method: 'DELETE',
    path: '/management/users/{userId}/identities/{identityId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
      'identity_not_found',
      'last_login_method',
    ],
  },
  listUserFactors: {
    method: 'GET',
    path: '/management/users/{userId}/factors',
    isRepeatable: true,
    status: 200,
    field: 'factors',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'user_not_found',
    ],
  },
  removeUserFactors: {
    method: 'DELETE',
    path: '/management/users/{userId}/factors',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
    ],
  },
  createUserCode: {
    method: 'POST',
    path: '/management/users/{userId}/codes',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'code',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'user_not_found',
      'idempotency_key_reused',
      'app_url_missing',
      'account_operations_off',
      'user_disabled',
      'already_verified',
    ],
  },
  importUsers: {
    method: 'POST',
    path: '/management/users/import',
    linesType: 'application/x-ndjson',
    acceptsIdempotencyKey: true,
    status: 200,
    field: 'created',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
    ],
  },
  checkImport: {
    method: 'POST',
    path: '/management/users/import/check',
    linesType: 'application/x-ndjson',
    status: 200,
    field: 'created',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  listTenants: {
    method: 'GET',
    path: '/management/tenants',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'tenants',
    items: 'tenants',
    iterator: 'tenants',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  addTenant: {
    method: 'POST',
    path: '/management/tenants',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'name',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'external_id_taken',
    ],
  },
  tenant: {
    method: 'GET',
    path: '/management/tenants/{tenantId}',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
    ],
  },
  changeTenant: {
    method: 'PATCH',
    path: '/management/tenants/{tenantId}',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'external_id_taken',
      'precondition_failed',
    ],
  },
  removeTenant: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  listMembers: {
    method: 'GET',
    path: '/management/tenants/{tenantId}/members',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'members',
    items: 'members',
    iterator: 'members',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
    ],
  },
  putMember: {
    method: 'PUT',
    path: '/management/tenants/{tenantId}/members/{userId}',
    hasBody: true,
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'user_not_found',
    ],
  },
  removeMember: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}/members/{userId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  listInvitations: {
    method: 'GET',
    path: '/management/tenants/{tenantId}/invitations',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'invitations',
    items: 'invitations',
    iterator: 'invitations',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
    ],
  },
  inviteMember: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/invitations',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'email',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'idempotency_key_reused',
      'app_url_missing',
      'account_operations_off',
      'already_member',
      'invitations_full',
      'tenant_operations_off',
    ],
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}/invitations/{invitationId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  sso: {
    method: 'GET',
    path: '/management/tenants/{tenantId}/sso',
    isRepeatable: true,
    status: 200,
    field: 'required',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
      'route_not_found',
    ],
  },
  changeSso: {
    method: 'PATCH',
    path: '/management/tenants/{tenantId}/sso',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'required',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'sso_untested',
      'no_exempt_owner',
    ],
  },
  addSsoConnection: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/sso/connections',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'title',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'idempotency_key_reused',
      'connection_invalid',
      'issuer_shared',
      'sso_full',
    ],
  },
  changeSsoConnection: {
    method: 'PATCH',
    path: '/management/tenants/{tenantId}/sso/connections/{connectionId}',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'title',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'connection_invalid',
      'connection_not_found',
      'connection_needed',
      'issuer_shared',
    ],
  },
  removeSsoConnection: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}/sso/connections/{connectionId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
      'route_not_found',
      'connection_needed',
    ],
  },
  checkSsoConnection: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/sso/connections/{connectionId}/check',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'connection_invalid',
      'connection_not_found',
    ],
  },
  addSsoDomain: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/sso/domains',
    hasBody: true,
    acceptsIdempotencyKey: true,
    isRepeatable: true,
    status: 201,
    field: 'domain',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'idempotency_key_reused',
      'sso_full',
    ],
  },
  removeSsoDomain: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}/sso/domains/{domain}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
      'route_not_found',
    ],
  },
  checkSsoDomain: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/sso/domains/{domain}/check',
    isRepeatable: true,
    status: 200,
    field: 'domain',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'domain_not_found',
      'domain_unproven',
      'domain_taken',
    ],
  },
  listSsoEntries: {
    method: 'GET',
    path: '/management/tenants/{tenantId}/sso/entries',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'entries',
    items: 'entries',
    iterator: 'ssoEntries',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
      'route_not_found',
    ],
  },
  removeSsoEntry: {
    method: 'DELETE',
    path: '/management/tenants/{tenantId}/sso/entries/{entryId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'tenant_not_found',
      'route_not_found',
    ],
  },
  createSsoPortal: {
    method: 'POST',
    path: '/management/tenants/{tenantId}/sso/portal',
    hasBody: true,
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'url',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'tenant_not_found',
      'route_not_found',
      'idempotency_key_reused',
      'app_url_missing',
    ],
  },
  mailSettings: {
    method: 'GET',
    path: '/management/mail-settings',
    isRepeatable: true,
    status: 200,
    field: 'appName',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  changeMailSettings: {
    method: 'PATCH',
    path: '/management/mail-settings',
    hasBody: true,
    isRepeatable: true,
    status: 200,
    field: 'appName',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  listEvents: {
    method: 'GET',
    path: '/management/events',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'events',
    items: 'events',
    iterator: 'events',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'cursor_expired',
      'events_not_kept',
    ],
  },
  listRevocations: {
    method: 'GET',
    path: '/management/revocations',
    hasQuery: true,
    isRepeatable: true,
    status: 200,
    field: 'revocations',
    items: 'revocations',
    iterator: 'revocations',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
      'cursor_expired',
    ],
  },
} as const satisfies Record<string, ManagementEndpoint>

/** Every `error.code` of `listUsers`. */
export type ListUsersErrorCode = (typeof managementEndpoints.listUsers.codes)[number] | 'no_answer'

/** Every `error.code` of `addUser`. */
export type AddUserErrorCode = (typeof managementEndpoints.addUser.codes)[number] | 'no_answer'

/** Every `error.code` of `user`. */
export type UserErrorCode = (typeof managementEndpoints.user.codes)[number] | 'no_answer'

/** Every `error.code` of `changeUser`. */
export type ChangeUserErrorCode = (typeof managementEndpoints.changeUser.codes)[number] | 'no_answer'

/** Every `error.code` of `removeUser`. */
export type RemoveUserErrorCode = (typeof managementEndpoints.removeUser.codes)[number] | 'no_answer'

/** Every `error.code` of `setUserPassword`. */
export type SetUserPasswordErrorCode =
  | (typeof managementEndpoints.setUserPassword.codes)[number]
  | 'no_answer'

/** Every `error.code` of `unlockUser`. */
export type UnlockUserErrorCode = (typeof managementEndpoints.unlockUser.codes)[number] | 'no_answer'

/** Every `error.code` of `listUserSessions`. */
export type ListUserSessionsErrorCode =
  | (typeof managementEndpoints.listUserSessions.codes)[number]
  | 'no_answer'

/** Every `error.code` of `endUserSessions`. */
export type EndUserSessionsErrorCode =
  | (typeof managementEndpoints.endUserSessions.codes)[number]
  | 'no_answer'

/** Every `error.code` of `listUserIdentities`. */
export type ListUserIdentitiesErrorCode =
  | (typeof managementEndpoints.listUserIdentities.codes)[number]
  | 'no_answer'

/** Every `error.code` of `removeUserIdentity`. */
export type RemoveUserIdentityErrorCode =
  | (typeof managementEndpoints.removeUserIdentity.codes)[number]
  | 'no_answer'

/** Every `error.code` of `listUserFactors`. */
export type ListUserFactorsErrorCode =
  | (typeof managementEndpoints.listUserFactors.codes)[number]
  | 'no_answer'

/** Every `error.code` of `removeUserFactors`. */
export type RemoveUserFactorsErrorCode =
  | (typeof managementEndpoints.removeUserFactors.codes)[number]
  | 'no_answer'

/** Every `error.code` of `createUserCode`. */
export type CreateUserCodeErrorCode = (typeof managementEndpoints.createUserCode.codes)[number] | 'no_answer'

/** Every `error.code` of `importUsers`. */
export type ImportUsersErrorCode = (typeof managementEndpoints.importUsers.codes)[number] | 'no_answer'

/** Every `error.code` of `checkImport`. */
export type CheckImportErrorCode = (typeof managementEndpoints.checkImport.codes)[number] | 'no_answer'

/** Every `error.code` of `listTenants`. */
export type ListTenantsErrorCode = (typeof managementEndpoints.listTenants.codes)[number] | 'no_answer'

/** Every `error.code` of `addTenant`. */
export type AddTenantErrorCode = (typeof managementEndpoints.addTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `tenant`. */
export type TenantErrorCode = (typeof managementEndpoints.tenant.codes)[number] | 'no_answer'

/** Every `error.code` of `changeTenant`. */
export type ChangeTenantErrorCode = (typeof managementEndpoints.changeTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `removeTenant`. */
export type RemoveTenantErrorCode = (typeof managementEndpoints.removeTenant.codes)[number] | 'no_answer'

/** Every `error.code` of `listMembers`. */
export type ListMembersErrorCode = (typeof managementEndpoints.listMembers.codes)[number] | 'no_answer'

/** Every `error.code` of `putMember`. */
export type PutMemberErrorCode = (typeof managementEndpoints.putMember.codes)[number] | 'no_answer'

/** Every `error.code` of `removeMember`. */
export type RemoveMemberErrorCode = (typeof managementEndpoints.removeMember.codes)[number] | 'no_answer'

/** Every `error.code` of `listInvitations`. */
export type ListInvitationsErrorCode =
  | (typeof managementEndpoints.listInvitations.codes)[number]
  | 'no_answer'

/** Every `error.code` of `inviteMember`. */
export type InviteMemberErrorCode = (typeof managementEndpoints.inviteMember.codes)[number] | 'no_answer'

/** Every `error.code` of `revokeInvitation`. */
export type RevokeInvitationErrorCode =
  | (typeof managementEndpoints.revokeInvitation.codes)[number]
  | 'no_answer'

/** Every `error.code` of `sso`. */
export type SsoErrorCode = (typeof managementEndpoints.sso.codes)[number] | 'no_answer'

/** Every `error.code` of `changeSso`. */
export type ChangeSsoErrorCode = (typeof managementEndpoints.changeSso.codes)[number] | 'no_answer'

/** Every `error.code` of `addSsoConnection`. */
export type AddSsoConnectionErrorCode =
  | (typeof managementEndpoints.addSsoConnection.codes)[number]
  | 'no_answer'

/** Every `error.code` of `changeSsoConnection`. */
export type ChangeSsoConnectionErrorCode =
  | (typeof managementEndpoints.changeSsoConnection.codes)[number]
  | 'no_answer'

/** Every `error.code` of `removeSsoConnection`. */
export type RemoveSsoConnectionErrorCode =
  | (typeof managementEndpoints.removeSsoConnection.codes)[number]
  | 'no_answer'

/** Every `error.code` of `checkSsoConnection`. */
export type CheckSsoConnectionErrorCode =
  | (typeof managementEndpoints.checkSsoConnection.codes)[number]
  | 'no_answer'

/** Every `error.code` of `addSsoDomain`. */
export type AddSsoDomainErrorCode = (typeof managementEndpoints.addSsoDomain.codes)[number] | 'no_answer'

/** Every `error.code` of `removeSsoDomain`. */
export type RemoveSsoDomainErrorCode =
  | (typeof managementEndpoints.removeSsoDomain.codes)[number]
  | 'no_answer'

/** Every `error.code` of `checkSsoDomain`. */
export type CheckSsoDomainErrorCode = (typeof managementEndpoints.checkSsoDomain.codes)[number] | 'no_answer'

/** Every `error.code` of `listSsoEntries`. */
export type ListSsoEntriesErrorCode = (typeof managementEndpoints.listSsoEntries.codes)[number] | 'no_answer'

/** Every `error.code` of `removeSsoEntry`. */
export type RemoveSsoEntryErrorCode = (typeof managementEndpoints.removeSsoEntry.codes)[number] | 'no_answer'

/** Every `error.code` of `createSsoPortal`. */
export type CreateSsoPortalErrorCode =
  | (typeof managementEndpoints.createSsoPortal.codes)[number]
  | 'no_answer'

/** Every `error.code` of `mailSettings`. */
export type MailSettingsErrorCode = (typeof managementEndpoints.mailSettings.codes)[number] | 'no_answer'

/** Every `error.code` of `changeMailSettings`. */
export type ChangeMailSettingsErrorCode =
  | (typeof managementEndpoints.changeMailSettings.codes)[number]
  | 'no_answer'

/** Every `error.code` of `listEvents`. */
export type ListEventsErrorCode = (typeof managementEndpoints.listEvents.codes)[number] | 'no_answer'

/** Every `error.code` of `listRevocations`. */
export type ListRevocationsErrorCode =
  | (typeof managementEndpoints.listRevocations.codes)[number]
  | 'no_answer'

/** The operations of the management API as functions. */
export interface ManagementOperations {
  /** Returns users ordered by id, with `emailPrefix` by the bytes of the lower-case address, with `namePrefix` by those of the lower-case name, or as `order` says. Ids of users who were not imported with one are in the order of sign-up. Needs the scope `users:read`. */
  listUsers(
    query?: ListUsersQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<UserList, ListUsersErrorCode>>
  /** Adds a user with all given tenants, or nothing. Without `password` and `passwordHash`, the user must choose a password with a code before logging in. Also needs `credentials:write` for `password`, `passwordHash` and `emailVerified`, and `tenants:write` for `tenants`. Needs the scope `users:write`. */
  addUser(
    body: AddUserBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<ManagedUser, AddUserErrorCode>>
  /** Returns a user as currently stored, with tenants and the number of sessions. Needs the scope `users:read`. */
  user(
    userId: string,
    query?: UserQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<ManagedUser, UserErrorCode>>
  /** Changes the given fields. With `If-Match`, only if the user has not changed since it was read. Also needs `credentials:write` for `email`, `emailVerified` and `emailUndo`. Needs the scope `users:write`. */
  changeUser(
    userId: string,
    body: ChangeUserBody,
    options?: CallOptions & ChangeOptions,
  ): Promise<ManagementResult<ManagedUser, ChangeUserErrorCode>>
  /** Deletes the user permanently. The tenants remain. Also succeeds if there is no such user. Needs the scope `users:write`. */
  removeUser(userId: string, options?: CallOptions): Promise<ManagementResult<undefined, RemoveUserErrorCode>>
  /** Ends all sessions, and revokes tokens and codes to choose a password. Also needs `credentials:write`. Needs the scope `users:write`. */
  setUserPassword(
    userId: string,
    body: SetPasswordBody,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, SetUserPasswordErrorCode>>
  /** A throttled user can log in immediately. Needs the scope `users:write`. */
  unlockUser(userId: string, options?: CallOptions): Promise<ManagementResult<undefined, UnlockUserErrorCode>>
  /** Returns the sessions that have not ended, ordered by id. Needs the scope `users:read`. */
  listUserSessions(
    userId: string,
    query?: ListUserSessionsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<UserSessionList, ListUserSessionsErrorCode>>
  /** Also revokes all access tokens of the user. Needs the scope `sessions:write`. */
  endUserSessions(
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, EndUserSessionsErrorCode>>
  /** Returns the accounts at providers with which the user logs in. Needs the scope `users:read`. */
  listUserIdentities(
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<UserIdentityList, ListUserIdentitiesErrorCode>>
  /** Ends all sessions of the user, and revokes all access tokens. The user must keep a way to log in. Also needs `credentials:write`. Needs the scope `users:write`. */
  removeUserIdentity(
    userId: string,
    identityId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveUserIdentityErrorCode>>
  /** Returns the factors, and how many recovery codes are left. Needs the scope `users:read`. */
  listUserFactors(
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<UserFactorList, ListUserFactorsErrorCode>>
  /** For a user who has lost them. Removes the recovery codes too, ends all sessions, revokes all access tokens, and notifies the user. Also succeeds if the user has none. Make sure that the user asks for it. Also needs `credentials:write`. Needs the scope `users:write`. */
  removeUserFactors(
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveUserFactorsErrorCode>>
  /** Creates a code to choose a new password or to verify the address. Also needs `credentials:write` to return it. Needs the scope `users:write`. */
  createUserCode(
    userId: string,
    body: CreateCodeBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<UserCode, CreateUserCodeErrorCode>>
  /** Adds users with their password hashes from other systems, as `usher user import` does. At most 1000 lines and 1 MiB. A line is stored as a whole or not at all. No event is written. Also needs `credentials:write` for `passwordHash`, `identities`, `totp` and `emailVerifiedAt`, and `tenants:write` for `tenants`. Needs the scope `users:write`. */
  importUsers(
    body: { lines: readonly UserLine[] },
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<ImportResult, ImportUsersErrorCode>>
  /** Returns what `importUsers` would for the same lines, and stores nothing. Needs the same scopes. Each request is checked for itself: an address in an earlier request is not found. Needs the scope `users:write`. */
  checkImport(
    body: { lines: readonly UserLine[] },
    options?: CallOptions,
  ): Promise<ManagementResult<ImportResult, CheckImportErrorCode>>
  /** Returns tenants ordered by id, and with `namePrefix` by the bytes of the lower-case name. Those that were not imported with an id are in the order of creation. Needs the scope `tenants:read`. */
  listTenants(
    query?: ListTenantsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<TenantList, ListTenantsErrorCode>>
  /** Creates a tenant without users. Needs the scope `tenants:write`. */
  addTenant(
    body: AddTenantBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<ManagedTenant, AddTenantErrorCode>>
  /** Returns a tenant as currently stored. Needs the scope `tenants:read`. */
  tenant(
    tenantId: string,
    query?: TenantQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<ManagedTenant, TenantErrorCode>>
  /** Changes the fields that are in the body, and returns the tenant. With `If-Match`, only if the tenant has not changed since it was read. Needs the scope `tenants:write`. */
  changeTenant(
    tenantId: string,
    body: ChangeTenantBody,
    options?: CallOptions & ChangeOptions,
  ): Promise<ManagementResult<ManagedTenant, ChangeTenantErrorCode>>
  /** Deletes a tenant permanently. Its users remain. Also succeeds if there is no such tenant. The members of a large tenant are removed in several steps: repeat the request if it was interrupted. Needs the scope `tenants:write`. */
  removeTenant(
    tenantId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveTenantErrorCode>>
  /** Returns the users of a tenant ordered by id. Needs the scope `tenants:read`. */
  listMembers(
    tenantId: string,
    query?: ListMembersQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<MemberList, ListMembersErrorCode>>
  /** Tokens contain the tenant and the role from the next login or refresh on. A tenant may be left without an owner. Needs the scope `tenants:write`. */
  putMember(
    tenantId: string,
    userId: string,
    body?: PutMemberBody | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, PutMemberErrorCode>>
  /** Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire, and backends that follow revocations ignore it. Needs the scope `tenants:write`. */
  removeMember(
    tenantId: string,
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveMemberErrorCode>>
  /** Returns the invitations that can be accepted, ordered by id. Needs the scope `tenants:read`. */
  listInvitations(
    tenantId: string,
    query?: ListInvitationsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<InvitationList, ListInvitationsErrorCode>>
  /** Sends a mail with a code, for any role and without the limits that apply to users. Inviting an address again replaces the code and the role. A tenant has at most 100 invitations. Tenant operations must be on, and the database must have an app URL. Needs the scope `tenants:write`. */
  inviteMember(
    tenantId: string,
    body: InvitationBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<Invitation, InviteMemberErrorCode>>
  /** Its code cannot be used any more. Also succeeds if there is no such invitation. Needs the scope `tenants:write`. */
  revokeInvitation(
    tenantId: string,
    invitationId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RevokeInvitationErrorCode>>
  /** Returns its settings, connections without their secrets, and domains. Needs the scope `sso:write`. */
  sso(tenantId: string, options?: CallOptions): Promise<ManagementResult<Sso, SsoErrorCode>>
  /** To require it, a login with a connection of the tenant must have succeeded within 10 minutes. The tokens of members then lose the tenant, 250 members at a time: repeat the request if it was interrupted. Needs the scope `sso:write`. */
  changeSso(
    tenantId: string,
    body: ChangeSsoBody,
    options?: CallOptions,
  ): Promise<ManagementResult<Sso, ChangeSsoErrorCode>>
  /** First asks the provider whether it knows the client, and adds nothing if not. A tenant has at most five connections. The owners get a mail. Needs the scope `sso:write`. */
  addSsoConnection(
    tenantId: string,
    body: AddSsoConnectionBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<SsoConnection, AddSsoConnectionErrorCode>>
  /** Asks the provider as `addSsoConnection` does. Servers apply it within 5 seconds. Another issuer ends what logins with the former one have proven. The owners get a mail. Needs the scope `sso:write`. */
  changeSsoConnection(
    tenantId: string,
    connectionId: string,
    body: ChangeSsoConnectionBody,
    options?: CallOptions,
  ): Promise<ManagementResult<SsoConnection, ChangeSsoConnectionErrorCode>>
  /** Also succeeds if there is none. The owners get a mail. Needs the scope `sso:write`. */
  removeSsoConnection(
    tenantId: string,
    connectionId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveSsoConnectionErrorCode>>
  /** Asks the provider whether it knows the client. A problem says what to correct. Needs the scope `sso:write`. */
  checkSsoConnection(
    tenantId: string,
    connectionId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, CheckSsoConnectionErrorCode>>
  /** Returns the record to add to DNS. `checkSsoDomain` proves it within 7 days. Also returns a domain that the tenant has. A tenant has at most 20. Needs the scope `sso:write`. */
  addSsoDomain(
    tenantId: string,
    body: AddSsoDomainBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<SsoDomain, AddSsoDomainErrorCode>>
  /** Also succeeds if the tenant does not have it. Known members can still log in. Needs the scope `sso:write`. */
  removeSsoDomain(
    tenantId: string,
    domain: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveSsoDomainErrorCode>>
  /** Asks DNS for the record. `domain_taken`: another tenant has proven it. It can be proven here when the record of the other tenant is missing for 24 hours. Needs the scope `sso:write`. */
  checkSsoDomain(
    tenantId: string,
    domain: string,
    options?: CallOptions,
  ): Promise<ManagementResult<SsoDomain, CheckSsoDomainErrorCode>>
  /** Returns the users whom a login has linked, ordered by id of the entry. Needs the scope `sso:write`. */
  listSsoEntries(
    tenantId: string,
    query?: ListSsoEntriesQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<SsoEntryList, ListSsoEntriesErrorCode>>
  /** The user stays a member. Also succeeds if there is no such entry. Needs the scope `sso:write`. */
  removeSsoEntry(
    tenantId: string,
    entryId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveSsoEntryErrorCode>>
  /** Returns a link with which the administrator of a customer sets up single sign-on, for 7 days and in one browser. Needs the scope `sso:write`. */
  createSsoPortal(
    tenantId: string,
    body?: CreateSsoPortalBody | undefined,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<SsoPortal, CreateSsoPortalErrorCode>>
  /** Returns the settings of the mails and the templates that the database has. Needs the scope `mails:read`. */
  mailSettings(options?: CallOptions): Promise<ManagementResult<MailSettings, MailSettingsErrorCode>>
  /** Changes the given settings, for all mails that are sent from now on. Also needs `credentials:write` for `mailSender` and `mailTemplates`, because a template can send the code of a mail elsewhere. Needs the scope `mails:write`. */
  changeMailSettings(
    body: ChangeMailSettingsBody,
    options?: CallOptions,
  ): Promise<ManagementResult<MailSettings, ChangeMailSettingsErrorCode>>
  /** Returns the events that follow a cursor, each at least once and none skipped. They are kept for the days of the setting `--events-kept` of the database. A server that cannot hold the request returns an empty list with `Retry-After`. Needs the scope `events:read`. */
  listEvents(
    query?: ListEventsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<EventList, ListEventsErrorCode>>
  /** Returns the revocations that follow a cursor, each at least once and none skipped, for backends that verify tokens themselves. Each is listed until all affected tokens have expired. Applying one twice changes nothing. A server that cannot hold the request returns an empty list with `Retry-After`. The public port also serves this operation. Needs the scope `revocations:read`. */
  listRevocations(
    query?: ListRevocationsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<RevocationList, ListRevocationsErrorCode>>
}

/** The lists of the management API, which request their pages when they are needed. */
export interface ManagementLists {
  /**
   * Yields the items of every page of `listUsers`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  users(
    query?: ListUsersQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<UserList['users'][number], void, undefined>
  /**
   * Yields the items of every page of `listUserSessions`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  userSessions(
    userId: string,
    query?: ListUserSessionsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<UserSessionList['sessions'][number], void, undefined>
  /**
   * Yields the items of every page of `listTenants`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  tenants(
    query?: ListTenantsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<TenantList['tenants'][number], void, undefined>
  /**
   * Yields the items of every page of `listMembers`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  members(
    tenantId: string,
    query?: ListMembersQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<MemberList['members'][number], void, undefined>
  /**
   * Yields the items of every page of `listInvitations`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  invitations(
    tenantId: string,
    query?: ListInvitationsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<InvitationList['invitations'][number], void, undefined>
  /**
   * Yields the items of every page of `listSsoEntries`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  ssoEntries(
    tenantId: string,
    query?: ListSsoEntriesQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<SsoEntryList['entries'][number], void, undefined>
  /**
   * Yields the items of every page of `listEvents`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  events(
    query?: ListEventsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<EventList['events'][number], void, undefined>
  /**
   * Yields the items of every page of `listRevocations`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  revocations(
    query?: ListRevocationsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<RevocationList['revocations'][number], void, undefined>
}
