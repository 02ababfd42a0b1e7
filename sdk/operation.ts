import type { Endpoint } from './endpoint.js'
import type { Operations } from './endpoints.js'
import { toUsherError, type UsherError } from './errors.js'
import type { Exchange } from './exchange.js'
import { assertOptions } from './options.js'
import type { Result } from './result.js'
import type { ErrorCode, SignedInUser } from './schemas.js'
import { type CallOptions, type SendOptions, send, sendPatterns } from './send.js'

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

type Token = string | UsherError | undefined

/** The place of a user's token. */
export interface TokenHolder {
  /** Returns the JWT to send, or the error of an attempt to get one, which the call returns. */
  get(): Token | Promise<Token>
  /** Stores the JWT of a response, or removes it. */
  set(jwt: string | undefined, expiresAtMs?: number): unknown
  /**
   * Replaces a JWT that the server has refused. Returns true if there is another one, with which the request is sent once
   * more, or the error of an attempt to get one. If it returns false, the refused JWT is removed.
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
 * @throws {TypeError} that names an option that is missing or invalid
 */
export function createOperations<Name extends keyof Operations>(
  endpoints: Record<Name, Endpoint>,
  options: OperationOptions,
  token: TokenHolder,
): Pick<Operations, Name> {
  assertOptions(options, patterns)
  return Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      createOperation(endpoint, options, token),
    ]),
  ) as Pick<Operations, Name>
}

function createOperation(endpoint: Endpoint, options: OperationOptions, token: TokenHolder) {
  const { hasBody, hasId, needsToken, field } = endpoint

  async function call(
    argument?: unknown,
    callOptions?: CallOptions,
    isSecond?: boolean,
  ): Promise<Result<unknown, ErrorCode>> {
    const { baseUrl, workspace, database } = options
    // A text that is no ID could lead to another path, such as that of all sessions.
    const id = hasId ? String(argument).replace(/[^\w-]|^$/g, '_') : ''
    const body = hasBody && JSON.stringify(argument)
    const key = endpoint.acceptsIdempotencyKey && globalThis.crypto?.randomUUID?.()
    const sent = (needsToken && (await token.get())) || undefined
    if (typeof sent === 'object') return { data: undefined, error: sent }
    const request = {
      url: `${baseUrl.replace(/\/+$/, '')}/workspaces/${workspace}/databases/${database}${endpoint.path}${id}`,
      init: {
        method: endpoint.method,
        headers: {
          ...(body && { 'Content-Type': 'application/json' }),
          ...(key && { 'Idempotency-Key': key }),
          ...(sent && { Authorization: `Bearer ${sent}` }),
        },
        ...(body && { body }),
      },
      isRepeatable: !!(endpoint.isRepeatable || key),
    }
    const startedAt = Date.now()
    const exchange = sent || needsToken !== true ? await send(request, options, callOptions) : noToken

    const data = exchange.body as SignedInUser | undefined
    if (exchange.response?.status === endpoint.status && (!field || data?.[field as 'id'] !== undefined)) {
      if (endpoint.signsIn && data) await token.set(data.token.jwt, startedAt + data.token.maxAge * 1000)
      if (endpoint.signsOut && (await token.get()) === sent) await token.set(undefined)
      return { data, error: undefined }
    }
    const error = toUsherError(endpoint.codes, exchange)
    if (!refusals.includes(error.code)) return { data: undefined, error }
    const renewed = !isSecond && (await token.renew?.(sent))
    if (typeof renewed === 'object') return { data: undefined, error: renewed }
    // A login that finished meanwhile has stored another token, which stays.
    if (!renewed && (await token.get()) === sent) await token.set(undefined)
    return renewed || (sent && needsToken === 'optional' && !(await token.get()))
      ? call(argument, callOptions, true)
      : { data: undefined, error }
  }

  return hasBody || hasId
    ? (argument?: unknown, options?: CallOptions) => call(argument, options)
    : (options?: CallOptions) => call(undefined, options)
}

/** The response of the server to a request without a token, which is not sent. */
const noToken: Exchange = {
  body: { code: 'token_missing', status: 401, title: 'Access token is missing', detail: 'Log in first.' },
}

/** The codes of a token that the server refuses. The others say nothing about the token. */
const refusals: readonly ErrorCode[] = ['token_missing', 'token_invalid', 'token_expired']

const namePattern = /^string \w[\w-]{0,62}$/
/** What the options of a client must match. */
export const patterns = {
  baseUrl: /^string (https?:\/)?\/[^?#]*$/,
  workspace: namePattern,
  database: namePattern,
  ...sendPatterns,
}
