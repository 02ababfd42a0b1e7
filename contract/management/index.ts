import { initContract } from '@ts-rest/core'
import { events } from './events.js'
import { service } from './service.js'
import { tenants } from './tenants.js'
import { userChanges } from './user-changes.js'
import { users } from './users.js'

export * from './events.js'
export { IdempotencyHeaders, type IfMatchHeaders } from './fields.js'
export { Scope, scopes } from './scopes.js'
export * from './tenants.js'
export * from './user-changes.js'
export * from './users.js'

/** The management API: what the backend of a product does with an API key. */
export const managementContract = initContract().router({
  users: { ...users, ...userChanges },
  tenants,
  events,
  service,
})
