import type { Endpoint } from './endpoint.js'
import type { Operations } from './endpoints.js'
import { toUsherError, type UsherError } from './errors.js'
import type { Exchange } from './exchange.js'
import { assertOptions } from './options.js'
import { isSuccess, type OperationOptions, operationChecks, requestOf } from './request.js'
import type { Result } from './result.js'
import type { ErrorCode, Problem, SignedInUser } from './schemas.js'
import { type CallOptions, type ConfirmOptions, send } from './send.js'

type Token = string | UsherError | undefined

/** Holds a user's token. */
export interface TokenHolder {
  /** Returns the JWT to send, or the error of an attempt to get one, which the call returns. */
  get(): Token | Promise<Token>
  /** Stores the JWT of a response, or removes it. */
  set(jwt: string | undefined, expiresAtMs?: number): unknown
  /**
   * Called when an operation is called. Returns a function that the operation calls before it stores or removes a token. It
   * returns false if the user has logged in or out by a later call: then nothing is stored. `isSession` is set for
   * `openSession` and `refreshSession`, which continue a login and do not overtake other calls.
   */
  startCall?(): (isSession?: unknown) => boolean
  /**
   * Replaces a JWT that the server has rejected. Returns true if there is another one, with which the request is sent once
   * more, or the error of an attempt to get one. If it returns false, the rejected JWT is removed.
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
  assertOptions(options, operationChecks)
  return Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      createOperation(endpoint, options, token),
    ]),
  ) as Pick<Operations, Name>
}

function createOperation(endpoint: Endpoint, options: OperationOptions, token: TokenHolder) {
  const { needsToken } = endpoint

  async function call(
    given: unknown[],
    decides = token.startCall?.() ?? (() => true),
    isSecond?: boolean,
  ): Promise<Result<unknown, ErrorCode>> {
    const rest = [...given]
    const request = requestOf(endpoint, options, rest)
    const { confirmation, token: own } = (rest[0] as (CallOptions & ConfirmOptions) | undefined) ?? {}
    const sent = own ?? ((needsToken && (await token.get())) || undefined)
    if (typeof sent === 'object') return { data: undefined, error: sent }
    if (sent) request.init.headers.Authorization = `Bearer ${sent}`
    if (confirmation) request.init.headers['Usher-Confirmation'] = confirmation
    const startedAt = Date.now()
    const sendOnce = () => send(request, options, rest[0] as CallOptions)
    let exchange = sent || needsToken !== true ? await sendOnce() : noToken
    // Only clients from which the server wants a proof load how it is made.
    if ((exchange.body as Partial<Problem> | undefined)?.work)
      exchange = await import('./work.js').then(
        ({ sendProven }) => sendProven(exchange, request, { ...(rest[0] as CallOptions), send: sendOnce }),
        () => exchange,
      )

    if (isSuccess(endpoint, exchange)) {
      const data = exchange.body as Partial<SignedInUser> | undefined
      if (endpoint.signsIn && data?.token && decides(endpoint.signsIn === 'session'))
        await token.set(data.token.jwt, startedAt + data.token.maxAge * 1000)
      if (endpoint.signsOut === 'all' && decides() && (await token.get()) === sent) await token.set(undefined)
      return { data, error: undefined }
    }
    const error = toUsherError(endpoint.codes, exchange)
    if (own || !refusals.includes(error.code)) return { data: undefined, error }
    const renewed = !isSecond && (await token.renew?.(sent))
    if (typeof renewed === 'object') return { data: undefined, error: renewed }
    // A login that finished meanwhile has stored another token, which stays.
    if (!renewed && (await token.get()) === sent) await token.set(undefined)
    return renewed || (sent && needsToken === 'optional' && !(await token.get()))
      ? call(given, decides, true)
      : { data: undefined, error }
  }

  return (...given: unknown[]) => call(given)
}

/** The response of the server to a request without a token, which is not sent. */
const noToken: Exchange = {
  body: { code: 'token_missing', status: 401, title: 'Access token is missing', detail: 'Log in first.' },
}

/** The codes of a token that the server rejects. Other codes say nothing about the token. */
const refusals: readonly ErrorCode[] = ['token_missing', 'token_invalid', 'token_expired']
