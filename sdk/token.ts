import { maxTimerMs } from './send.js'
import { createTokenHolder, type TokenOptions } from './token-holder.js'

/** Whether a user is logged in, as far as the client knows. */
export type LoginState = 'unknown' | 'signedIn' | 'signedOut'

/** The login of a user: the token and its changes. */
export interface Login {
  /**
   * `signedIn` if there is a `token`, and `signedOut` if there is neither a token nor a session. `unknown` until an
   * asynchronous store has been read, and if there is a session that was not refreshed since the page was opened: `me` and
   * `getToken` refresh it. A request that fails because of the network changes nothing.
   */
  readonly state: LoginState
  /**
   * The JWT of later calls. Undefined if there is none or if it has expired by the local clock. Set it to store another
   * one, or to undefined to log out. Setting it forgets the session.
   */
  token: string | undefined
  /**
   * When the token expires by the local clock, counted from the start of the call that returned it. Undefined if there
   * is no token, or if the token was set by the caller.
   */
  readonly expiresAt: Date | undefined
  /**
   * Returns the token for a request to your own backend, or undefined if the user is not logged in. Reads an asynchronous
   * store first. With a session, it refreshes the token as before a call.
   */
  getToken(): Promise<string | undefined>
  /**
   * Calls the listener when `token` or `state` changes: by this client, by another tab that shares `localStorage`, or by
   * expiry. Returns a function that ends the subscription. Fits `useSyncExternalStore`, with either as the snapshot.
   */
  subscribe(listener: () => void): () => void
  /**
   * Removes the token, and ends the session if there is one. Resolves when an asynchronous store has done so. The token of a
   * call that waits for its response, such as `login` or `changePassword`, is not stored, also not in another tab that shares
   * `localStorage`.
   */
  signOut(): Promise<void>
}

/** The refresh token of a login. */
interface Session {
  read(): readonly [refreshToken: string | undefined, ...unknown[]]
  /** Called when the caller sets the access token. */
  forget(): void
  /** Refreshes the access token if it is necessary. */
  get(): Promise<unknown>
}

/**
 * Creates a login, and the holder of its token for the operations. With a session, the login outlasts the expiry of the
 * token, which is then refreshed. Call `notify` after each change of the session.
 */
export function createLogin(key: string, options: TokenOptions, session?: Session) {
  const listeners = new Set<() => void>()
  // Calls all listeners, also after one that throws.
  const notify = ([listener, ...others] = [...listeners]) => {
    try {
      listener?.()
    } finally {
      if (others.length) notify(others)
    }
  }
  const holder = createTokenHolder(key, options, () => notify())
  const expiry = () => (session ? Infinity : holder.read()[1])
  const current = () => (expiry() > Date.now() && holder.read()[0]) || undefined
  const snapshot = () => login.state + current()

  function subscribe(listener: () => void) {
    let last = snapshot()
    let timer: unknown
    const check = () => {
      clearTimeout(timer)
      const remainingMs = expiry() - Date.now()
      if (remainingMs > 0 && remainingMs < Infinity)
        timer = setTimeout(check, Math.min(remainingMs, maxTimerMs))
      if (last === snapshot()) return
      last = snapshot()
      listener()
    }
    listeners.add(check)
    globalThis.addEventListener?.('storage', check)
    check()
    return () => {
      listeners.delete(check)
      globalThis.removeEventListener?.('storage', check)
      clearTimeout(timer)
    }
  }

  const login: Login = {
    get state() {
      if (current()) return 'signedIn'
      const mayBeSignedIn = holder.read()[0] === undefined || (session && session.read()[0] !== '')
      return mayBeSignedIn ? 'unknown' : 'signedOut'
    },
    get token() {
      return current()
    },
    set token(jwt) {
      // Also decides over earlier calls that still wait.
      holder.startCall()()
      session?.forget()
      holder.set(jwt || undefined)
    },
    get expiresAt() {
      const expiresAtMs = expiry()
      return expiresAtMs < Infinity ? new Date(expiresAtMs) : undefined
    },
    async getToken() {
      // Not the token of another user, who has logged in meanwhile.
      return (await (session ?? holder).get()) === current() ? current() : undefined
    },
    subscribe,
    async signOut() {
      login.token = undefined
      await holder.get()
    },
  }
  return { login, holder, notify }
}
