/**
 * Storage for tokens, such as `localStorage`. The client reads it at each use, so tabs that share a store share the
 * login. An error that the store throws rejects the call.
 */
export interface TokenStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** Options for storing the token. */
export interface TokenOptions {
  /** Initial token. Replaces the one in the store. */
  token?: string | undefined
  /** Stores the token, under a separate key for each database. Memory by default. */
  tokenStore?: TokenStore | undefined
  /** Called when this client stores a new token, or with undefined when it removes the token. */
  onTokenChange?: ((token: string | undefined) => void) | undefined
}

/** Returns accessors for the token of one database. It is stored as `<jwt> <expiry in milliseconds since the epoch>`. */
export function createTokenAccess(
  key: string,
  { token: initial, tokenStore: store = createMemoryStore(), onTokenChange }: TokenOptions,
) {
  const read = () => (store.getItem(key) ?? '').split(' ')
  const access = {
    get: () => read()[0] || undefined,
    expiresAt: () => {
      const expiry = read()[1]
      return expiry ? new Date(Number(expiry)) : undefined
    },
    set(jwt: string | undefined, expiresAtMs?: number) {
      if (jwt === access.get()) return
      if (jwt) store.setItem(key, expiresAtMs ? `${jwt} ${expiresAtMs}` : jwt)
      else store.removeItem(key)
      onTokenChange?.(jwt)
    },
  }
  if (initial && initial !== access.get()) store.setItem(key, initial)
  return access
}

function createMemoryStore(): TokenStore {
  let item: string | null = null
  return {
    getItem: () => item,
    setItem: (_key, value) => {
      item = value
    },
    removeItem: () => {
      item = null
    },
  }
}
