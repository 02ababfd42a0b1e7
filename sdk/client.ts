import type { Endpoint } from './endpoint.js'
import {
  codes,
  connections,
  emailChange,
  factors,
  features,
  identities,
  invitations,
  logins,
  me,
  type Operations,
  passkeys,
  sessions,
  sso,
  tenants,
  users,
  work,
} from './endpoints.js'
import { createOperations } from './operation.js'
import type { OperationOptions } from './request.js'
import { createLogin, type Login } from './token.js'
import type { TokenOptions } from './token-holder.js'

/** Options of a client. */
export interface ClientOptions extends OperationOptions, TokenOptions {}

/** The operations of one database and the login of a user. Its functions work without `this`. */
export interface Client extends Operations, Login {}

/**
 * Creates a client for one database.
 *
 * @example
 * ```ts
 * const usher = createClient({ baseUrl: 'http://localhost:3000', workspace: 'demo', database: 'app' })
 * const { data, error } = await usher.login({ email, password })
 * ```
 *
 * @throws {TypeError} that names an option that is missing or invalid
 */
export function createClient(options: ClientOptions): Client {
  const { login, holder } = createLogin(keyOf(options), options)
  return Object.assign(login, createOperations(endpoints, options, holder))
}

// Does not compile until it has each operation of the contract.
export const endpoints = {
  ...users,
  ...logins,
  ...connections,
  ...sessions,
  ...me,
  ...identities,
  ...factors,
  ...passkeys,
  ...codes,
  ...emailChange,
  ...tenants,
  ...invitations,
  ...sso,
  ...features,
  ...work,
} satisfies Record<keyof Operations, Endpoint>

/** Returns the key of a database in stores. Only characters that cookies and expo-secure-store allow. */
export function keyOf({ baseUrl, workspace, database }: ClientOptions) {
  const server = String(baseUrl).replace(/[^a-z\d.-]/gi, (char) => `_${char.charCodeAt(0).toString(16)}`)
  return `usher.${workspace}.${database}.${server}`
}
