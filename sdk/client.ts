import type { Answer } from './answer.js'
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
import { type SendOptions, send } from './send.js'
import { createTokenHolder, type TokenOptions } from './token.js'

/** Which users of which server, and how to talk to it. */
export interface ClientOptions extends SendOptions, TokenOptions {
  /** Where Usher is served, such as `https://users.example.com`; in a page a path such as `/usher` will do. */
  baseUrl: string
  /** Slug of the workspace. */
  workspace: string
  /** Name of the database. */
  database: string
}

/** For one call. */
export interface CallOptions {
  /** Aborts the call, the waits before its retries included. */
  signal?: AbortSignal | undefined
}

/** What a call resolves to: either `data` or `error`, the other one undefined. */
export type Result<Data, Code extends ErrorCode> =
  | { data: Data; error: undefined }
  | { data: undefined; error: UsherError<Code> }

/** The operations of one database, and the token of the user who is logged in. Its functions need no `this`. */
export interface Client {
  /**
   * Signs a user up, keeps the token. Sends an Idempotency-Key of its own making, so that a retry creates no
   * second user.
   */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<Result<SignedInUser, CreateUserErrorCode>>
  /** Logs a user in, keeps the token. */
  login(body: LoginBody, options?: CallOptions): Promise<Result<SignedInUser, LoginErrorCode>>
  /** Who the token's user is. An answer of 401 clears the token: log in again. */
  me(options?: CallOptions): Promise<Result<User, MeErrorCode>>
  /** The JWT that `me` sends; set it to keep another one, to undefined to log out. */
  token: string | undefined
  /**
   * When the token ends by this machine's clock, counted from the call that got it; undefined where there is no
   * token or it came from elsewhere.
   */
  readonly expiresAt: Date | undefined
}

/**
 * A client of one database.
 *
 * @throws {TypeError} that names the option which is missing or cannot be used
 */
export function createClient(options: ClientOptions): Client {
  requireUsable(options)
  const { workspace, database } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const base = `${baseUrl}/workspaces/${encodeURIComponent(workspace)}/databases/${encodeURIComponent(database)}`
  const users = `${base}/users`
  const token = createTokenHolder(`usher ${base}`, options)

  async function signIn<Code extends ErrorCode>(
    codes: readonly Code[],
    url: string,
    body: CreateUserBody | LoginBody,
    isRepeatable: boolean,
    signal: AbortSignal | undefined,
    headers?: Record<string, string>,
  ) {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    } as const
    const calledAt = Date.now()
    const answer = await send(url, init, isRepeatable, options, signal)
    const result = resultOf<SignedInUser, Code>(codes, answer)
    if (result.data) token.set(result.data.token.jwt, calledAt + result.data.token.maxAge * 1000)
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
      const answer = await send(`${users}/me`, { method: 'GET', headers }, true, options, signal)
      // A login may have brought another token meanwhile; the refusal is not about that one.
      if (answer.response?.status === 401 && token.get() === sent) token.set(undefined)
      return resultOf<User, (typeof problemCodes.me)[number]>(problemCodes.me, answer)
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

function requireUsable(options: ClientOptions) {
  for (const name of ['baseUrl', 'workspace', 'database'] as const) {
    // As steps of a path `.` and `..` mean another path, in every encoding.
    if (typeof options[name] !== 'string' || /^\.{0,2}$/.test(options[name])) {
      throw new TypeError(`createClient: ${name} is missing`)
    }
  }
}

/** A body without tenants, whatever its status, is none that an operation answers with. */
function resultOf<Data extends { tenants: string[] }, Code extends ErrorCode>(
  codes: readonly Code[],
  answer: Answer,
): Result<Data, Code | 'unavailable' | 'no_answer'> {
  const data = answer.body as Data | undefined
  return answer.response?.ok && data?.tenants
    ? { data, error: undefined }
    : { data: undefined, error: toUsherError(codes, answer) }
}
