import { useEffect } from 'react'
import type { RequestLoginCodeErrorCode } from './endpoints.js'
import type { ExternalLogin, FinishExternalErrorCode, PopupErrorCode } from './external.js'
import type { FinishByMailFields } from './login-by-mail.js'
import type { Browser } from './started-logins.js'
import { type StepState, useSteps } from './use-steps.js'

const browser = globalThis as unknown as Browser

type ExternalErrorCode = FinishExternalErrorCode | PopupErrorCode | RequestLoginCodeErrorCode

/**
 * A login at a provider, as a component shows it. `step` is what to show: the buttons of the `providers`, that a login is `returning`,
 * or the form for the `digits` of a mail. `providers` again after a success.
 */
export interface ExternalLoginState
  extends StepState<'providers' | 'returning' | 'digits', ExternalErrorCode> {
  /** Leads the browser to the provider. */
  readonly start: (...given: Parameters<ExternalLogin['start']>) => Promise<void>
  /** Opens the provider in a popup, and finishes the login. */
  readonly openPopup: (...given: Parameters<ExternalLogin['openPopup']>) => Promise<void>
  /** Finishes a login that was refused, such as with `newTenant` after `account_missing`. */
  readonly finish: (more?: FinishByMailFields) => Promise<void>
  /** Requests the mail after `email_not_proven`. Leads to `digits`. */
  readonly requestMail: (...given: Parameters<ExternalLogin['requestMail']>) => Promise<void>
  readonly finishWithDigits: (...given: Parameters<ExternalLogin['finishWithDigits']>) => Promise<void>
  /** Leads back to `providers`. */
  readonly restart: () => void
}

/**
 * Returns the steps of a login at a provider, and finishes a login that has returned to the page. A success changes the `state` of the
 * client, which `useUser` shows.
 *
 * @example
 * ```tsx
 * const external = createExternalLogin(usher)
 * const { isPending, error, start } = useExternalLogin(external)
 * ```
 *
 * @param more what a new user or an invited one needs
 */
export function useExternalLogin(external: ExternalLogin, more?: FinishByMailFields): ExternalLoginState {
  const [state, run, restart] = useSteps<ExternalLoginState['step'], ExternalErrorCode>('providers')
  const finish = (link?: string, fields = more) => run('returning', external.finish(link, fields))

  useEffect(() => {
    if (/\b(code|error)=/.test(browser.location?.hash ?? '')) finish()
  }, [external])

  async function openPopup(...given: Parameters<ExternalLogin['openPopup']>) {
    const opened = external.openPopup(...given)
    await run('providers', opened)
    const { data } = await opened
    if (data) await finish(data)
  }

  return {
    ...state,
    start: (...given) => run('providers', external.start(...given)),
    openPopup,
    finish: (fields) => finish('', fields),
    requestMail: (...given) => run('returning', external.requestMail(...given), 'digits'),
    finishWithDigits: (...given) => run('digits', external.finishWithDigits(...given)),
    restart,
  }
}
