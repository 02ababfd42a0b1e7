import type { ErrorCode, Operations, SignedInUser } from './api.js'
import { toUsherError, type UsherError } from './errors.js'
import type { FetchInit } from './fetch.js'
import { type SendOptions, send } from './send.js'

/** How to send the requests of an operation, and how to read their responses. */
export interface Endpoint {
  method: FetchInit['method']
  /** Path below that of the database. */
  path: string
  /** Whether the first argument is an ID that completes the path. */
  hasId?: true
  hasBody?: true
  /** `optional`: the request is sent without a token if there is none, or if the server has refused it. */
  needsToken?: true | 'optional'
  acceptsIdempotencyKey?: true
  /** Whether the request may be sent again if there was no response. */
  isRepeatable?: true
  /** HTTP status of success. */
  status: number
  /** A field of every successful response, because a response may come from another service. */
  field?: string
  /** Whether the response has a new access token. */
  signsIn?: true
  /** Whether no token of the user is valid after a success. */
  signsOut?: true
  codes: readonly ErrorCode[]
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, including the waits before its retries. */
  signal?: AbortSignal | undefined
}

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type Result<Data, Code extends ErrorCode> =
  | { data: Data; error: undefined }
  | { data: undefined; error: UsherError<Code> }

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

/** The place of a user's token. */
export interface TokenHolder {
  /** Returns the JWT to send. */
  get(): string | undefined | Promise<string | undefined>
  /** Stores the JWT of a response, or removes it. */
  set(jwt: string | undefined, expiresAtMs?: number): unknown
  /**
   * Replaces or removes a JWT that the server has refused. Returns true if there is another one, with which the request is
   * sent once more, or the error of an attempt to get one. Without this function, a refused JWT is removed.
   */
  renew?(refused: string | undefined): Promise<boolean | UsherError>
}

/**
 * Creates the functions of the given operations. A bundler leaves out all others, and what only `createClient` needs.
 *
 * @example
 * ```ts
 * let jwt: string | undefined
 * const token = { get: () => jwt, set: (next: string | undefined) => void (jwt = next) }
 * const server = { baseUrl: 'http://localhost:3000', workspace: 'demo', database: 'app' }
 * const { login, me } = createOperations(users, server, token)
 * ```
 *
 * @throws {TypeError} if an option is missing or invalid
 */
export function createOperations<Name extends keyof Operations>(
  endpoints: Record<Name, Endpoint>,
  options: OperationOptions,
  token: TokenHolder,
): Pick<Operations, Name> {
  assertValid(options)
  const { baseUrl, workspace, database } = options

  async function call(
    endpoint: Endpoint,
    argument?: unknown,
    callOptions?: CallOptions,
    isSecond?: boolean,
  ): Promise<Result<unknown, ErrorCode>> {
    const { path, method, status, hasId, field } = endpoint
    // A text that is no ID could lead to another path, such as that of all sessions.
    const id = hasId ? String(argument).replace(/[^\w-]|^$/g, '_') : ''
    const url = `${baseUrl.replace(/\/+$/, '')}/workspaces/${workspace}/databases/${database}${path}${id}`
    const body = endpoint.hasBody && JSON.stringify(argument)
    const key = endpoint.acceptsIdempotencyKey && globalThis.crypto?.randomUUID?.()
    const sent = endpoint.needsToken && (await token.get())
    const init = {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
        ...(sent && { Authorization: `Bearer ${sent}` }),
      },
      ...(body && { body }),
    }
    const startedAt = Date.now()
    const exchange = await send(url, init, !!(endpoint.isRepeatable || key), options, callOptions?.signal)

    const data = exchange.body as SignedInUser | undefined
    if (exchange.response?.status === status && (!field || data?.[field as 'id'] !== undefined)) {
      if (endpoint.signsIn && data) await token.set(data.token.jwt, startedAt + data.token.maxAge * 1000)
      if (endpoint.signsOut && (await token.get()) === sent) await token.set(undefined)
      return { data, error: undefined }
    }
    const error = toUsherError(endpoint.codes, exchange)
    if (/^token_/.test(error.code)) {
      let isRenewed: boolean | UsherError = false
      if (token.renew && !isSecond) {
        isRenewed = await token.renew(sent || undefined)
        if (typeof isRenewed === 'object') return { data: undefined, error: isRenewed }
        // A login that finished meanwhile has stored another token, which stays.
      } else if ((await token.get()) === sent) await token.set(undefined)
      if (isRenewed || (sent && endpoint.needsToken === 'optional' && !(await token.get())))
        return call(endpoint, argument, callOptions, true)
    }
    return { data: undefined, error }
  }

  return Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      endpoint.hasBody || endpoint.hasId
        ? (argument?: unknown, options?: CallOptions) => call(endpoint, argument, options)
        : (options?: CallOptions) => call(endpoint, undefined, options),
    ]),
  ) as Pick<Operations, Name>
}

/** Pattern of the type and the value of each option. */
const validOptions = {
  baseUrl: /^string (https?:\/)?\/[^?#]*$/,
  workspace: /^string \w[\w-]{0,62}$/,
  database: /^string \w[\w-]{0,62}$/,
  fetch: /^(undefined|function)/,
  timeoutMs: /^(undefined|number [\dI])/,
  retries: /^(undefined|number [\dI])/,
  token: /^(undefined|string)/,
  tokenStore: /^(undefined|object|function)/,
  sessionStore: /^(undefined|object|function)/,
  label: /^(undefined|string \s*\S.{0,254}$)/s,
  onTokenChange: /^(undefined|function)/,
}

function assertValid(options: object) {
  for (const [name, pattern] of Object.entries(validOptions)) {
    const value = (options as Record<string, unknown>)[name]
    const text = typeof value === 'object' ? '' : String(value)
    if (!pattern.test(`${typeof value} ${text}`))
      throw new TypeError(`Usher client: ${name} is missing or invalid`)
  }
}
