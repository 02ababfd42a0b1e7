import type { FinishLoginErrorCode, Operations, RequestLoginCodeErrorCode } from './endpoints.js'
import type { Result } from './result.js'
import type { FinishedLogin, FinishLoginBody, RequestLoginCodeBody, StartedLogin } from './schemas.js'
import type { CallOptions } from './send.js'
import {
  codeIn,
  createStartedLogins,
  removeFromAddress,
  type StartedLoginOptions,
  startedElsewhere,
} from './started-logins.js'

export type { WebCrypto } from './started-logins.js'

/** What `createLoginByMail` uses of a client. */
export type MailClient = Pick<Operations, 'requestLoginCode' | 'finishLogin'>

/** Options of a login by mail. */
export type LoginByMailOptions = StartedLoginOptions

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
  /** Logs in by the digits of the mail. Tries the latest login that this browser has started, and then those before it. */
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
  const started = createStartedLogins(options)
  /** The latest link, unless it was refused. */
  let linked: { code: string; result: ReturnType<LoginByMail['finishWithLink']> } | undefined

  async function finish(...[body, callOptions]: Parameters<MailClient['finishLogin']>) {
    // A login that starts while this one finishes is kept.
    const before = await started.list()
    const result = await usher.finishLogin(body, callOptions)
    if (result.data) await started.remove(before.filter(({ way }) => way === 'mail'))
    return result
  }

  async function finishLink(code: string, ...[more, callOptions]: More) {
    const found = (await started.list()).find(({ login }) => code.startsWith(login))
    const result = found
      ? await finish({ ...more, code, verifier: found.verifier }, callOptions)
      : startedElsewhere()
    if (result.error) linked = undefined
    return result
  }

  return {
    async start(body, callOptions) {
      const [verifier, challenge] = await started.newVerifier()
      const result = await usher.requestLoginCode({ ...body, challenge }, callOptions)
      if (result.data) await started.add({ login: result.data.login, verifier, way: 'mail' })
      return result
    },
    async finishWithDigits(text, more, callOptions) {
      const digits = text.replace(/\s/g, '')
      let refused: Awaited<ReturnType<typeof finish>> | undefined
      // A login that was started within a minute after another one has no mail.
      for (const { login, verifier, way } of await started.list()) {
        if (way !== 'mail') continue
        const result = await finish({ ...more, login, digits, verifier }, callOptions)
        if (result.error?.code !== 'code_invalid') return result
        refused ??= result
      }
      return refused ?? startedElsewhere()
    },
    finishWithLink(link, ...more) {
      const code = codeIn(link)
      removeFromAddress(code)
      if (code !== linked?.code) linked = { code, result: finishLink(code, ...more) }
      return linked.result
    },
  }
}

type More = [more?: FinishByMailFields, options?: CallOptions]
