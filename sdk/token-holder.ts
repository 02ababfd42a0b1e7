import { assertOptions, type OptionChecks } from './options.js'

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

interface Browser {
  /** On a server, which has no window, a listener would keep the client of each request in memory. */
  window?: { addEventListener?(type: 'storage', listener: () => void): void }
}

/** Calls the listener when another tab has changed a store of the browser. */
export const onStorage = (listener: () => void) =>
  (globalThis as Browser).window?.addEventListener?.('storage', listener)

export const storeCheck = ['object | function | undefined'] as const
const checks: OptionChecks = {
  token: ['string | undefined'],
  tokenStore: storeCheck,
  onTokenChange: ['function | undefined'],
}

/**
 * Creates a holder of a token. The token is stored as `<jwt> <expiry in milliseconds since the epoch>`: in memory if there is no
 * store, if the store is asynchronous, or if it has failed.
 *
 * @param notify called after each change, and after each read and write of an asynchronous store
 */
export function createTokenHolder(key: string, options: TokenOptions, notify: () => void) {
  assertOptions(options, checks)
  const { token: initial, onTokenChange } = options
  const [readItem, writeItem, settled, loaded, known] = createItem(key, options, notify)

  function read() {
    const [jwt, expiry] = readItem()?.split(' ') ?? []
    return [jwt, Number(expiry) || Infinity] as const
  }

  if (initial && initial !== read()[0]) writeItem(initial)

  let calls = 0
  /** Number of the latest call that has logged a user in or out. */
  let latest = 0
  onStorage(() => {
    // Another tab has logged out, after the calls that wait here.
    if (known() && !readItem()) latest = ++calls
  })

  return {
    /** Returns the token, which is '' if there is none, and its expiry. Until an asynchronous store is read: undefined. */
    read,
    /** Returns the token, even if it has expired, once the store has been read. */
    async get() {
      read()
      await settled()
      return read()[0] || undefined
    },
    /** Returns the token that is stored at the call, even if another one replaces it while an asynchronous store is read. */
    async stored() {
      return read()[0] ?? (await loaded()).split(' ')[0]
    },
    /** See `TokenHolder`. */
    startCall() {
      const call = ++calls
      return (isSession?: unknown) => {
        if (!isSession) latest = Math.max(latest, call)
        return call >= latest
      }
    },
    /** Returns a promise while an asynchronous store saves the token. */
    set(jwt: string | undefined, expiresAtMs?: number) {
      const [current] = read()
      // Does not remove what could not be read, such as the keychain of a locked device.
      if ((jwt ?? '') !== current) writeItem(jwt ? [jwt, expiresAtMs].join(' ') : '')
      try {
        if (jwt !== (current || undefined)) onTokenChange?.(jwt)
      } finally {
        notify()
      }
      return settled()
    },
  }
}

/**
 * Returns functions that read an item and write it, and a function that returns the pending access to an asynchronous
 * store, if any. The fourth one returns the item that such a store contained, even if another one has replaced it, or ''. The
 * fifth one returns the item that was last read or written.
 */
function createItem(key: string, { tokenStore }: TokenOptions, notify: () => void) {
  /** The stored item. Undefined while it is unknown. */
  let item = tokenStore ? undefined : ''
  /** Whether `item` counts, and not the store. */
  let isCached = !tokenStore
  /** The latest read or write of an asynchronous store, until it ends. */
  let pending: Promise<unknown> | undefined
  /** The read of an asynchronous store. */
  let reading: unknown

  function access(action: (store: TokenStore) => unknown, done?: (value: unknown) => void) {
    try {
      const result = action((typeof tokenStore === 'function' ? tokenStore() : tokenStore) as TokenStore)
      if (!isPromise(result)) return done?.(result)
      const current: Promise<unknown> = result
        .then((value) => {
          // A token that was set meanwhile replaces the one that was read.
          if (pending === current) done?.(value)
        }, fail)
        .then(() => {
          // If a listener throws, only calls that wait for this access fail.
          if (pending === current) pending = undefined
          notify()
        })
      pending = current
    } catch {
      // Such as localStorage while a server renders, or in a browser that blocks it.
      fail()
    }
    isCached = true
  }

  const textOf = (value: unknown) => String(value ?? '')
  const load = (value: unknown) => {
    item = textOf(value)
  }
  const fail = () => {
    item ??= ''
  }

  return [
    () => {
      if (!isCached) access((store) => (reading = store.getItem(key)), load)
      return item
    },
    (next: string) => {
      item = next
      access((store) => {
        const save = () => (item ? store.setItem(key, item) : store.removeItem(key))
        return pending ? pending.then(save, save) : save()
      })
    },
    () => pending,
    () => Promise.resolve(reading).then(textOf, () => ''),
    () => item,
  ] as const
}

const isPromise = (value: unknown): value is Promise<unknown> => !!(value as Promise<unknown> | null)?.then
