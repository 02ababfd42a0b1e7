import type { FinishLoginErrorCode, Operations, RequestLoginCodeErrorCode } from './endpoints.js'
import { UsherError } from './errors.js'
import { assertOptions, type OptionChecks } from './options.js'
import type { Result } from './result.js'
import type { FinishedLogin, FinishLoginBody, RequestLoginCodeBody, StartedLogin } from './schemas.js'
import type { CallOptions } from './send.js'
import { createTokenHolder, storeCheck, type TokenStore } from './token-holder.js'

/** What `createLoginByMail` uses of a client. */
export type MailClient = Pick<Operations, 'requestLoginCode' | 'finishLogin'>

/** What `createLoginByMail` uses of Web Crypto. */
export interface WebCrypto {
  getRandomValues(array: Uint8Array<ArrayBuffer>): unknown
  subtle: { digest(algorithm: string, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> }
}

/** Options of a login by mail. */
export interface LoginByMailOptions {
  /**
   * Stores the verifiers of started logins. `localStorage` by default, because a link opens in another tab. In memory if the
   * store fails.
   */
  store?: TokenStore | (() => TokenStore) | undefined
  /** Replaces the platform's Web Crypto, which React Native does not have. */
  crypto?: WebCrypto | undefined
}

/**
 * Every `error.code` of `finishWithDigits` and `finishWithLink`. `started_elsewhere`: this browser has not started the login. No
 * request was sent, and the status is 400.
 */
export type FinishByMailErrorCode = FinishLoginErrorCode | 'started_elsewhere'

/** What a new user or an invited one needs. See `finishLogin`. */
export type FinishByMailFields = Omit<FinishLoginBody, 'code' | 'login' | 'digits' | 'verifier'>

/** The steps of a login by mail. Its functions work without `this`. */
export interface LoginByMail {
  /** Requests the mail, and stores the verifier. An address gets at most one mail a minute; the result does not say so. */
  start(
    body: Omit<RequestLoginCodeBody, 'challenge'>,
    options?: CallOptions,
  ): Promise<Result<StartedLogin, RequestLoginCodeErrorCode>>
  /** Logs in by the digits of the mail. Tries the latest login that this browser has started, and then the two before it. */
  finishWithDigits(
    digits: string,
    more?: FinishByMailFields,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, FinishByMailErrorCode>>
  /**
   * Logs in on the page to which the mail leads. Removes the code from the address bar. Several calls with one link, as those of
   * an effect in React's strict mode, send one request.
   *
   * @param link the URL, its hash, or the code
   */
  finishWithLink(
    link: string,
    more?: FinishByMailFields,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, FinishByMailErrorCode>>
}

const checks: OptionChecks = { store: storeCheck, crypto: ['object | undefined'] }

/** Longer than a mail is valid, so that the server can say that it has expired. By the local clock, which may be wrong. */
const keptMs = 3_600_000

interface Browser {
  localStorage: TokenStore
  location?: { hash?: string; pathname: string; search: string }
  history?: { state: unknown; replaceState(state: unknown, unused: string, url: string): void }
}

const browser = globalThis as unknown as Browser

/**
 * Creates what logs users in by a mail with six digits or a link, or signs them up. Both work only in the browser that has
 * started the login, because it keeps a verifier (PKCE, RFC 7636). The client stores the token, and opens a session if it is one of
 * `createSessionClient`.
 *
 * @example
 * ```ts
 * const byMail = createLoginByMail(usher)
 * await byMail.start({ email })
 * const { data, error } = await byMail.finishWithDigits(digits)
 * ```
 *
 * @throws {TypeError} that names an option that is invalid
 */
export function createLoginByMail(usher: MailClient, options: LoginByMailOptions = {}): LoginByMail {
  assertOptions(options, checks)
  const tokenStore = options.store ?? (() => browser.localStorage)
  const holder = createTokenHolder('usher.logins', { tokenStore }, () => {})
  /** The latest link, unless it was refused. */
  let linked: { code: string; result: ReturnType<LoginByMail['finishWithLink']> } | undefined

  /** Returns the logins that this browser has started, the latest first. */
  async function started() {
    const items = (await holder.get())?.split(',') ?? []
    return items
      .map((item) => item.split('.') as [login: string, verifier: string, startedAtMs: string])
      .filter(([, , startedAtMs]) => Math.abs(Date.now() - Number(startedAtMs)) < keptMs)
  }

  async function finish(...[body, callOptions]: Parameters<MailClient['finishLogin']>) {
    const result = await usher.finishLogin(body, callOptions)
    if (result.data) await holder.set(undefined)
    return result
  }

  async function finishLink(code: string, ...[more, callOptions]: More) {
    const found = (await started()).find(([login]) => code.startsWith(login))
    const result = found
      ? await finish({ ...more, code, verifier: found[1] }, callOptions)
      : startedElsewhere()
    if (result.error) linked = undefined
    return result
  }

  return {
    async start(body, callOptions) {
      const [verifier, challenge] = await createVerifier(options.crypto ?? (globalThis.crypto as WebCrypto))
      const result = await usher.requestLoginCode({ ...body, challenge }, callOptions)
      if (result.data) {
        const former = (await started()).slice(0, 2)
        const items = [[result.data.login, verifier, Date.now()], ...former]
        await holder.set(items.map((item) => item.join('.')).join(','))
      }
      return result
    },
    async finishWithDigits(text, more, callOptions) {
      const digits = text.replace(/\s/g, '')
      let refused: Awaited<ReturnType<typeof finish>> | undefined
      // A login that was started within a minute after another one has no mail.
      for (const [login, verifier] of await started()) {
        const result = await finish({ ...more, login, digits, verifier }, callOptions)
        if (result.error?.code !== 'code_invalid') return result
        refused ??= result
      }
      return refused ?? startedElsewhere()
    },
    finishWithLink(link, ...more) {
      const code = /[\da-f-]{36}\.[\w-]+/.exec(link)?.[0] ?? ''
      const { location, history } = browser
      if (code && location?.hash?.includes(code))
        history?.replaceState(history.state, '', location.pathname + location.search)
      if (code !== linked?.code) linked = { code, result: finishLink(code, ...more) }
      return linked.result
    },
  }
}

type More = [more?: FinishByMailFields, options?: CallOptions]

/** Returns a new verifier, and its challenge by the method S256. */
async function createVerifier(crypto: WebCrypto) {
  if (!crypto?.subtle)
    throw new TypeError('Usher client: crypto.subtle is missing. Serve the page over HTTPS')
  const bytes = new Uint8Array(32)
  crypto.getRandomValues(bytes)
  const verifier = base64urlOf(bytes)
  const text = Uint8Array.from(verifier, (char) => char.charCodeAt(0))
  return [verifier, base64urlOf(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))] as const
}

const base64urlOf = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (char) => ({ '+': '-', '/': '_' })[char] ?? '')

const startedElsewhere = () => ({
  data: undefined,
  error: new UsherError({
    code: 'started_elsewhere' as const,
    status: 400,
    title: 'The login was started elsewhere',
    detail: 'Enter the digits of the mail where you started, or start again here.',
    errors: [],
    tenants: [],
    requestId: undefined,
    retryAfterSeconds: undefined,
  }),
})
