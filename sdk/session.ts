import { type Client, endpoints } from './client.js'
import { deviceName } from './device-name.js'
import type { Endpoint } from './endpoint.js'
import type { Operations } from './endpoints.js'
import { createOperations } from './operation.js'
import type { Result } from './result.js'
import type { ErrorCode, SignedInUser } from './schemas.js'
import { withSecondFactor } from './second-factor.js'
import {
  createSessionTokens,
  operationsWith,
  type SessionClientOptions,
  sessionIdOf,
} from './session-tokens.js'

export type { AskSecondFactor, SecondFactorPrompt } from './second-factor.js'
export {
  createSecondFactorQuestions,
  type SecondFactorQuestion,
  type SecondFactorQuestions,
} from './second-factor-prompt.js'
export type { SessionClientOptions } from './session-tokens.js'

/**
 * Creates a client that stays logged in. It opens a session at each sign-up, login and password reset, and then ends the
 * one that it had. A change of the password ends all sessions, and the client opens another one. The client refreshes the
 * token before a call in the last third of the token's life, and once if the server has rejected the token. `token` stays
 * until the session ends. `expiresAt` is undefined. With `secondFactor`, it asks for the second factor where an operation needs it.
 *
 * @example
 * ```ts
 * const usher = createSessionClient({
 *   baseUrl: 'http://localhost:3000',
 *   workspace: 'demo',
 *   database: 'app',
 *   sessionStore: () => localStorage,
 * })
 * ```
 *
 * @throws {TypeError} that names an option that is missing or invalid
 */
export function createSessionClient(options: SessionClientOptions): Client {
  const tokens = createSessionTokens(options)
  const { login, holder, refreshToken, save } = tokens

  const end = (refreshToken: string | undefined) => refreshToken && operations.endSession({ refreshToken })

  async function open(jwt: string | undefined) {
    const startedAt = Date.now()
    const { data } = await operationsWith(options, jwt).openSession({ label: options.label ?? deviceName() })
    // Otherwise the user has logged out or in meanwhile.
    if (data && (await holder.get()) === jwt) await save(data, startedAt)
    else await end(data?.refreshToken.value)
  }

  /**
   * Removes the tokens of an ended session, also refreshed ones, unless the user has logged in meanwhile.
   *
   * @param session its ID or one of its refresh tokens
   */
  const leave = async (_data: unknown, session: string | undefined) =>
    session && sessionIdOf(session) === sessionIdOf(await refreshToken.get()) && tokens.set(undefined)

  const operations = createOperations(endpoints, options, { ...holder, ...tokens })
  const logins = createOperations(endpoints, options, {
    ...holder,
    ...tokens,
    async set(jwt, expiresAtMs) {
      // Reads the session now, because another login may have opened one since the call. Does not wait, because the user
      // could log out meanwhile.
      const former = refreshToken.stored()
      // The session of the former user ends with its token, so that no refresh in flight can bring it back.
      await Promise.all([tokens.set(jwt, expiresAtMs), tokens.forget()])
      await open(jwt)
      await end(await former)
    },
  })

  /** What follows a success, by what the operation does with the user's login. */
  const next: Record<string, Next | undefined> = {
    async renewal({ token }, former) {
      if (!token || token.jwt !== login.token) return
      const [current] = refreshToken.read()
      // An earlier login has opened a session meanwhile, perhaps of another user.
      const isOther = sessionIdOf(current) !== sessionIdOf(former)
      if (isOther) await tokens.forget()
      if (former) await open(token.jwt)
      if (isOther) await end(current)
    },
    all: leave,
    others: () => tokens.renew(login.token),
    one: (data, _former, id) => leave(data, id),
  }

  const { secondFactor: ask } = options
  const steps = ask && {
    ...operations,
    ask,
    verifySecondFactor: logins.verifySecondFactor,
    startCall: holder.startCall,
  }
  const followed = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const { signsIn, signsOut } = endpoint
    const operation = (signsIn === 'login' ? logins : operations)[name as keyof Operations] as Operation
    const asking = steps ? withSecondFactor(operation, endpoint, steps) : operation
    return [name, follow(asking, next[signsIn ?? signsOut ?? ''], refreshToken.stored)]
  })
  return Object.assign(login, Object.fromEntries(followed) as Operations, {
    async signOut() {
      holder.startCall()()
      const former = refreshToken.stored()
      await tokens.set(undefined)
      await end(await former)
    },
  })
}

type Operation = (...given: unknown[]) => Promise<Result<unknown, ErrorCode>>

/** Called after a success with the response, the refresh token at the call, and the first argument. */
type Next = (data: Partial<SignedInUser>, former: string | undefined, first: string) => unknown

const follow = (
  operation: Operation,
  next: Next | undefined,
  stored: () => Promise<string | undefined>,
): Operation =>
  next
    ? async (...given) => {
        // Calls the operation immediately, so that a later login is a later call.
        const [former, result] = await Promise.all([stored(), operation(...given)])
        if (!result.error) await next(result.data as SignedInUser, former, given[0] as string)
        return result
      }
    : operation
