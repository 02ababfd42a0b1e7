import { initContract } from '@ts-rest/core'
import { events } from './events.js'
import { invitations } from './invitations.js'
import { mailSettings } from './mail-settings.js'
import { members } from './members.js'
import { revocations } from './revocations.js'
import { service } from './service.js'
import { sso } from './sso.js'
import { tenants } from './tenants.js'
import { userChanges } from './user-changes.js'
import { userCodes } from './user-codes.js'
import { userFactors } from './user-factors.js'
import { userIdentities } from './user-identities.js'
import { userImport } from './user-import.js'
import { userSessions } from './user-sessions.js'
import { users } from './users.js'

export * from './events.js'
export { IdempotencyHeaders, managementBytes, PageQuery } from './fields.js'
export * from './invitations.js'
export * from './mail-settings.js'
export * from './members.js'
export * from './revocations.js'
export { Scope, scopes } from './scopes.js'
export * from './sso.js'
export * from './tenants.js'
export * from './user-changes.js'
export * from './user-codes.js'
export * from './user-factors.js'
export { ListUsersQuery, type UserOrder } from './user-filters.js'
export * from './user-identities.js'
export * from './user-import.js'
export * from './user-line.js'
export * from './user-sessions.js'
export * from './users.js'

/** The management API: what the backend of a product does with an API key. */
export const managementContract = initContract().router({
  users: {
    ...users,
    ...userChanges,
    ...userSessions,
    ...userIdentities,
    ...userFactors,
    ...userCodes,
    ...userImport,
  },
  tenants: { ...tenants, ...members },
  invitations,
  sso,
  mailSettings,
  events,
  revocations,
  service,
})
