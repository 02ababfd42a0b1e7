/**
 * Where a token is kept: `localStorage` and `sessionStorage` fit as they are. It is asked at each use, so that
 * a store shared by tabs is shared in full. What it throws, the call throws.
 */
export interface TokenStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** How the token is kept. */
export interface TokenOptions {
  /** A token to begin with, in place of the one in the store. */
  token?: string | undefined
  /** Keeps the token under a key of its own for each database; memory by default. */
  tokenStore?: TokenStore | undefined
  /** Is told of each change by this client: a new token, or undefined where there is none any more. */
  onTokenChange?: ((token: string | undefined) => void) | undefined
}

/** The token of one database, kept with its end as `<jwt> <milliseconds since the epoch>`. */
export function createTokenHolder(
  key: string,
  { token: first, tokenStore: store = memoryStore(), onTokenChange }: TokenOptions,
) {
  const read = () => (store.getItem(key) ?? '').split(' ')
  const keeper = {
    get: () => read()[0] || undefined,
    expiresAt: () => {
      const end = read()[1]
      return end ? new Date(Number(end)) : undefined
    },
    set(jwt: string | undefined, expiresAtMs?: number) {
      if (jwt === keeper.get()) return
      if (jwt) store.setItem(key, expiresAtMs ? `${jwt} ${expiresAtMs}` : jwt)
      else store.removeItem(key)
      onTokenChange?.(jwt)
    },
  }
  if (first && first !== keeper.get()) store.setItem(key, first)
  return keeper
}

function memoryStore(): TokenStore {
  let kept: string | null = null
  return {
    getItem: () => kept,
    setItem: (_key, value) => {
      kept = value
    },
    removeItem: () => {
      kept = null
    },
  }
}
