// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

import type {
  ChangeOptions,
  ManagementEndpoint,
  ManagementResult,
  PostOptions,
} from './management-operation.js'
import type {
  AddTenantBody,
  AddUserBody,
  ChangeTenantBody,
  ChangeUserBody,
  CreateCodeBody,
  EventList,
  ListEventsQuery,
  ListMembersQuery,
  ListTenantsQuery,
  ListUserSessionsQuery,
  ListUsersQuery,
  ManagedTenant,
  ManagedUser,
  MemberList,
  PutMemberBody,
  SetPasswordBody,
  TenantList,
  UserCode,
  UserList,
  UserSessionList,
} from './management-schemas.js'
import type { CallOptions } from './send.js'

/** Endpoints of the management API. */
export const managementEndpoints = {
  listUsers: {
    method: 'GET',
    path: '/users',
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
      'tenant_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  addUser: {
    method: 'POST',
    path: '/users',
    bodyType: 'application/json',
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'email',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'tenant_not_found',
      'database_not_found',
      'request_timeout',
      'email_taken',
      'external_id_taken',
      'refused',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  user: {
    method: 'GET',
    path: '/users/{userId}',
    isRepeatable: true,
    status: 200,
    field: 'email',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  changeUser: {
    method: 'PATCH',
    path: '/users/{userId}',
    bodyType: 'application/json',
    status: 200,
    field: 'email',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'email_taken',
      'precondition_failed',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  removeUser: {
    method: 'DELETE',
    path: '/users/{userId}',
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  setUserPassword: {
    method: 'PUT',
    path: '/users/{userId}/password',
    bodyType: 'application/json',
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  listUserSessions: {
    method: 'GET',
    path: '/users/{userId}/sessions',
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
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  endUserSessions: {
    method: 'DELETE',
    path: '/users/{userId}/sessions',
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  createUserCode: {
    method: 'POST',
    path: '/users/{userId}/codes',
    bodyType: 'application/json',
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'code',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'refused',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  unlockUser: {
    method: 'DELETE',
    path: '/users/{userId}/failed-logins',
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  listTenants: {
    method: 'GET',
    path: '/tenants',
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
    path: '/tenants',
    bodyType: 'application/json',
    acceptsIdempotencyKey: true,
    status: 201,
    field: 'name',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'database_not_found',
      'request_timeout',
      'external_id_taken',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  tenant: {
    method: 'GET',
    path: '/tenants/{tenantId}',
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'tenant_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  changeTenant: {
    method: 'PATCH',
    path: '/tenants/{tenantId}',
    bodyType: 'application/json',
    isRepeatable: true,
    status: 200,
    field: 'name',
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'tenant_not_found',
      'database_not_found',
      'request_timeout',
      'external_id_taken',
      'precondition_failed',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  removeTenant: {
    method: 'DELETE',
    path: '/tenants/{tenantId}',
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
    path: '/tenants/{tenantId}/members',
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
      'tenant_not_found',
      'database_not_found',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  putMember: {
    method: 'PUT',
    path: '/tenants/{tenantId}/members/{userId}',
    bodyType: 'application/json',
    isRepeatable: true,
    status: 204,
    codes: [
      'malformed_json',
      'validation_failed',
      'malformed_request',
      'key_invalid',
      'insufficient_scope',
      'tenant_not_found',
      'user_not_found',
      'database_not_found',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
  },
  removeMember: {
    method: 'DELETE',
    path: '/tenants/{tenantId}/members/{userId}',
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
  listEvents: {
    method: 'GET',
    path: '/events',
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
      'events_not_kept',
      'cursor_expired',
      'headers_too_large',
      'internal_error',
      'unavailable',
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

/** Every `error.code` of `listUserSessions`. */
export type ListUserSessionsErrorCode =
  | (typeof managementEndpoints.listUserSessions.codes)[number]
  | 'no_answer'

/** Every `error.code` of `endUserSessions`. */
export type EndUserSessionsErrorCode =
  | (typeof managementEndpoints.endUserSessions.codes)[number]
  | 'no_answer'

/** Every `error.code` of `createUserCode`. */
export type CreateUserCodeErrorCode = (typeof managementEndpoints.createUserCode.codes)[number] | 'no_answer'

/** Every `error.code` of `unlockUser`. */
export type UnlockUserErrorCode = (typeof managementEndpoints.unlockUser.codes)[number] | 'no_answer'

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

/** Every `error.code` of `listEvents`. */
export type ListEventsErrorCode = (typeof managementEndpoints.listEvents.codes)[number] | 'no_answer'

/** The operations of the management API as functions. */
export interface ManagementOperations {
  /** Returns users ordered by id, which is the order of sign-up. Needs the scope `users:read`. */
  listUsers(
    query?: ListUsersQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<UserList, ListUsersErrorCode>>
  /** Adds a user with the given tenants: all of it or nothing. Without `password` and `passwordHash`, the user cannot log in before choosing a password by a code. Also needs `credentials:write` for `password`, `passwordHash` and `emailVerified`, and `tenants:write` for `tenants`. Needs the scope `users:write`. */
  addUser(
    body: AddUserBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<ManagedUser, AddUserErrorCode>>
  /** Returns a user as currently stored, with tenants and the number of sessions. Needs the scope `users:read`. */
  user(userId: string, options?: CallOptions): Promise<ManagementResult<ManagedUser, UserErrorCode>>
  /** Changes the given fields. With `If-Match`, only if the user still has the ETag of an earlier response. Also needs `credentials:write` for `email` and `emailVerified`. Needs the scope `users:write`. */
  changeUser(
    userId: string,
    body: ChangeUserBody,
    options?: CallOptions & ChangeOptions,
  ): Promise<ManagementResult<ManagedUser, ChangeUserErrorCode>>
  /** Deletes the user and what belongs to the user. The tenants stay. Succeeds also if there is no such user. Needs the scope `users:write`. */
  removeUser(userId: string, options?: CallOptions): Promise<ManagementResult<undefined, RemoveUserErrorCode>>
  /** Ends all sessions, and revokes tokens and codes to choose a password. Also needs `credentials:write`. Needs the scope `users:write`. */
  setUserPassword(
    userId: string,
    body: SetPasswordBody,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, SetUserPasswordErrorCode>>
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
  /** Creates a code to choose a new password or to verify the address. Also needs `credentials:write` to return it. Needs the scope `users:write`. */
  createUserCode(
    userId: string,
    body: CreateCodeBody,
    options?: CallOptions & PostOptions,
  ): Promise<ManagementResult<UserCode, CreateUserCodeErrorCode>>
  /** A throttled user can log in immediately. Needs the scope `users:write`. */
  unlockUser(userId: string, options?: CallOptions): Promise<ManagementResult<undefined, UnlockUserErrorCode>>
  /** Returns tenants ordered by id, which is the order of creation. Needs the scope `tenants:read`. */
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
  tenant(tenantId: string, options?: CallOptions): Promise<ManagementResult<ManagedTenant, TenantErrorCode>>
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
  /** Returns the users of a tenant ordered by id, which is the order of sign-up. Needs the scope `tenants:read`. */
  listMembers(
    tenantId: string,
    query?: ListMembersQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<MemberList, ListMembersErrorCode>>
  /** Also succeeds for a member. Tokens contain the tenant from the next login on. Needs the scope `tenants:write`. */
  putMember(
    tenantId: string,
    userId: string,
    body?: PutMemberBody | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, PutMemberErrorCode>>
  /** Also succeeds if the user is not a member. Existing tokens contain the tenant until they expire. Needs the scope `tenants:write`. */
  removeMember(
    tenantId: string,
    userId: string,
    options?: CallOptions,
  ): Promise<ManagementResult<undefined, RemoveMemberErrorCode>>
  /** Returns the events that follow a cursor, each at least once and none skipped. They are kept for the days of the setting `--events-kept` of the database. A server that cannot let the request wait returns an empty list with `Retry-After`. Needs the scope `events:read`. */
  listEvents(
    query?: ListEventsQuery | undefined,
    options?: CallOptions,
  ): Promise<ManagementResult<EventList, ListEventsErrorCode>>
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
   * Yields the items of every page of `listEvents`, and requests a page when it is needed.
   *
   * @throws {UsherError} if a request fails
   */
  events(
    query?: ListEventsQuery | undefined,
    options?: CallOptions,
  ): AsyncGenerator<EventList['events'][number], void, undefined>
}
