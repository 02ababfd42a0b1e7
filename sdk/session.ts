import type { ErrorCode, Session, SignedInUser } from './api.js'
import { type Client, type ClientOptions, endpoints, keyOf } from './client.js'
import type { UsherError } from './errors.js'
import { createOperations, type Result } from './operation.js'
import { createLogin, type TokenStore } from './token.js'

/** Options of a client that stays logged in. */
export interface SessionClientOptions extends ClientOptions {
  /** Stores the refresh token, under a key for each database. Memory by default. */
  sessionStore?: TokenStore | (() => TokenStore) | undefined
  /** What the list of sessions calls those of this client, such as the name of the device. At most 255 characters. */
  label?: string | undefined
}

interface Browser {
  /** Not in pages served over plain HTTP. */
  navigator?: { locks?: { request<Result>(name: string, work: () => Promise<Result>): Promise<Result> } }
  /** On a server, which has no window, a listener would keep the client of each request in memory. */
  window?: { addEventListener?(type: 'storage', listener: () => void): void }
}

/**
 * Creates a client that stays logged in. It opens a session at each sign-up, login and password reset, and then ends the
 * one that it had. A change of the password ends all sessions; the client opens another one. It refreshes the token when a
 * call is about to be made in the last third of the token's life, and once if the server has refused the token. `token`
 * stays until the session ends; `expiresAt` is undefined.
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
  const refreshToken = createLogin(`${key}.session`, { tokenStore: options.sessionStore }).holder
  const { login, holder } = createLogin(key, options, forget)
  /** The ID of the session to which a token in memory belongs. */
  let sessionId: string | undefined
  let refreshing: Promise<boolean | UsherError> | undefined

  /** Returns operations that store no token, because the user may log out or in meanwhile. */
  const operationsWith = (jwt?: string) => createOperations(endpoints, options, { get: () => jwt, set() {} })

  /** Stores the tokens of a session. */
  async function save({ token, refreshToken: { value } }: Session, startedAt: number) {
    sessionId = sessionIdOf(value)
    await refreshToken.set(value)
    await refreshingHolder.set(token.jwt, startedAt + token.maxAge * 1000)
  }

  function forget() {
    sessionId = undefined
    return refreshToken.set(undefined)
  }

  /**
   * Refreshes the token unless another one has replaced it. Returns whether there is another one, or the error.
   *
   * @param first the refresh token, which another tab may replace meanwhile
   */
  function refresh(stale: string | undefined, first: string) {
    const work = async () => {
      const value = await refreshToken.get()
      if (value && (await holder.get()) === stale) {
        const startedAt = Date.now()
        const { data, error } = await operationsWith().refreshSession({ refreshToken: value })
        const current = await refreshToken.get()
        // Otherwise the user has logged out or in meanwhile. Without Web Locks, two tabs get the same refresh token.
        if (data && (current === value || current === data.refreshToken.value)) await save(data, startedAt)
        else if (error && current === value) {
          if (error.code !== 'session_ended') return error
          await forget()
          // A change of the password, which has ended the session, may have stored another token meanwhile.
          if ((await holder.get()) === stale) await holder.set(undefined)
        }
      }
      const token = await holder.get()
      return !!token && token !== stale
    }
    // One at a time over all tabs with the session, where the platform has Web Locks and the browser does not deny them.
    refreshing ??= (
      (globalThis as Browser).navigator?.locks?.request(key + sessionIdOf(first), work).catch(work) ?? work()
    ).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  const refreshingHolder = {
    async get() {
      const token = await holder.get()
      const value = await refreshToken.get()
      if (value && !(token && holder.isFresh())) await refresh(token, value)
      return holder.get()
    },
    // The last third of its life begins at the expiry that is stored.
    set: (jwt: string | undefined, expiresAtMs: number) =>
      holder.set(jwt, expiresAtMs - (expiresAtMs - Date.now()) / 3),
    async renew(refused: string | undefined) {
      const value = await refreshToken.get()
      if (value) return refresh(refused, value)
      if ((await holder.get()) === refused) await holder.set(undefined)
      return false
    },
  }

  const after =
    <Parameters extends unknown[], Data>(
      operation: (...parameters: Parameters) => Promise<Result<Data, ErrorCode>>,
      next: (data: Data, former: string | undefined, first: Parameters[0]) => unknown,
    ) =>
    async (...parameters: Parameters) => {
      const former = await refreshToken.get()
      const result = await operation(...parameters)
      if (!result.error) await next(result.data, former, parameters[0])
      return result
    }

  const end = (refreshToken: string | undefined) => refreshToken && client.endSession({ refreshToken })

  async function open({ token: { jwt } }: SignedInUser) {
    const startedAt = Date.now()
    const { data } = await operationsWith(jwt).openSession({ label: options.label })
    // Otherwise the user has logged out or in meanwhile.
    if (data && (await holder.get()) === jwt) await save(data, startedAt)
    else await end(data?.refreshToken.value)
  }

  async function replace(data: SignedInUser, former: string | undefined) {
    await forget()
    await open(data)
    await end(former)
  }

  // Another tab has logged out or in. Tabs that share a `tokenStore` share the token, too.
  if (!options.tokenStore)
    (globalThis as Browser).window?.addEventListener?.('storage', async () => {
      if (sessionId && sessionIdOf(await refreshToken.get()) !== sessionId) await holder.set(undefined)
    })

  const client: Client = Object.assign(login, createOperations(endpoints, options, refreshingHolder))
  const { signOut } = client
  return Object.assign(client, {
    createUser: after(client.createUser, replace),
    login: after(client.login, replace),
    resetPassword: after(client.resetPassword, replace),
    changePassword: after(client.changePassword, (data, former) => former && open(data)),
    endSessionById: after(client.endSessionById, async (_, former, id) => {
      if (id !== sessionIdOf(former)) return
      await forget()
      await holder.set(undefined)
    }),
    endAllSessions: after(client.endAllSessions, forget),
    deleteMe: after(client.deleteMe, forget),
    getToken: refreshingHolder.get,
    async signOut() {
      const value = await refreshToken.get()
      await forget()
      await signOut()
      await end(value)
    },
  })
}

/** Returns the ID of the session of a refresh token, which is `id.number.mac`. */
const sessionIdOf = (refreshToken: string | undefined) => refreshToken?.split('.')[0]
