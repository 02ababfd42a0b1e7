import { initContract } from '@ts-rest/core'
import { account } from './account.js'
import { discovery } from './discovery.js'
import { operations } from './operations.js'
import { users } from './users.js'

export * from './account.js'
export * from './database-path.js'
export * from './discovery.js'
export { canonicalEmail, Email } from './email.js'
export { FieldError, FieldErrorCode, toFieldError } from './field-errors.js'
export type { RouteMetadata } from './metadata.js'
export { Health, ProblemType } from './operations.js'
export * from './problems.js'
export * from './users.js'

/** The whole API. The server implements it, and the OpenAPI document and the types of the SDK are generated from it. */
export const contract = initContract().router({ users, account, discovery, operations })
