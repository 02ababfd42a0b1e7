import { maxTimerMs } from './send.js'

/**
 * Storage for tokens, such as `localStorage` or an asynchronous one. The client reads a synchronous store at each use, so
 * tabs that share it share the login. It reads an asynchronous store once. If the store throws or rejects, the client
 * keeps the token in memory.
 */
export interface TokenStore {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** Options for storing the token. */
export interface TokenOptions {
  /** Initial token. Replaces the one in the store. */
  token?: string | undefined
  /**
   * Stores the token, under a key for each database. Memory by default. Pass a function, such as `() => localStorage`, if
   * the code also runs where the store does not exist.
   */
  tokenStore?: TokenStore | (() => TokenStore) | undefined
  /** Called when this client stores a new token, or with undefined when it removes the token. */
  onTokenChange?: ((token: string | undefined) => void) | undefined
}

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
 * Creates a login, and the holder of its token for the operations. The token is stored as `<jwt> <expiry in milliseconds
 * since the epoch>`.
 *
 * @param onSet called when the caller sets `token`. With it, the login outlasts the expiry: the token is only to be replaced
 */
export function createLogin(
  key: string,
  { token: initial, tokenStore, onTokenChange }: TokenOptions,
  onSet?: () => void,
) {
  const listeners = new Set<() => void>()
  /** The stored item, as far as it is known. */
  let item = ''
  /** Whether `item` counts, and not the store: there is none, it is asynchronous, or it has failed. */
  let isCached = !tokenStore
  /** The latest read or write of an asynchronous store. */
  let pending: Promise<unknown> | undefined

  const notify = () => {
    for (const listener of listeners) listener()
  }

  function access(action: (store: TokenStore) => unknown, done?: (value: unknown) => void) {
    try {
      const result = action((typeof tokenStore === 'function' ? tokenStore() : tokenStore) as TokenStore)
      if (!isPromise(result)) return done?.(result)
      const current: Promise<unknown> = result.then(
        (value) => {
          // A token that was set meanwhile replaces the one that was read.
          if (pending === current) done?.(value)
          notify()
        },
        () => {},
      )
      pending = current
    } catch {
      // Such as localStorage while a server renders, or in a browser that blocks it.
    }
    isCached = true
  }

  function read() {
    if (!isCached)
      access(
        (store) => store.getItem(key),
        (value) => {
          item = String(value ?? '')
        },
      )
    const [jwt = '', expiry] = item.split(' ')
    return { jwt, expiresAtMs: Number(expiry) || Infinity }
  }

  function write(next: string) {
    item = next
    access((store) => {
      const save = () => (item ? store.setItem(key, item) : store.removeItem(key))
      return pending ? pending.then(save) : save()
    })
  }

  const expiry = () => (onSet ? Infinity : read().expiresAtMs)
  const isFresh = () => read().expiresAtMs > Date.now()
  const current = () => ((onSet || isFresh()) && read().jwt) || undefined

  if (initial && initial !== read().jwt) write(initial)

  const holder = {
    isFresh,
    /** Returns the token, even if it has expired, once the store has been read. */
    async get() {
      read()
      await pending
      return read().jwt || undefined
    },
    /** Returns a promise while an asynchronous store saves the token. */
    set(jwt: string | undefined, expiresAtMs?: number) {
      const isChanged = (jwt ?? '') !== read().jwt
      if (isChanged || pending) write(jwt ? [jwt, expiresAtMs].join(' ') : '')
      if (isChanged) {
        onTokenChange?.(jwt)
        notify()
      }
      return pending
    },
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
    subscribe(listener) {
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
    },
    async signOut() {
      await holder.set(undefined)
    },
  }
  return { login, holder }
}

const isPromise = (value: unknown): value is Promise<unknown> => !!(value as Promise<unknown> | null)?.then
