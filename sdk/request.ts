import type { Endpoint } from './endpoint.js'
import type { Exchange } from './exchange.js'
import type { OptionChecks } from './options.js'
import { pathWith, type Query, queryText } from './path.js'
import { type SendableRequest, type SendOptions, sendChecks } from './send.js'

/** A database of a server, and options for sending requests to it. */
export interface OperationOptions extends SendOptions {
  /**
   * Root URL of the server, such as `https://users.example.com`, without query and fragment. In a page, a path such as
   * `/usher` works too.
   */
  baseUrl: string
  /** Slug of the workspace. */
  workspace: string
  /** Name of the database. */
  database: string
}

const name = /^\w[\w-]{0,62}$/
export const operationChecks: OptionChecks = {
  baseUrl: ['string', /^(https?:\/)?\/[^?#]*$/],
  workspace: ['string', name],
  database: ['string', name],
  ...sendChecks,
}

/**
 * Returns the request of a call.
 *
 * @param given the arguments: ids, the body or the query, and the options. Removes all but the options
 */
export function requestOf(
  { method, path, hasBody, hasQuery, acceptsIdempotencyKey, isRepeatable }: Endpoint<string>,
  { baseUrl, workspace, database }: OperationOptions,
  given: unknown[],
): SendableRequest {
  const below = pathWith(path, given)
  const query = queryText(hasQuery && (given.shift() as Query | undefined))
  const body = hasBody && JSON.stringify(given.shift())
  const key = acceptsIdempotencyKey && globalThis.crypto?.randomUUID?.()
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/workspaces/${workspace}/databases/${database}${below}${query}`,
    init: {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
      },
      ...(body && { body }),
    },
    isRepeatable: !!(isRepeatable || key),
  }
}

/** Returns whether a response is a success of the operation, and not of another service. */
export const isSuccess = ({ status, field }: Endpoint<string>, { response, body }: Exchange) =>
  response?.status === status && (!field || (body as Record<string, unknown>)?.[field] !== undefined)
