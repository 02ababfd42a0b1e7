import { maxTimerMs } from './send.js'
import { createTokenHolder, type TokenOptions } from './token-holder.js'

/** The login of a user: the token and its changes. */
export interface Login {
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
   * Returns the token for a request to your own back end, or undefined if the user is not logged in. Reads an asynchronous
   * store first. With a session, it refreshes the token as before a call.
   */
  getToken(): Promise<string | undefined>
  /**
   * Calls the listener when `token` changes: by this client, by another tab that shares `localStorage`, or by expiry.
   * Returns a function that ends the subscription. Fits `useSyncExternalStore`, with `token` as the snapshot.
   */
  subscribe(listener: () => void): () => void
  /** Removes the token, and ends the session if there is one. Resolves when an asynchronous store has done so. */
  signOut(): Promise<void>
}

/**
 * Creates a login, and the holder of its token for the operations.
 *
 * @param onSet called when the caller sets `token`. With it, the login outlasts the expiry: the token is only to be replaced
 */
export function createLogin(key: string, options: TokenOptions, onSet?: () => void) {
  const listeners = new Set<() => void>()
  const holder = createTokenHolder(key, options, () => {
    for (const listener of listeners) listener()
  })
  const expiry = () => (onSet ? Infinity : holder.read()[1])
  const current = () => (expiry() > Date.now() && holder.read()[0]) || undefined

  function subscribe(listener: () => void) {
    let last = current()
    let timer: unknown
    const check = () => {
      clearTimeout(timer)
      const remainingMs = expiry() - Date.now()
      if (remainingMs > 0 && remainingMs < Infinity)
        timer = setTimeout(check, Math.min(remainingMs, maxTimerMs))
      if (last === current()) return
      last = current()
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
    get token() {
      return current()
    },
    set token(jwt) {
      onSet?.()
      holder.set(jwt || undefined)
    },
    get expiresAt() {
      const expiresAtMs = expiry()
      return expiresAtMs < Infinity ? new Date(expiresAtMs) : undefined
    },
    async getToken() {
      await holder.get()
      return current()
    },
    subscribe,
    async signOut() {
      await holder.set(undefined)
    },
  }
  return { login, holder }
}
