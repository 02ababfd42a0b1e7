import { type Operations, type SignedInUser, users } from './api.js'
import { toUsherError } from './errors.js'
import type { CallOptions, Endpoint } from './operation.js'
import { type SendOptions, send } from './send.js'
import { createTokenAccess, type TokenOptions } from './token.js'

/** Options of a client. */
export interface ClientOptions extends SendOptions, TokenOptions {
  /** Root URL of the server, such as `https://users.example.com`. In a page, a path such as `/usher` works too. */
  baseUrl: string
  /** Slug of the workspace. */
  workspace: string
  /** Name of the database. */
  database: string
}

/** The token of the logged-in user. */
export interface Login {
  /** The JWT of later calls. Set it to store another one, or to undefined to log out. */
  token: string | undefined
  /**
   * When the token expires by the local clock, counted from the start of the call that returned it. Undefined if there
   * is no token, or if the token was set by the caller.
   */
  readonly expiresAt: Date | undefined
}

/** The operations of one database and the token of the logged-in user. Its functions work without `this`. */
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
 * @throws {TypeError} if `baseUrl`, `workspace` or `database` is missing or invalid
 */
export function createClient(options: ClientOptions): Client {
  // Does not compile until it has each operation of the contract.
  return createClientWith({ ...users } satisfies Record<keyof Operations, Endpoint>, options)
}

/**
 * Creates a client that has only the given operations, so that a bundler leaves out all others.
 *
 * @example
 * ```ts
 * const usher = createClientWith(users, { baseUrl: 'http://localhost:3000', workspace: 'demo', database: 'app' })
 * ```
 *
 * @throws {TypeError} if `baseUrl`, `workspace` or `database` is missing or invalid
 */
export function createClientWith<Name extends keyof Operations>(
  endpoints: Record<Name, Endpoint>,
  options: ClientOptions,
): Pick<Operations, Name> & Login {
  assertValid(options)
  const { workspace, database } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const urlOf = (path: string) =>
    baseUrl +
    path
      .replace('{workspaceSlug}', encodeURIComponent(workspace))
      .replace('{databaseName}', encodeURIComponent(database))
  const token = createTokenAccess(
    `usher ${urlOf('/workspaces/{workspaceSlug}/databases/{databaseName}')}`,
    options,
  )

  async function call(endpoint: Endpoint, body: unknown, { signal }: CallOptions = {}) {
    const key = endpoint.acceptsIdempotencyKey && globalThis.crypto?.randomUUID?.()
    const sent = endpoint.needsToken && token.get()
    const init = {
      method: endpoint.method,
      headers: {
        ...(endpoint.hasBody && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
        ...(sent && { Authorization: `Bearer ${sent}` }),
      },
      ...(endpoint.hasBody && { body: JSON.stringify(body) }),
    }
    const startedAt = Date.now()
    const exchange = await send(urlOf(endpoint.path), init, !!(endpoint.isRepeatable || key), options, signal)

    const data = exchange.body as SignedInUser | undefined
    const { status, field } = endpoint
    if (exchange.response?.status === status && (!field || data?.[field as 'id'] !== undefined)) {
      if (endpoint.signsIn && data) token.set(data.token.jwt, startedAt + data.token.maxAge * 1000)
      return { data, error: undefined }
    }
    const error = toUsherError(endpoint.codes, exchange)
    // A login that finished meanwhile has stored another token, which stays.
    if (/^token_/.test(error.code) && token.get() === sent) token.set(undefined)
    return { data: undefined, error }
  }

  const operations = Object.entries<Endpoint>(endpoints).map(([id, endpoint]) => [
    id,
    endpoint.hasBody
      ? (body: unknown, options?: CallOptions) => call(endpoint, body, options)
      : (options?: CallOptions) => call(endpoint, undefined, options),
  ])
  return Object.assign(
    {
      get token() {
        return token.get()
      },
      set token(jwt) {
        token.set(jwt || undefined)
      },
      get expiresAt() {
        return token.expiresAt()
      },
    },
    Object.fromEntries(operations) as Pick<Operations, Name>,
  )
}

function assertValid(options: ClientOptions) {
  for (const name of ['baseUrl', 'workspace', 'database'] as const) {
    // URL parsing removes the path segments `.` and `..`, even if they are percent-encoded.
    if (typeof options[name] !== 'string' || /^\.{0,2}$/.test(options[name])) {
      throw new TypeError(`createClient: ${name} must be a non-empty string other than . and ..`)
    }
  }
}
