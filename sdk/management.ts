import {
  type ManagementLists,
  type ManagementOperations,
  managementEndpoints,
} from './management-endpoints.js'
import { createImport, type ManagementImport } from './management-import.js'
import {
  createManagementOperation,
  createPages,
  type ManagementEndpoint,
  type ManagementOptions,
} from './management-operation.js'
import { assertOptions } from './options.js'
import { operationChecks } from './request.js'

export { type ErrorData, UsherError } from './errors.js'
export type { Fetch, FetchInit, FetchResponse } from './fetch.js'
export type * from './management-endpoints.js'
export type { ManagementImport } from './management-import.js'
export type {
  ChangeOptions,
  ManagementOptions,
  ManagementResult,
  PostOptions,
} from './management-operation.js'
export type * from './management-schemas.js'
export { orThrow } from './result.js'
export type { CallOptions, SendOptions } from './send.js'

/** The operations of the management API on one database, and its lists as iterators. They work without `this`. */
export interface ManagementClient extends ManagementOperations, ManagementLists, ManagementImport {}

/**
 * Creates a client for the management API of one database. Only for servers, because anyone who has the API key can use it.
 *
 * @example
 * ```ts
 * const usher = createManagementClient({ baseUrl, workspace: 'demo', database: 'app', apiKey })
 * for await (const user of usher.users()) console.log(user.email)
 * ```
 *
 * @throws {Error} in a page, because a browser would leak the API key
 * @throws {TypeError} that names an option that is missing or invalid
 */
export function createManagementClient(options: ManagementOptions): ManagementClient {
  const { window } = globalThis as { window?: { document?: unknown } }
  if (window?.document)
    throw new Error(
      'Usher management client: use it on a server only, because a browser would leak the API key',
    )
  assertOptions(options, operationChecks)
  // The message does not contain the value, which logs would keep.
  if (!/^usher_\w+$/.test(String(options.apiKey)))
    throw new TypeError('Usher management client: apiKey must be a key that usher api-key create printed')
  const client: Record<string, unknown> = {}
  for (const [name, endpoint] of Object.entries<ManagementEndpoint>(managementEndpoints)) {
    const { items, iterator, path } = endpoint
    const call = createManagementOperation(endpoint, options)
    client[name] = call
    if (items && iterator) client[iterator] = createPages(items, path, call)
  }
  client.importAllUsers = createImport(client as unknown as ManagementOperations)
  return client as unknown as ManagementClient
}
