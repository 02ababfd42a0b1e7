import {
  type CreateUserBody,
  type CreateUserErrorCode,
  type LoginBody,
  type LoginErrorCode,
  type MeErrorCode,
  problemCodes,
  type SignedInUser,
  type User,
} from './api.js'
import { type ErrorCode, toUsherError, type UsherError } from './errors.js'
import type { Exchange } from './exchange.js'
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

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, including the waits before its retries. */
  signal?: AbortSignal | undefined
}

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type Result<Data, Code extends ErrorCode> =
  | { data: Data; error: undefined }
  | { data: undefined; error: UsherError<Code> }

/** The operations of one database and the token of the logged-in user. Its functions work without `this`. */
export interface Client {
  /** Signs up a user and stores the token. Sends a generated Idempotency-Key, so a retry does not create a second user. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<Result<SignedInUser, CreateUserErrorCode>>
  /** Logs in a user and stores the token. */
  login(body: LoginBody, options?: CallOptions): Promise<Result<SignedInUser, LoginErrorCode>>
  /** Returns the user of the token. Status 401 clears the token: log in again. */
  me(options?: CallOptions): Promise<Result<User, MeErrorCode>>
  /** The JWT that `me` sends. Set it to store another one, or to undefined to log out. */
  token: string | undefined
  /**
   * When the token expires by the local clock, counted from the start of the call that returned it. Undefined if there
   * is no token, or if the token was set by the caller.
   */
  readonly expiresAt: Date | undefined
}

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
  assertValid(options)
  const { workspace, database } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const base = `${baseUrl}/workspaces/${encodeURIComponent(workspace)}/databases/${encodeURIComponent(database)}`
  const users = `${base}/users`
  const token = createTokenAccess(`usher ${base}`, options)

  async function signIn<Code extends ErrorCode>(
    codes: readonly Code[],
    url: string,
    body: CreateUserBody | LoginBody,
    isIdempotent: boolean,
    signal: AbortSignal | undefined,
    headers?: Record<string, string>,
  ) {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    } as const
    const startedAt = Date.now()
    const result = toResult<SignedInUser, Code>(codes, await send(url, init, isIdempotent, options, signal))
    if (result.data) token.set(result.data.token.jwt, startedAt + result.data.token.maxAge * 1000)
    return result
  }

  return {
    async createUser(body, { signal } = {}) {
      const key = globalThis.crypto?.randomUUID?.()
      const headers = key ? { 'Idempotency-Key': key } : undefined
      return signIn(problemCodes.createUser, users, body, !!key, signal, headers)
    },
    login: async (body, { signal } = {}) => signIn(problemCodes.login, `${users}/login`, body, true, signal),
    async me({ signal } = {}) {
      const sent = token.get()
      const headers: Record<string, string> = sent ? { Authorization: `Bearer ${sent}` } : {}
      const exchange = await send(`${users}/me`, { method: 'GET', headers }, true, options, signal)
      // A login that finished meanwhile has stored another token, which stays.
      if (exchange.response?.status === 401 && token.get() === sent) token.set(undefined)
      return toResult<User, (typeof problemCodes.me)[number]>(problemCodes.me, exchange)
    },
    get token() {
      return token.get()
    },
    set token(jwt) {
      token.set(jwt || undefined)
    },
    get expiresAt() {
      return token.expiresAt()
    },
  }
}

function assertValid(options: ClientOptions) {
  for (const name of ['baseUrl', 'workspace', 'database'] as const) {
    // URL parsing removes the path segments `.` and `..`, even if they are percent-encoded.
    if (typeof options[name] !== 'string' || /^\.{0,2}$/.test(options[name])) {
      throw new TypeError(`createClient: ${name} must be a non-empty string other than . and ..`)
    }
  }
}

/** Requires `tenants` of a success, because the response may come from another service. */
function toResult<Data extends { tenants: string[] }, Code extends ErrorCode>(
  codes: readonly Code[],
  exchange: Exchange,
): Result<Data, Code | 'unavailable' | 'no_answer'> {
  const data = exchange.body as Data | undefined
  return exchange.response?.ok && data?.tenants
    ? { data, error: undefined }
    : { data: undefined, error: toUsherError(codes, exchange) }
}
