import { UsherError } from './errors.js'
import { assertOptions, type OptionChecks } from './options.js'
import { createTokenHolder, storeCheck, type TokenStore } from './token-holder.js'

/** What a login by mail or at a provider uses of Web Crypto. */
export interface WebCrypto {
  getRandomValues(array: Uint8Array<ArrayBuffer>): unknown
  subtle: { digest(algorithm: string, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> }
}

/** Options of logins that return to this browser. */
export interface StartedLoginOptions {
  /**
   * Stores the verifiers of started logins. `localStorage` by default, because a login can return in another tab. In memory if the
   * store fails.
   */
  store?: TokenStore | (() => TokenStore) | undefined
  /** Replaces the platform's Web Crypto, which React Native does not have. */
  crypto?: WebCrypto | undefined
}

/** A login that this browser has started. */
interface StartedLogin {
  login: string
  /** The secret of the browser (PKCE, RFC 7636). */
  verifier: string
  way: 'mail' | 'redirect' | 'popup'
}

const checks: OptionChecks = { store: storeCheck, crypto: ['object | undefined'] }

/** Longer than a login is valid, so that the server can say that it has expired. By the local clock, which may be wrong. */
const keptMs = 3_600_000
const keptLogins = 3

/** The parts of a browser that a login uses. Other platforms have none of them. */
export interface Browser {
  localStorage: TokenStore
  location?: { hash?: string; pathname: string; search: string; assign(url: string): void }
  history?: { state: unknown; replaceState(state: unknown, unused: string, url: string): void }
}

const browser = globalThis as unknown as Browser

/**
 * Keeps the logins that this browser has started, which are shared by its tabs.
 *
 * @throws {TypeError} that names an option that is invalid
 */
export function createStartedLogins(options: StartedLoginOptions, more: OptionChecks = {}) {
  assertOptions(options, { ...checks, ...more })
  const holder = createTokenHolder(
    'usher.logins',
    { tokenStore: options.store ?? (() => browser.localStorage) },
    () => {},
  )
  const cryptoOf = () => options.crypto ?? (globalThis.crypto as WebCrypto | undefined)

  const items = async () =>
    ((await holder.get())?.split(',') ?? []).filter(
      (item) => Math.abs(Date.now() - Number(item.split('.')[2])) < keptMs,
    )
  /** Changes run one after another, so that none undoes another one while an asynchronous store is read. */
  let changed: Promise<unknown> = Promise.resolve()
  const change = (edit: (kept: string[]) => string[]) => {
    changed = changed.then(async () =>
      holder.set(
        edit(await items())
          .slice(0, keptLogins)
          .join(),
      ),
    )
    return changed
  }

  return {
    /** Returns the logins, the latest first. */
    list: async () =>
      (await items()).map((item) => {
        const [login, verifier, , way] = item.split('.')
        return { login, verifier, way } as StartedLogin
      }),
    add: ({ login, verifier, way }: StartedLogin) =>
      change((kept) => [[login, verifier, Date.now(), way].join('.'), ...kept]),
    remove: (logins: readonly Pick<StartedLogin, 'login'>[]) =>
      change((kept) => kept.filter((item) => !logins.some(({ login }) => item.startsWith(login)))),
    /** Returns a new verifier, and its challenge by the method S256. */
    async newVerifier() {
      const crypto = cryptoOf()
      if (!crypto?.subtle)
        throw new TypeError('Usher client: crypto.subtle is missing. Serve the page over HTTPS')
      const bytes = new Uint8Array(32)
      crypto.getRandomValues(bytes)
      const verifier = base64urlOf(bytes)
      return [verifier, await challengeOf(crypto, verifier)] as const
    },
    challengeOf: (verifier: string) => challengeOf(cryptoOf() as WebCrypto, verifier),
  }
}

const challengeOf = async ({ subtle }: WebCrypto, verifier: string) => {
  const text = Uint8Array.from(verifier, (char) => char.charCodeAt(0))
  return base64urlOf(new Uint8Array(await subtle.digest('SHA-256', text)))
}

const base64urlOf = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (char) => ({ '+': '-', '/': '_' })[char] ?? '')

/** Returns the code in a link or the hash of one, or ''. */
export const codeIn = (link: string) => /[\da-f-]{36}\.[\w-]+/.exec(link)?.[0] ?? ''

/** Removes what has returned from the address bar, so that it does not stay in the history. */
export function removeFromAddress(returned: string) {
  const { location, history } = browser
  if (returned && location?.hash?.includes(returned))
    history?.replaceState(history.state, '', location.pathname + location.search)
}

/** Returns a failed result without a request. */
export const failed = <Code extends string>(code: Code, title: string, detail: string) => ({
  data: undefined,
  error: new UsherError({
    ...{ code, title, detail },
    status: 400,
    errors: [],
    tenants: [],
    requestId: undefined,
    retryAfterSeconds: undefined,
  }),
})

export const startedElsewhere = () =>
  failed(
    'started_elsewhere',
    'The login was started elsewhere',
    'Finish the login in the browser where you started it, or start again here.',
  )
