import { useEffect } from 'react'
import type { RequestLoginCodeErrorCode } from './endpoints.js'
import type { FinishByMailErrorCode, FinishByMailFields, LoginByMail } from './login-by-mail.js'
import { type StepState, useSteps } from './use-steps.js'

type MailErrorCode = RequestLoginCodeErrorCode | FinishByMailErrorCode

/**
 * A login by mail, as a component shows it. `step` is what to show: the form for the `email`, that for the `digits` of the mail, or
 * that a `link` is logging the user in. `email` again after a success.
 */
export interface LoginByMailState extends StepState<'email' | 'digits' | 'link', MailErrorCode> {
  /** Requests the mail. Leads to `digits`. */
  readonly start: (...given: Parameters<LoginByMail['start']>) => Promise<void>
  readonly finishWithDigits: (...given: Parameters<LoginByMail['finishWithDigits']>) => Promise<void>
  readonly finishWithLink: (...given: Parameters<LoginByMail['finishWithLink']>) => Promise<void>
  /** Leads back to `email`. */
  readonly restart: () => void
}

/**
 * Returns the steps of a login by mail. A success changes the `state` of the client, which `useUser` shows.
 *
 * @example
 * ```tsx
 * const byMail = createLoginByMail(usher)
 * const { step, error, start, finishWithDigits } = useLoginByMail(byMail, linkOfThePage)
 * ```
 *
 * @param link the URL of the page to which the mail leads, its hash, or the code. It logs the user in
 * @param more what a new user or an invited one needs, with the link
 */
export function useLoginByMail(
  byMail: LoginByMail,
  link?: string | null,
  more?: FinishByMailFields,
): LoginByMailState {
  const [state, run, restart] = useSteps<LoginByMailState['step'], MailErrorCode>(
    'email',
    link ? 'link' : 'email',
  )
  const finishWithLink: LoginByMailState['finishWithLink'] = (...given) =>
    run('link', byMail.finishWithLink(...given))

  useEffect(() => {
    if (link) finishWithLink(link, more)
  }, [byMail, link])

  return {
    ...state,
    start: (...given) => run('email', byMail.start(...given), 'digits'),
    finishWithDigits: (...given) => run('digits', byMail.finishWithDigits(...given)),
    finishWithLink,
    restart,
  }
}
