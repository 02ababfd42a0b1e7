import { initContract } from '@ts-rest/core'
import { service } from './service.js'
import { users } from './users.js'

export { IdempotencyHeaders } from './fields.js'
export { Scope, scopes } from './scopes.js'
export * from './users.js'

/** The management API: what the backend of a product does with an API key. */
export const managementContract = initContract().router({ users, service })
