import type {
  AddTenantProofErrorCode,
  FinishLoginErrorCode,
  LinkIdentityErrorCode,
  Operations,
  RequestLoginCodeErrorCode,
  StartLoginErrorCode,
} from './endpoints.js'
import type { FinishByMailFields } from './login-by-mail.js'
import { awaitLink, openPopup } from './popup.js'
import type { Result } from './result.js'
import {
  createReturnedLogins,
  type ElsewhereErrorCode,
  failedReturn,
  type ReturnErrorCode,
} from './returned-logins.js'
import type {
  FinishedLogin,
  Identity,
  LinkIdentityBody,
  SignedInUser,
  ExternalLogin as StartedAtProvider,
  StartedLogin,
  StartLoginBody,
} from './schemas.js'
import type { CallOptions } from './send.js'
import {
  type Browser,
  createStartedLogins,
  failed,
  type StartedLoginOptions,
  startedElsewhere,
} from './started-logins.js'

export type { ElsewhereErrorCode, ReturnErrorCode } from './returned-logins.js'

/** What `createExternalLogin` uses of a client. */
export type ExternalClient = Pick<
  Operations,
  'startLogin' | 'finishLogin' | 'linkIdentity' | 'requestLoginCode' | 'addTenantProof'
>

/** Options of logins at providers. */
export interface ExternalLoginOptions extends StartedLoginOptions {
  /** Leads the browser to the provider. By default `location.assign`. A native app opens its browser. */
  open?: ((url: string) => void) | undefined
}

/** `popup_blocked`: the browser has opened no window. Start the login with `start`. */
export type PopupErrorCode = StartLoginErrorCode | 'popup_blocked' | 'access_denied' | 'code_invalid'

/** Every `error.code` of `finish` and `finishWithDigits`. */
export type FinishExternalErrorCode = FinishLoginErrorCode | ReturnErrorCode | ElsewhereErrorCode

/** Every `error.code` of `link`. */
export type LinkErrorCode = LinkIdentityErrorCode | ReturnErrorCode | ElsewhereErrorCode

/** Every `error.code` of `proveTenant`. */
export type ProveTenantErrorCode = AddTenantProofErrorCode | ReturnErrorCode | ElsewhereErrorCode

/** The steps of a login at a provider. Its functions work without `this`. */
export interface ExternalLogin {
  /** Stores a verifier, and leads the browser to the provider. */
  start(
    body: Omit<StartLoginBody, 'challenge'>,
    options?: CallOptions,
  ): Promise<Result<StartedAtProvider, StartLoginErrorCode>>
  /**
   * Opens the provider in a popup. Call it in the handler of a click, before any `await`. Returns the link for `finish` or `link`, once
   * the popup has returned. The page in the popup calls `finish`, too: it hands its link over, and closes the popup. A page cannot see
   * that a person has closed the popup: offer a button that aborts `options.signal`.
   */
  openPopup(
    body: Omit<StartLoginBody, 'challenge'>,
    options?: CallOptions,
  ): Promise<Result<string, PopupErrorCode>>
  /**
   * Logs in, or signs up, on the page to which the login returns. Removes the code from the address bar. Several calls with one link,
   * as those of an effect in React's strict mode, send one request. A refused login can be finished again, such as with `newTenant`.
   *
   * @param link the URL or its hash. By default that of the page, or the login that was refused last
   * @returns undefined if no login has returned
   */
  finish(
    link?: string,
    more?: FinishByMailFields,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, FinishExternalErrorCode> | undefined>
  /** Links the identity to the user who is logged in, instead of `finish`. */
  link(
    link?: string,
    confirmation?: Pick<LinkIdentityBody, 'password' | 'confirmation'>,
    options?: CallOptions,
  ): Promise<Result<Identity, LinkErrorCode> | undefined>
  /**
   * Opens a tenant that requires single sign-on, instead of `finish`: adds it to the session of the user who is logged in. The login was
   * started with the ID of a connection of the tenant.
   */
  proveTenant(
    link?: string,
    options?: CallOptions,
  ): Promise<Result<SignedInUser, ProveTenantErrorCode> | undefined>
  /** Requests the mail that proves an address, after `finish` has returned `email_not_proven`. */
  requestMail(
    email: string,
    options?: CallOptions,
  ): Promise<Result<StartedLogin, RequestLoginCodeErrorCode | 'started_elsewhere'>>
  /** Finishes the login that was refused last, with the digits of the mail. */
  finishWithDigits(
    digits: string,
    more?: FinishByMailFields,
    options?: CallOptions,
  ): Promise<Result<FinishedLogin, FinishExternalErrorCode>>
}

const browser = globalThis as unknown as Browser

/**
 * Creates what logs users in at providers such as Google. The client stores the token, and opens a session if it is one of
 * `createSessionClient`.
 *
 * @example
 * ```ts
 * const external = createExternalLogin(usher)
 * button.onclick = () => external.start({ connection: 'google' })
 * // On the page to which the login returns:
 * const result = await external.finish()
 * ```
 *
 * @throws {TypeError} that names an option that is invalid
 */
export function createExternalLogin(
  usher: ExternalClient,
  options: ExternalLoginOptions = {},
): ExternalLogin {
  const started = createStartedLogins(options, { open: ['function | undefined'] })
  const { popups, follow, lastRefused } = createReturnedLogins(started)
  async function begin(
    body: Omit<StartLoginBody, 'challenge'>,
    way: 'redirect' | 'popup',
    more?: CallOptions,
  ) {
    const [verifier, challenge] = await started.newVerifier()
    const result = await usher.startLogin({ ...body, challenge }, more)
    if (result.data) await started.add({ login: result.data.login, verifier, way })
    return result
  }

  const finish = (link: string | undefined, more?: FinishByMailFields, callOptions?: CallOptions) =>
    follow(link, ({ code, verifier }) => usher.finishLogin({ ...more, code, verifier }, callOptions))

  return {
    async start(body, callOptions) {
      const result = await begin(body, 'redirect', callOptions)
      const open = options.open ?? ((url: string) => browser.location?.assign(url))
      if (result.data) open(result.data.url)
      return result
    },
    async openPopup(body, { signal } = {}) {
      // Before any wait, because browsers open windows only in the handler of a click.
      const popup = openPopup()
      if (!popup)
        return failed('popup_blocked', 'The browser has blocked the popup', 'Allow popups, or log in here.')
      const { data, error } = await begin(body, 'popup', { signal }).catch((cause) => {
        popup.close()
        throw cause
      })
      if (error) {
        popup.close()
        return { data, error }
      }
      popups.add(data.login)
      const link = await awaitLink(popup, data, signal)
      return link ? { data: link } : failedReturn('access_denied')
    },
    async finish(...given) {
      return finish(...given)
    },
    async link(link, confirmation, callOptions) {
      return follow(link, ({ code, verifier }) =>
        usher.linkIdentity({ ...confirmation, code, verifier }, callOptions),
      )
    },
    async proveTenant(link, callOptions) {
      return follow(link, ({ code, verifier }) => usher.addTenantProof({ code, verifier }, callOptions))
    },
    async requestMail(email, callOptions) {
      const { verifier, mails } = lastRefused() ?? {}
      if (!verifier) return startedElsewhere()
      const challenge = await started.challengeOf(verifier)
      const result = await usher.requestLoginCode({ email, challenge }, callOptions)
      if (result.data) mails?.unshift(result.data.login)
      return result
    },
    async finishWithDigits(text, more, callOptions) {
      const digits = text.replace(/\s/g, '')
      let first: Result<FinishedLogin, FinishExternalErrorCode> | undefined
      // A mail that was requested within a minute after another one was not sent.
      for (const login of lastRefused()?.mails ?? []) {
        const result = await finish('', { ...more, mail: { login, digits } }, callOptions)
        if (result?.error?.code !== 'code_invalid') return result ?? startedElsewhere()
        first ??= result
      }
      return first ?? startedElsewhere()
    },
  }
}
