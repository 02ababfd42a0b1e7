import type { Session } from './api.js'
import { type Client, type ClientOptions, endpoints, keyOf } from './client.js'
import { createOperations, type TokenHolder } from './operation.js'
import { createLogin, type TokenStore } from './token.js'

/** Options of a client that stays logged in. */
export interface SessionClientOptions extends ClientOptions {
  /** Stores the refresh token, under a key for each database. Memory by default. */
  sessionStore?: TokenStore | (() => TokenStore) | undefined
}

/** What browsers have, except in pages served over plain HTTP. */
interface Browser {
  navigator?: { locks?: { request<Result>(name: string, work: () => Promise<Result>): Promise<Result> } }
}

/**
 * Creates a client that stays logged in. It opens a session at each sign-up, login and password reset. It refreshes the
 * token when a call is about to be made in the last third of the token's life, and once if the server has refused the
 * token. `token` stays until the session ends; `expiresAt` is undefined.
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
 * @throws {TypeError} if an option is missing or invalid
 */
export function createSessionClient(options: SessionClientOptions): Client {
  const key = keyOf(options)
  /** The refresh token. It expires there when the token is to be refreshed. */
  const stored = createLogin(`${key}.session`, { tokenStore: options.sessionStore })
  const refreshToken = stored.holder
  const { login, holder } = createLogin(key, options, () => refreshToken.set(undefined))
  // The token of a refresh is stored here, because the user may have logged out meanwhile.
  const { refreshSession } = createOperations(
    { refreshSession: { ...endpoints.refreshSession, signsIn: undefined } },
    options,
    holder,
  )
  let refreshing: Promise<boolean> | undefined

  const save = (session: Session, startedAt: number) =>
    refreshToken.set(session.refreshToken.value, startedAt + (session.token.maxAge * 2000) / 3)

  /** Runs one at a time over all tabs, where the platform has Web Locks. */
  const locked = (work: () => Promise<boolean>) =>
    (globalThis as Browser).navigator?.locks?.request(key, work) ?? work()

  /** Refreshes the token unless another one has replaced it. Returns whether there is another one. */
  function refresh(stale: string | undefined) {
    refreshing ??= locked(async () => {
      const value = await refreshToken.get()
      if (value && (await holder.get()) === stale) {
        const startedAt = Date.now()
        const { data, error } = await refreshSession({ refreshToken: value })
        // Otherwise the user has logged out or in meanwhile.
        if ((await refreshToken.get()) === value) {
          if (data) {
            await save(data, startedAt)
            await holder.set(data.token.jwt)
          } else if (error.code === 'session_ended') {
            await refreshToken.set(undefined)
            await holder.set(undefined)
          }
        }
      }
      const token = await holder.get()
      return !!token && token !== stale
    }).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  const refreshingHolder: TokenHolder = {
    async get() {
      const token = await holder.get()
      // `stored.login.token` is undefined from the last third of the token's life on.
      if ((await refreshToken.get()) && !(token && stored.login.token)) await refresh(token)
      return holder.get()
    },
    // Without its expiry, because a client with a session is logged in until the session ends.
    set: (jwt) => holder.set(jwt),
    async renew(refused) {
      if (await refreshToken.get()) return refresh(refused)
      if ((await holder.get()) === refused) await holder.set(undefined)
      return false
    },
  }

  const opening =
    <Parameters extends unknown[], Answer extends { data?: unknown }>(
      operation: (...parameters: Parameters) => Promise<Answer>,
    ) =>
    async (...parameters: Parameters) => {
      const result = await operation(...parameters)
      if (result.data) {
        await refreshToken.set(undefined)
        const startedAt = Date.now()
        const { data } = await client.openSession()
        if (data) await save(data, startedAt)
      }
      return result
    }

  const client: Client = Object.assign(login, createOperations(endpoints, options, refreshingHolder))
  const { signOut } = client
  return Object.assign(client, {
    createUser: opening(client.createUser),
    login: opening(client.login),
    resetPassword: opening(client.resetPassword),
    async signOut() {
      const value = await refreshToken.get()
      await refreshToken.set(undefined)
      await signOut()
      if (value) await client.endSession({ refreshToken: value })
    },
  })
}
