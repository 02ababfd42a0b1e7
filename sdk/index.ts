export type * from './api.js'
export { codes, me, sessions, users } from './api.js'
export { type Client, type ClientOptions, createClient } from './client.js'
export { type ErrorData, orThrow, UsherError } from './errors.js'
export type { Fetch, FetchInit, FetchResponse } from './fetch.js'
export {
  type CallOptions,
  createOperations,
  type Endpoint,
  type OperationOptions,
  type Result,
  type TokenHolder,
} from './operation.js'
export type { SendOptions } from './send.js'
export type { Login, TokenOptions, TokenStore } from './token.js'
