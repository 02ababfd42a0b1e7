import { initContract } from '@ts-rest/core'
import { discovery } from './discovery.js'
import { operations } from './operations.js'
import { users } from './users.js'

export * from './database-path.js'
export * from './discovery.js'
export { canonicalEmail } from './email.js'
export { Health, ProblemType } from './operations.js'
export * from './problems.js'
export * from './users.js'

/** The whole API: what the server implements, the SDK is typed by and the OpenAPI document is made from. */
export const contract = initContract().router({ users, discovery, operations })
