export type {
  AccessToken,
  CreateUserBody,
  CreateUserErrorCode,
  FieldError,
  FieldErrorCode,
  LoginBody,
  LoginErrorCode,
  MeErrorCode,
  SignedInUser,
  User,
} from './api.js'
export { type CallOptions, type Client, type ClientOptions, createClient, type Result } from './client.js'
export { type ErrorCode, UsherError } from './errors.js'
export type { Fetch, FetchInit, FetchResponse } from './fetch.js'
export type { SendOptions } from './send.js'
export type { TokenOptions, TokenStore } from './token.js'
